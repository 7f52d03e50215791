#include "ssm/config/base_chain.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "config/read_sample.h"
#include "ssm/base/files.h"
#include "support/temp_folder.h"

namespace ssm::test {
namespace {

// A folder of config files, read from it.
class ConfigFolder {
 public:
  void Write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(folder_ / name).parent_path());
    AtomicWriteFile(folder_ / name, text);
  }
  SampleReading Read(const std::string& name,
                     const std::vector<std::string>& overrides = {}) const {
    SampleReading reading;
    reading.dropped = ReadConfig({folder_ / name, overrides}, reading.config);
    return reading;
  }
  /// What reading says, with the folder's own name taken out.
  Thrown Fault(const std::string& name, const std::vector<std::string>& overrides = {}) const {
    Thrown thrown = ErrorOf([&] { Read(name, overrides); });
    const std::string prefix = folder_ / "";
    for (size_t at = thrown.message.find(prefix); at != std::string::npos;
         at = thrown.message.find(prefix)) {
      thrown.message.erase(at, prefix.size());
    }
    return thrown;
  }

 private:
  TempFolder folder_;
};

TEST_CASE("a file patches its base, which lies beside it, and so on") {
  const ConfigFolder folder;
  folder.Write("a.json", R"({"name": "a", "model": {"d_model": 8, "block": {"norm": "none",
                             "mixer": {"type": "s4d", "d_state": 4}}}, "train": {"lr": 0.5}})");
  folder.Write("b.json", R"({"base": "a.json", "name": "b", "train": {"lr": null}})");
  folder.Write("sub/c.json", R"({"base": "../b.json", "$schema": "s.json", "name": "c",
                                 "model": {"block": {"mixer": {"d_state": 6}}}})");
  const SampleReading reading = folder.Read("sub/c.json", {"model.d_model=16"});
  CHECK(reading.config.name == "c");
  CHECK(reading.config.model.d_model == 16);
  CHECK(reading.config.train.lr == 0.003);
  const BlockOptions& block = reading.config.model.layers.at(0);
  CHECK(block.norm == Norm::kNone);
  CHECK(MixerOf<S4dOptions>(block).d_state == 6);
  CHECK(reading.dropped.empty());
}

TEST_CASE("a fault names the file that has it; faults come file by file, line by line") {
  const ConfigFolder folder;
  folder.Write("a.json",
               "{\"model\": {\"block\": {\"mixer\": {\"type\": \"s4d\"}}},\n"
               " \"train\": {\"lr\": 0, \"clip\": \"x\", \"stps\": 1}}");
  folder.Write("b.json",
               "{\"base\": \"a.json\",\n \"train\": {\"lr\": -1, \"stps\": 2},\n"
               " \"nmae\": 1}");
  const Thrown thrown = folder.Fault("b.json", {"eval.tags=3"});
  CHECK(thrown.code == ExitCode::kBadConfig);
  CHECK(
      thrown.message ==
      "b.json:2:18: /train/lr: found -1; allowed: a number > 0\n"
      "b.json:2:22: /train/stps: found the unknown key \"stps\": 2; allowed: steps, warmup, lr, "
      "clip, groups, init_from, betas, keep; did you mean \"steps\"?\n"
      "b.json:3:2: /nmae: found the unknown key \"nmae\": 1; allowed: name, seed, model, teacher, "
      "train, eval; did you mean \"name\"?\n"
      "a.json:2:29: /train/clip: found \"x\"; allowed: a number > 0 or \"inf\"\n"
      "override eval.tags=3: /eval/tags: found 3; allowed: a list of strings; write [3]");
}

TEST_CASE("a change of type through a base drops the keys the new type lacks, and says so") {
  const ConfigFolder folder;
  folder.Write("a.json", R"({"model": {"block": {"mixer":
                            {"type": "s4d", "d_state": 16, "dt_min": 0.5}}}})");
  folder.Write("b.json", R"({"base": "a.json", "model": {"block": {"mixer":
                            {"type": "lru", "r_min": 0.5}}}})");
  const SampleReading reading = folder.Read("b.json");
  const auto& lru = MixerOf<LruOptions>(reading.config.model.layers.at(0));
  CHECK(lru.d_state == 16);
  CHECK(lru.r_min == 0.5);
  REQUIRE(reading.dropped.size() == 1);
  CHECK(reading.dropped[0].pointer == "/model/block/mixer/dt_min");
  CHECK(reading.dropped[0].origin.ends_with("/a.json"));
}

TEST_CASE("a key dropped on the way does not come back with its old type") {
  const ConfigFolder folder;
  folder.Write("a.json", R"({"model": {"block": {"mixer": {"type": "s4d", "dt_min": 0.5,
                                                           "d_state": 16}}}})");
  folder.Write("b.json", R"({"base": "a.json", "model": {"block": {"mixer": {"type": "lru"}}}})");
  folder.Write("c.json", R"({"base": "b.json", "model": {"block": {"mixer": {"type": "s4d"}}}})");
  const SampleReading reading = folder.Read("c.json");
  const auto& s4d = MixerOf<S4dOptions>(reading.config.model.layers.at(0));
  CHECK(s4d.dt_min == 0.001);
  CHECK(s4d.d_state == 16);
  CHECK(reading.dropped.size() == 1);
}

TEST_CASE("a slip in a base is a fault even where the type changes") {
  const ConfigFolder folder;
  folder.Write("a.json", R"({"model": {"block": {"mixer": {"type": "s4d", "dt_mni": 0.5}}}})");
  folder.Write("b.json", R"({"base": "a.json", "model": {"block": {"mixer": {"type": "lru"}}}})");
  const Thrown thrown = folder.Fault("b.json");
  CHECK(thrown.code == ExitCode::kBadConfig);
  CHECK(thrown.Says("a.json:1:47: /model/block/mixer/dt_mni: found the unknown key"));
}

TEST_CASE("a value the new type refuses says why it is there") {
  const ConfigFolder folder;
  folder.Write("a.json", R"({"model": {"block": {"mixer": {"type": "s4d", "init": "legs"}}}})");
  folder.Write("b.json", R"({"base": "a.json", "model": {"block": {"mixer": {"type": "lru"}}}})");
  CHECK(folder.Fault("b.json").message ==
        "a.json:1:55: /model/block/mixer/init: found \"legs\"; allowed: \"ring\", \"disk\"; it was "
        "set for another type: set it anew, or to null for the default");
  CHECK_NOTHROW(folder.Read("b.json", {"model.block.mixer.init=null"}));
}

TEST_CASE("a misspelt deletion is found") {
  const ConfigFolder folder;
  folder.Write("a.json", kLeast);
  folder.Write("b.json", R"({"base": "a.json", "train": {"lrr": null, "groups": {"smm": null}}})");
  const Thrown thrown = folder.Fault("b.json");
  CHECK(thrown.Says("/train/lrr: found the unknown key \"lrr\": null;"));
  CHECK(thrown.Says(
      "/train/groups/smm: found null, and nothing to take away; did you mean \"ssm\"?"));
}

TEST_CASE("circles, missing bases and bases that are no path") {
  const ConfigFolder folder;
  folder.Write("a.json", R"({"base": "./sub/../b.json"})");
  folder.Write("b.json", R"({"base": "a.json"})");
  folder.Write("self.json", R"({"base": "self.json"})");
  folder.Write("gone.json", "{\n  \"base\": \"nowhere.json\"}");
  folder.Write("number.json", R"({"base": 3, "model": {"block": {"mixer": {"type": "s4d"}}}})");
  CHECK(folder.Fault("a.json").message ==
        "b.json:1:10: /base: found \"a.json\", which closes a circle: a.json -> b.json -> a.json; "
        "allowed: a chain of bases that ends");
  CHECK(folder.Fault("self.json").code == ExitCode::kBadConfig);
  const Thrown gone = folder.Fault("gone.json");
  CHECK(gone.code == ExitCode::kMissingInput);
  CHECK(gone.message.starts_with("gone.json:2:11: /base: Cannot open \"nowhere.json\""));
  CHECK(folder.Fault("number.json").message ==
        "number.json:1:10: /base: found 3; allowed: a string, the path of a file");
}

TEST_CASE("a base that is not JSON is told before fields are") {
  const ConfigFolder folder;
  folder.Write("a.json", "{\"train\": }");
  folder.Write("b.json", R"({"base": "a.json", "train": {"lr": -1}})");
  CHECK(folder.Fault("b.json").message ==
        "a.json:1:11: not JSON: found \"}\"; allowed: a value for the key \"train\"");
}

TEST_CASE("files that are no config") {
  const ConfigFolder folder;
  folder.Write("list.json", "[1, 2]");
  folder.Write("empty.json", "");
  CHECK(folder.Fault("absent.json").code == ExitCode::kMissingInput);
  CHECK(folder.Fault("").code == ExitCode::kMissingInput);
  CHECK(folder.Fault("list.json").message == "list.json:1:1: found [1, 2]; allowed: one object");
  CHECK(folder.Fault("empty.json").message ==
        "empty.json:1:1: not JSON: found nothing; allowed: an object in { }");
  folder.Write("large.json", std::string((16 << 20) + 1, ' '));
  CHECK(folder.Fault("large.json").code == ExitCode::kBadData);
}

}  // namespace
}  // namespace ssm::test
