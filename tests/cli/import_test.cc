// import and export: published models, as the references have them.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/published_case.h"
#include "cli/tiny_experiment.h"
#include "cli/tiny_run.h"
#include "ssm/base/files.h"
#include "ssm/io/npy.h"
#include "ssm/io/safetensors.h"

using namespace ssm;
using nlohmann::json;
using ssm::test::ErrorOfImport;
using ssm::test::JsonOf;
using ssm::test::Outcome;
using ssm::test::PublishedCase;
using ssm::test::PublishedCases;
using ssm::test::RunSsmctl;
using ssm::test::TempFolder;

namespace {

void WriteIds(const PublishedCase& reference, const std::string& path) {
  const json& ids = reference.expected["inputs"]["ids"];
  IntArray array(Shape{ids["shape"][0], ids["shape"][1]});
  for (int64_t i = 0; i < array.size(); ++i) {
    array[i] = static_cast<int64_t>(ids["data"][static_cast<size_t>(i)].get<double>());
  }
  WriteNpy(path, std::move(array));
}

/// The largest distance to the expected logits, relative to 1 + |logit|.
double WorstLogit(const PublishedCase& reference, const std::string& path) {
  const Array<double> y = ToDouble(ReadNpy(path));
  const json& logits = reference.expected["outputs"]["logits"];
  REQUIRE(y.shape() == Shape{logits["shape"][0], logits["shape"][1], logits["shape"][2]});
  double worst = 0;
  for (int64_t i = 0; i < y.size(); ++i) {
    const double wanted = logits["data"][static_cast<size_t>(i)];
    worst = std::max(worst, std::abs(y[i] - wanted) / (1 + std::abs(wanted)));
  }
  return worst;
}

/// Same names, shapes, dtypes and bytes.
void CheckSameTensors(const TensorFile& a, const TensorFile& b) {
  CHECK(a.tensors.size() == b.tensors.size());
  for (const NamedTensor& tensor : a.tensors) {
    CAPTURE(tensor.name);
    const NamedTensor* other = b.Find(tensor.name);
    REQUIRE(other != nullptr);
    CHECK(tensor.dtype == other->dtype);
    REQUIRE(ShapeOf(tensor.values) == ShapeOf(other->values));
    const auto& x = std::get<Array<float>>(tensor.values);
    const auto& y = std::get<Array<float>>(other->values);
    CHECK(std::memcmp(x.data(), y.data(), static_cast<size_t>(x.bytes())) == 0);
  }
}

NamedTensor Renamed(const NamedTensor& tensor, const std::string& name, DType dtype) {
  return {name, dtype, std::get<Array<float>>(tensor.values).Clone()};
}

/// A changed copy of a reference's file.
template <class Change>
std::string Changed(const PublishedCase& reference, const TempFolder& folder,
                    const Change& change) {
  TensorFile file = ReadSafetensors(reference.weights);
  change(file);
  WriteSafetensors(folder / "changed.safetensors", file);
  return folder / "changed.safetensors";
}

}  // namespace

TEST_CASE("published models answer as their references do, and leave as they came") {
  for (const PublishedCase& reference : PublishedCases()) {
    CAPTURE(reference.family);
    const TempFolder folder;
    const std::string ids = folder / "ids.npy", y = folder / "y.npy";
    WriteIds(reference, ids);
    for (const char* dtype : {"float32", "float64"}) {
      CAPTURE(dtype);
      const std::string run = folder / dtype;
      const json imported = JsonOf({"import", reference.family, reference.weights, "--out", run,
                                    "--dtype", dtype, "--json", "--quiet"});
      CHECK(imported["layers"] == 2);
      CHECK(imported["vocabulary"] == 11);
      for (const char* chunk : {"0", "1", "5"}) {
        CAPTURE(chunk);
        JsonOf(
            {"apply", run, "--input", ids, "--output", y, "--chunk", chunk, "--json", "--quiet"});
        CHECK(WorstLogit(reference, y) <= 1e-5);  // the weights are float32
      }
      const std::string out = folder / "out.safetensors";
      JsonOf({"export", run, "--out", out, "--json", "--quiet"});
      CheckSameTensors(ReadSafetensors(out), ReadSafetensors(reference.weights));
      CHECK(RunSsmctl({"inspect", run, "--quiet"}).code == 0);
    }
  }
}

TEST_CASE("halves come back as halves, and a copied head as a copy") {
  for (const PublishedCase& reference : PublishedCases()) {
    CAPTURE(reference.family);
    for (const DType dtype : {DType::kF16, DType::kBF16}) {
      const TempFolder folder;
      const std::string file = Changed(reference, folder, [&](TensorFile& tensors) {
        std::erase_if(tensors.tensors,
                      [&](const NamedTensor& t) { return t.name == reference.head; });
        for (NamedTensor& tensor : tensors.tensors) tensor.dtype = dtype;
        tensors.tensors.push_back(Renamed(*tensors.Find(reference.table), reference.head, dtype));
      });
      const std::string run = folder / "run", out = folder / "out";
      CHECK(JsonOf({"import", reference.family, file, "--out", run, "--json", "--quiet"})["tied"] ==
            true);
      JsonOf({"export", run, "--out", out, "--json", "--quiet"});
      CheckSameTensors(ReadSafetensors(out), ReadSafetensors(file));
      CHECK(ReadSafetensors(out).Find(reference.head)->dtype == dtype);
    }
  }
}

TEST_CASE("a head of its own is read and written") {
  for (const PublishedCase& reference : PublishedCases()) {
    CAPTURE(reference.family);
    const TempFolder folder;
    const std::string file = Changed(reference, folder, [&](TensorFile& tensors) {
      std::erase_if(tensors.tensors,
                    [&](const NamedTensor& t) { return t.name == reference.head; });
      NamedTensor head = Renamed(*tensors.Find(reference.table), reference.head, DType::kF32);
      std::get<Array<float>>(head.values)[3] += 1;
      tensors.tensors.push_back(std::move(head));
    });
    CHECK(JsonOf({"import", reference.family, file, "--out", folder / "run", "--json",
                  "--quiet"})["tied"] == false);
    JsonOf({"export", folder / "run", "--out", folder / "out", "--json", "--quiet"});
    CheckSameTensors(ReadSafetensors(folder / "out"), ReadSafetensors(file));
  }
}

namespace {

/// A name of the authors' rwkv4 as Hugging Face's conversion writes it.
std::string HuggingFaceName(std::string name) {
  const auto replace = [&](const std::string& from, const std::string& to) {
    const size_t at = name.find(from);
    if (at != std::string::npos) name.replace(at, from.size(), to);
  };
  if (name == "head.weight") return name;
  replace("emb.", "embeddings.");
  replace(".ln0.", ".pre_ln.");
  replace(".att.", ".attention.");
  replace(".ffn.", ".feed_forward.");
  for (const auto& [letter, word] :
       {std::pair{"_k", "_key"}, {"_v", "_value"}, {"_r", "_receptance"}}) {
    if (name.ends_with(std::string("time_mix") + letter)) replace(letter, word);
  }
  return "rwkv." + name;
}

}  // namespace

TEST_CASE("rwkv4 under Hugging Face's names answers the same and leaves under them") {
  const PublishedCase reference = PublishedCases().back();
  REQUIRE(reference.family == "rwkv4");
  CHECK(HuggingFaceName("blocks.1.att.time_mix_k") == "rwkv.blocks.1.attention.time_mix_key");
  CHECK(HuggingFaceName("blocks.0.ffn.key.weight") == "rwkv.blocks.0.feed_forward.key.weight");
  const TempFolder folder;
  const std::string file = Changed(reference, folder, [](TensorFile& tensors) {
    for (NamedTensor& tensor : tensors.tensors) tensor.name = HuggingFaceName(tensor.name);
  });
  const std::string run = folder / "run", ids = folder / "ids.npy", y = folder / "y.npy";
  CHECK(JsonOf({"import", "rwkv4", file, "--out", run, "--json", "--quiet"})["layers"] == 2);
  WriteIds(reference, ids);
  JsonOf({"apply", run, "--input", ids, "--output", y, "--json", "--quiet"});
  CHECK(WorstLogit(reference, y) <= 1e-5);
  JsonOf({"export", run, "--out", folder / "out", "--json", "--quiet"});
  CheckSameTensors(ReadSafetensors(folder / "out"), ReadSafetensors(file));

  // Faults are told as the file spells them; a tensor under both names is one too many.
  const std::string missing = Changed(reference, folder, [](TensorFile& tensors) {
    for (NamedTensor& tensor : tensors.tensors) tensor.name = HuggingFaceName(tensor.name);
    std::erase_if(tensors.tensors, [](const NamedTensor& tensor) {
      return tensor.name == "rwkv.blocks.1.attention.time_mix_value";
    });
  });
  CHECK(ErrorOfImport("rwkv4", missing, folder)
            .find("missing: rwkv.blocks.1.attention.time_mix_value") != std::string::npos);
  CHECK(ErrorOfImport("mamba", missing, folder).find("its names are those of rwkv4") !=
        std::string::npos);
  const std::string twice = Changed(reference, folder, [](TensorFile& tensors) {
    tensors.tensors.push_back(
        Renamed(*tensors.Find("ln_out.bias"), "rwkv.ln_out.bias", DType::kF32));
  });
  CHECK(ErrorOfImport("rwkv4", twice, folder)
            .find("one tensor under two names: ln_out.bias, rwkv.ln_out.bias") !=
        std::string::npos);
}

TEST_CASE("files that are no such model are refused with all their faults at once") {
  for (const PublishedCase& reference : PublishedCases()) {
    CAPTURE(reference.family);
    const TempFolder folder;
    const std::string file = Changed(reference, folder, [&](TensorFile& tensors) {
      tensors.tensors.erase(tensors.tensors.begin() + 1);
      tensors.tensors[2] = Renamed(tensors.tensors[2], "odd", DType::kF32);
      tensors.Add(reference.table + ".x", IntArray(Shape{2}));
    });
    const std::string error = ErrorOfImport(reference.family, file, folder);
    CHECK(error.find("missing: ") != std::string::npos);
    CHECK(error.find("missing: ", error.find("missing: ") + 1) != std::string::npos);
    CHECK(error.find("unknown: odd") != std::string::npos);
    CHECK(error.find("unknown: " + reference.table + ".x [2]") != std::string::npos);
    AtomicWriteFile(folder / "text", "no model");
    CHECK(ErrorOfImport(reference.family, folder / "text", folder).find("text") !=
          std::string::npos);
    const char* other = reference.family == "mamba" ? "rwkv4" : "mamba";
    CHECK(ErrorOfImport(other, reference.weights, folder)
              .find("its names are those of " + reference.family) != std::string::npos);
    const std::string shape = Changed(reference, folder, [&](TensorFile& tensors) {
      for (NamedTensor& tensor : tensors.tensors) {
        if (tensor.name == reference.table) tensor.values = Array<float>(Shape{11, 7});
      }
    });
    CHECK(ErrorOfImport(reference.family, shape, folder).find("shape of ") != std::string::npos);
    const std::string nan = Changed(reference, folder, [&](TensorFile& tensors) {
      std::get<Array<float>>(tensors.tensors[0].values)[1] = std::nanf("");
    });
    CHECK(ErrorOfImport(reference.family, nan, folder).find("holds nan at element 1") !=
          std::string::npos);
    CHECK(RunSsmctl({"import", reference.family, folder / "none", "--out", folder / "r"}).code ==
          66);
    CHECK(RunSsmctl({"import", reference.family, reference.weights}).code == 64);
    AtomicWriteFile(folder / "kept", "mine");
    CHECK(
        RunSsmctl({"import", reference.family, reference.weights, "--out", folder / "kept"}).code ==
        73);
    CHECK(ReadFile(folder / "kept") == "mine");
  }
}

TEST_CASE("export never writes one file over another") {
  const PublishedCase reference = PublishedCases().front();
  const TempFolder folder;
  const std::string run = folder / "run", out = folder / "out";
  JsonOf({"import", reference.family, reference.weights, "--out", run, "--json", "--quiet"});
  const auto refused = [&](const std::string& file, const std::string& config,
                           const std::string& flags) {
    CAPTURE(file);
    CAPTURE(config);
    const Outcome outcome = RunSsmctl({"export", run, "--out", file, "--config", config});
    CHECK(outcome.code == 64);
    CHECK(outcome.err.find(flags + " both name ") != std::string::npos);
    CHECK(outcome.err.find("give each a file of its own") != std::string::npos);
  };
  refused(out, out, "--out and --config");
  refused(out, folder / "./none/../out", "--out and --config");
  CHECK_FALSE(Exists(out));
  AtomicWriteFile(out, "mine");
  std::filesystem::create_symlink(out, folder / "link");
  refused(out, folder / "link", "--out and --config");
  CHECK(ReadFile(out) == "mine");
  const std::string kept = ReadFile(JoinPath(run, "config.json"));
  const std::string values = run + "/checkpoints/step-00000000/model.safetensors";
  REQUIRE(Exists(values));
  refused(run + "/config.json", folder / "c", "RUN and --out");
  refused(out, values, "RUN and --config");
  CHECK(ReadFile(JoinPath(run, "config.json")) == kept);
  // A relative name of nothing yet, spelled in two ways.
  refused("no_such_export", "./no_such_export", "--out and --config");
  CHECK_FALSE(Exists("no_such_export"));
  CHECK(RunSsmctl({"export", run, "--out", folder / "a", "--config", folder / "b"}).code == 0);
}

TEST_CASE("import never makes a run over another, and says so as import") {
  const PublishedCase reference = PublishedCases().front();
  const TempFolder folder;
  const std::vector<std::string> words = {"import", reference.family, reference.weights, "--out",
                                          folder / "run"};
  REQUIRE(RunSsmctl(words).code == 0);
  const Outcome again = RunSsmctl(words);
  CHECK(again.code == 73);
  CHECK(again.err.find("exists, and an import makes a run of its own; name another with --out.") !=
        std::string::npos);
  CHECK(again.err.find("--resume") == std::string::npos);
}

TEST_CASE("an imported run is scored and trained on ids that are named, and says so without") {
  for (const PublishedCase& reference : PublishedCases()) {
    CAPTURE(reference.family);
    const TempFolder folder;
    const std::string run = folder / "run", ids = folder / "ids.npy";
    JsonOf({"import", reference.family, reference.weights, "--out", run, "--json", "--quiet"});
    const Outcome without = RunSsmctl({"eval", run});
    CHECK(without.code == 78);
    CHECK(without.err.find("task.file is empty") != std::string::npos);
    const Outcome resumed = RunSsmctl({"train", run, "--resume"});
    CHECK(resumed.code == 78);
    CHECK(resumed.err.find("task.file is empty") != std::string::npos);
    IntArray text(Shape{4000});
    for (int64_t i = 0; i < text.size(); ++i) text[i] = i % 11;
    WriteNpy(ids, std::move(text));
    const json scored = JsonOf({"eval", run, "task.file=" + ids, "task.context=64",
                                "eval.examples=4", "--json", "--quiet"});
    CHECK(scored["cells"].size() == 1);
    AtomicWriteFile(
        folder / "more.json",
        R"({"name": "more", "task": {"type": "next_token", "vocabulary": 11, "context": 16,
                        "file": ")" +
            ids + R"("}, "model": )" +
            json::parse(ReadFile(JoinPath(run, "config.json")))["model"].dump() +
            R"(, "train": {"steps": 2, "batch": 2, "warmup": 1, "eval_every": 2,
                        "checkpoint_every": 2, "eval_examples": 2, "init_from": ")" +
            run + "\"}}");
    const std::string more = folder / "more";
    JsonOf({"train", folder / "more.json", "--out", more, "--json", "--quiet"});
    JsonOf({"export", more, "--out", folder / "trained", "--json", "--quiet"});
    CHECK(ReadSafetensors(folder / "trained").tensors.size() ==
          ReadSafetensors(reference.weights).tensors.size());
  }
}

TEST_CASE("a run of other layers has no published names") {
  test::Tiny tiny(test::kTinyTrack);
  tiny.Train();
  const Outcome outcome = RunSsmctl({"export", tiny.run, "--out", tiny.folder / "out"});
  CHECK(outcome.code == 78);
  CHECK(outcome.err.find("its layers begin with s4d, and there are names of mamba and rwkv4") !=
        std::string::npos);
  CHECK_FALSE(Exists(tiny.folder / "out"));
}

TEST_CASE("export names all that keeps a run from being a published model, and one that fits") {
  for (const PublishedCase& reference : PublishedCases()) {
    const std::string& family = reference.family;
    CAPTURE(family);
    const TempFolder folder;
    const auto trained = [&](const std::string& name, const json& model, const json& task) {
      const json config = {{"name", "lm"},
                           {"task", task},
                           {"model", model},
                           {"train",
                            {{"steps", 1},
                             {"batch", 2},
                             {"warmup", 0},
                             {"eval_every", 1},
                             {"checkpoint_every", 1},
                             {"eval_examples", 2}}}};
      AtomicWriteFile(folder / (name + ".json"), config.dump());
      JsonOf({"train", folder / (name + ".json"), "--out", folder / name, "--json", "--quiet"});
      return RunSsmctl({"export", folder / name, "--out", folder / (name + ".out")});
    };
    IntArray text(Shape{400});
    for (int64_t i = 0; i < text.size(); ++i) text[i] = i % 11;
    WriteNpy(folder / "ids.npy", std::move(text));
    const json task = {
        {"type", "next_token"}, {"vocabulary", 11}, {"context", 16}, {"file", folder / "ids.npy"}};
    // The defaults around three blocks of the family's first mixer.
    const Outcome plain =
        trained("plain",
                {{"d_model", 16}, {"layers", 3}, {"block", {{"mixer", {{"type", family}}}}}}, task);
    CHECK(plain.code == 78);
    const auto says = [&](const std::string& words) {
      CAPTURE(plain.err);
      CAPTURE(words);
      return plain.err.find(words) != std::string::npos;
    };
    const bool rwkv4 = family == "rwkv4";
    const std::string where = ", where a " + family + " model has ";
    CHECK(says("model/readout is \"linear\"" + where + "\"unbiased\""));
    CHECK(says("model/block/activation is \"gelu\"" + where + "\"none\""));
    CHECK(says("model/block/output is \"glu\"" + where + "\"none\""));
    CHECK(says("model/block/mlp is there" + where + "\"none\""));
    CHECK(says("model/block/norm is \"rms\"" + where + "\"layer\"") == rwkv4);
    CHECK(says("model/encoder_norm is \"none\"" + where + "\"layer\"") == rwkv4);
    CHECK(says("model/final_norm is \"rms\"" + where + "\"layer\"") == rwkv4);
    CHECK(says("model/layers holds 3 blocks, where each layer of a rwkv4 model is 2: rwkv4, "
               "rwkv4_channel_mix") == rwkv4);
    CHECK(says("model/layers/1/mixer/type is \"rwkv4\"" + where + "\"rwkv4_channel_mix\"") ==
          rwkv4);
    CHECK_FALSE(says("is \"" + family + "\"" + where + "\"" + family + "\""));
    CHECK_FALSE(Exists(folder / "plain.out"));
    // What the error offers can be exported.
    const std::string offer = "\"model\": ";
    REQUIRE(says(offer));
    const size_t from = plain.err.find(offer) + offer.size();
    const json model = json::parse(plain.err.substr(from, plain.err.find('\n', from) - from));
    CHECK(trained("fitting", model, task).code == 0);
  }
}
