#include "ssm/training/checkpoint.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "ssm/base/files.h"
#include "ssm/base/sha256.h"
#include "ssm/training/initial_values.h"
#include "support/error_of.h"
#include "support/numbers.h"
#include "support/temp_folder.h"

namespace ssm {
namespace {

/// Parameters and moments with recognisable numbers.
template <Scalar T>
struct Toy {
  explicit Toy(uint64_t seed = 1, int64_t width = 5) {
    const Init zeros = [](std::span<double>, Random&) {};
    ParameterBuilder builder(store, 1);
    builder.Add("encoder.weight", Shape{3, width}, zeros);
    builder.Scope("layers.0").Add("dt", Shape{2}, zeros, "ssm");
    parameters.emplace(store);
    optimiser.emplace(std::vector<ParameterRange>{{0, store.flat_size(), 0.1, 0}},
                      store.flat_size(), 0.9, 0.999, 1e-8);
    for (const ParameterInfo& info : store.infos()) {
      const auto numbers = test::Numbers<T>(3 * info.param.shape.size(), seed++);
      for (int64_t i = 0; i < info.param.shape.size(); ++i) {
        const size_t at = static_cast<size_t>(info.param.offset + i);
        parameters->flat()[at] = numbers[static_cast<size_t>(3 * i)];
        optimiser->m()[at] = numbers[static_cast<size_t>(3 * i + 1)];
        optimiser->v()[at] = std::abs(numbers[static_cast<size_t>(3 * i + 2)]);
      }
    }
  }
  TrainingState<T> state() { return {&*parameters, &*optimiser}; }
  bool operator==(const Toy& other) const {
    return std::ranges::equal(parameters->flat(), other.parameters->flat()) &&
           std::ranges::equal(optimiser->m(), other.optimiser->m()) &&
           std::ranges::equal(optimiser->v(), other.optimiser->v());
  }

  ParameterStore store;
  std::optional<Parameters<T>> parameters;
  std::optional<AdamW<T>> optimiser;
};

CheckpointState StateAt(int64_t step) {
  CheckpointState state;
  state.step = step;
  state.examples = 32 * step;
  state.dtype = "float32";
  state.config_hash = "0123456789abcdef";
  state.metrics_bytes = 100 * step;
  return state;
}

template <class T>
void Overwrite(const std::string& path, const T& bytes) {
  RemoveTree(path);
  WriteNewFile(path, bytes);
}

TEST_CASE_TEMPLATE("saved and loaded bit for bit", T, float, double) {
  const test::TempFolder folder;
  CheckpointStore store(folder / "checkpoints");
  Toy<T> saved(3), loaded(8);
  CheckpointState state = StateAt(200);
  state.early_stop = {200, 0.1, 3};
  state.seed_eval = 1000;
  state.extended_from = 100;
  store.Save(state, saved.state(), 3);
  std::vector<RefusedCheckpoint> refused;
  const auto found = store.LoadNewest(loaded.state(), 3, refused);
  REQUIRE(found);
  CHECK(loaded == saved);
  CHECK(refused.empty());
  CHECK(found->step == 200);
  CHECK(found->metrics_bytes == 20000);
  CHECK(found->seed_eval == 1000);
  CHECK(found->extended_from == 100);
  CHECK(found->early_stop == state.early_stop);
  CHECK(found->config_hash == state.config_hash);
  CHECK(ReadFile(folder / "checkpoints/LATEST") == "step-00000200\n");
  CHECK(ReadFile(folder / "checkpoints/BEST") == "step-00000200\n");
}

TEST_CASE("the same step gives the same bytes") {
  const test::TempFolder a, b;
  Toy<float> toy;
  CheckpointStore(a.path()).Save(StateAt(7), toy.state(), 3);
  CheckpointStore(b.path()).Save(StateAt(7), toy.state(), 3);
  const std::string name = "step-00000007/SHA256SUMS";
  CHECK(ReadFile(a / name) == ReadFile(b / name));
}

TEST_CASE("the newest are kept, and the best") {
  const test::TempFolder folder;
  CheckpointStore store(folder.path());
  Toy<float> toy;
  for (int64_t step = 1; step <= 6; ++step) {
    CheckpointState state = StateAt(step);
    state.early_stop = {std::min<int64_t>(step, 2), 0.5, 0};
    store.Save(state, toy.state(), 2);
  }
  CHECK(store.Steps() == std::vector<int64_t>{2, 5, 6});
  CHECK(ReadFile(folder / "BEST") == "step-00000002\n");
  CHECK(ReadFile(folder / "LATEST") == "step-00000006\n");
}

TEST_CASE("leftovers of a killed writer are no checkpoints and go") {
  const test::TempFolder folder;
  CheckpointStore store(folder.path());
  Toy<float> toy(4), loaded(5);
  store.Save(StateAt(3), toy.state(), 3);
  MakeDirectory(folder / "step-00000006.tmp");
  WriteNewFile(folder / "step-00000006.tmp/model.safetensors", "half");
  WriteNewFile(folder / "LATEST.12-0.tmp", "step-");
  Overwrite(folder / "LATEST", std::string("step-00000001\n"));
  std::vector<RefusedCheckpoint> refused;
  CHECK(store.LoadNewest(loaded.state(), 3, refused)->step == 3);
  CHECK(refused.empty());
  CHECK(ListDirectory(folder.path()) == std::vector<std::string>{"LATEST", "step-00000003"});
  CHECK(ReadFile(folder / "LATEST") == "step-00000003\n");
}

TEST_CASE("removals a killed writer left undone are done") {
  const test::TempFolder folder;
  CheckpointStore store(folder.path());
  Toy<float> toy;
  for (int64_t step = 1; step <= 4; ++step) store.Save(StateAt(step), toy.state(), 9);
  std::vector<RefusedCheckpoint> refused;
  store.LoadNewest(toy.state(), 2, refused);
  CHECK(store.Steps() == std::vector<int64_t>{3, 4});
}

TEST_CASE("every truncation and every flipped bit is refused, and the one before is taken") {
  const test::TempFolder folder;
  CheckpointStore store(folder.path());
  Toy<float> older(4), newer(9);
  store.Save(StateAt(10), older.state(), 3);
  store.Save(StateAt(20), newer.state(), 3);
  const std::string path = store.PathOf(20);
  int64_t damages = 0;
  for (const std::string& name : ListDirectory(path)) {
    const std::string file = JoinPath(path, name);
    const std::string whole = ReadFile(file);
    std::vector<std::string> damaged;
    for (size_t cut = 0; cut < whole.size(); cut += 1 + whole.size() / 40) {
      damaged.push_back(whole.substr(0, cut));
    }
    damaged.push_back(whole.substr(0, whole.size() - 1));
    damaged.push_back(whole + "\n");
    for (size_t bit = 0; bit < 8 * whole.size(); bit += 1 + whole.size() / 25) {
      std::string flipped = whole;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
      damaged.push_back(flipped);
    }
    for (const std::string& bytes : damaged) {
      Overwrite(file, bytes);
      Toy<float> into(1);
      const Toy<float> untouched(1);
      const auto thrown = test::ErrorOf([&] { ReadCheckpoint(path, into.state()); });
      CHECK(thrown.code == ExitCode::kBadData);
      CHECK(into == untouched);
      ++damages;
    }
    Overwrite(file, whole);
  }
  CHECK(damages > 400);

  Overwrite(JoinPath(path, "model.safetensors"), std::string("short"));
  Toy<float> into(1);
  std::vector<RefusedCheckpoint> refused;
  CHECK(store.LoadNewest(into.state(), 3, refused)->step == 10);
  CHECK(into == older);
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].path == path + ".refused");
  CHECK(refused[0].reason.find("checksum") != std::string::npos);
  CHECK(store.Steps() == std::vector<int64_t>{10});
}

TEST_CASE("a file that is missing is a checkpoint refused") {
  const test::TempFolder folder;
  CheckpointStore store(folder.path());
  Toy<double> toy(4);
  store.Save(StateAt(10), toy.state(), 3);
  RemoveTree(store.PathOf(10) + "/state.json");
  std::vector<RefusedCheckpoint> refused;
  CHECK_FALSE(store.LoadNewest(toy.state(), 3, refused));
  CHECK(refused.size() == 1);
}

/// Replaces one file of a checkpoint and its checksum: what checksums cannot catch.
void Forge(const std::string& checkpoint, const std::string& name, const std::string& bytes) {
  const std::string sums = JoinPath(checkpoint, "SHA256SUMS");
  const std::string file = JoinPath(checkpoint, name);
  std::string lines = ReadFile(sums);
  const std::string before = Sha256(ReadFile(file));
  lines.replace(lines.find(before), before.size(), Sha256(bytes));
  Overwrite(file, bytes);
  Overwrite(sums, lines);
}

TEST_CASE("forged contents with right checksums are refused") {
  const test::TempFolder folder;
  CheckpointStore store(folder.path());
  Toy<float> toy(4);
  store.Save(StateAt(10), toy.state(), 3);
  const std::string path = store.PathOf(10);
  const auto read = [&] { return test::ErrorOf([&] { ReadCheckpoint(path, toy.state()); }); };
  const std::string state = ReadFile(path + "/state.json");
  const auto forged = [&](const std::string& from, const std::string& to) {
    std::string text = state;
    text.replace(text.find(from), from.size(), to);
    Forge(path, "state.json", text);
    return read();
  };
  CHECK(forged("\"step\": 10", "\"step\": 11").Says("says step 11"));
  CHECK(forged("\"step\": 10", "\"step\": -1").code == ExitCode::kBadData);
  CHECK(forged("\"format\": 1", "\"format\": 2").Says("format"));
  CHECK(forged("\"step\": 10", "\"stop\": 10").code == ExitCode::kBadData);
  CHECK(forged("{", "[[[[[[[[[[[[[[[[").code == ExitCode::kBadData);
  Forge(path, "state.json", state);
  CHECK(read().code == ExitCode::kDone);

  toy.parameters->flat()[0] = NAN;
  RemoveTree(path);
  store.Save(StateAt(10), toy.state(), 3);
  CHECK(read().Says("encoder.weight"));
  toy.parameters->flat()[0] = 1;
  toy.optimiser->v()[1] = -1;
  RemoveTree(path);
  store.Save(StateAt(10), toy.state(), 3);
  CHECK(read().Says("negative"));
}

TEST_CASE("another precision or another model is refused, every difference listed") {
  const test::TempFolder folder;
  CheckpointStore store(folder.path());
  Toy<float> toy(4);
  store.Save(StateAt(10), toy.state(), 3);
  Toy<double> precise;
  CHECK(test::ErrorOf([&] {
          ReadCheckpoint(store.PathOf(10), precise.state());
        }).Says("type of encoder.weight"));
  Toy<float> wide(4, 6);
  const auto thrown = test::ErrorOf([&] { InitialiseFrom(store.PathOf(10), *wide.parameters); });
  CHECK(thrown.code == ExitCode::kBadData);
  CHECK(thrown.Says("shape of encoder.weight: [3, 5], wanted [3, 6]"));

  ParameterStore other;
  ParameterBuilder builder(other, 1);
  builder.Add("encoder.weight", Shape{3, 5}, [](std::span<double>, Random&) {});
  builder.Add("head", Shape{1}, [](std::span<double>, Random&) {});
  Parameters<float> parameters(other);
  const auto names = test::ErrorOf([&] { InitialiseFrom(store.PathOf(10), parameters); });
  CHECK(names.Says("missing: head [1]"));
  CHECK(names.Says("unknown: layers.0.dt [2]"));
}

TEST_CASE("parameters come from a run's best checkpoint, a checkpoint or a file, cast") {
  const test::TempFolder folder;
  CheckpointStore store(folder / "checkpoints");
  Toy<float> best(4), latest(5);
  CheckpointState state = StateAt(10);
  state.early_stop = {10, 0.5, 0};
  store.Save(state, best.state(), 3);
  state = StateAt(20);
  state.early_stop = {10, 0.5, 1};
  store.Save(state, latest.state(), 3);
  const auto first = [](const std::string& path) {
    Toy<double> into;
    InitialiseFrom(path, *into.parameters);
    return into.parameters->flat()[0];
  };
  CHECK(first(folder.path()) == static_cast<double>(best.parameters->flat()[0]));
  CHECK(first(store.PathOf(20)) == static_cast<double>(latest.parameters->flat()[0]));
  CHECK(first(store.PathOf(20) + "/model.safetensors") ==
        static_cast<double>(latest.parameters->flat()[0]));
  CHECK(FindCheckpoint(folder.path(), "LATEST") == store.PathOf(20));
  CHECK(test::ErrorOf([&] { first(folder / "nothing"); }).code == ExitCode::kMissingInput);
  const test::TempFolder empty;
  CHECK(test::ErrorOf([&] { FindCheckpoint(empty.path(), "BEST"); }).Says("neither a run"));
}

TEST_CASE("parameters are read whatever became of the moments") {
  const test::TempFolder folder;
  CheckpointStore store(folder / "checkpoints");
  Toy<float> toy(4), values(7), whole(7);
  store.Save(StateAt(3), toy.state(), 3);
  Overwrite(store.PathOf(3) + "/optimizer.safetensors", std::string("torn"));
  CHECK(ReadCheckpoint<float>(store.PathOf(3), {&*values.parameters, nullptr}).step == 3);
  CHECK(std::ranges::equal(values.parameters->flat(), toy.parameters->flat()));
  CHECK(test::ErrorOf([&] { ReadCheckpoint<float>(store.PathOf(3), whole.state()); }).code ==
        ExitCode::kBadData);
  CHECK(WholeCheckpoints(folder.path()) == std::vector<int64_t>{3});
}

TEST_CASE("a damaged checkpoint is refused with the names of whole ones") {
  const test::TempFolder folder;
  CheckpointStore store(folder / "checkpoints");
  Toy<float> toy(4), into(7);
  for (const int64_t step : {2, 4, 6}) store.Save(StateAt(step), toy.state(), 3);
  const std::string damaged = store.PathOf(6);
  Overwrite(damaged + "/model.safetensors", std::string("torn"));
  CHECK(WholeCheckpoints(folder.path()) == std::vector<int64_t>{2, 4});
  const auto read =
      test::ErrorOf([&] { ReadValues<float>(folder.path(), damaged, *into.parameters); });
  CHECK(read.code == ExitCode::kBadData);
  CHECK(read.Says("Whole are those of step 2, 4; take the newest by --checkpoint 4."));
  const auto start = test::ErrorOf([&] { InitialiseFrom(folder.path(), *into.parameters); });
  CHECK(start.Says("train.init_from=" + store.PathOf(4)));
  for (const int64_t step : {2, 4}) RemoveTree(store.PathOf(step) + "/state.json");
  CHECK(test::ErrorOf([&] {
          ReadValues<float>(folder.path(), damaged, *into.parameters);
        }).Says("ssmctl train --resume --out"));
}

TEST_CASE("a pointer that names no checkpoint is told of, and no other is taken for it") {
  const test::TempFolder folder;
  CheckpointStore store(folder / "checkpoints");
  Toy<float> toy(4);
  for (const int64_t step : {2, 4}) {
    CheckpointState state = StateAt(step);
    state.early_stop = {2, 0.5, 0};
    store.Save(state, toy.state(), 3);
  }
  for (const std::string name : {"BEST", "LATEST"}) {
    for (const char* text : {"", "garbage\n", "step-00000007\n", "../step-00000002\n"}) {
      CAPTURE(text);
      AtomicWriteFile(JoinPath(store.folder(), name), text);
      const auto thrown = test::ErrorOf([&] { FindValues(folder.path(), name); });
      CHECK(thrown.code == ExitCode::kBadData);
      CHECK(thrown.Says("/" + name));
      CHECK(thrown.Says("Whole are those of step 2, 4; take the newest by --checkpoint 4."));
    }
  }
  RemoveTree(store.folder() + "/BEST");
  const auto missing = test::ErrorOf([&] { FindValues(folder.path(), "BEST"); });
  CHECK(missing.code == ExitCode::kMissingInput);
  CHECK(missing.Says("--checkpoint 4"));
  CHECK(test::ErrorOf([&] {
          InitialiseFrom(folder.path(), *toy.parameters);
        }).Says("train.init_from=" + store.PathOf(4)));
}

TEST_CASE("of a run that was never validated the newest stands for the best") {
  const test::TempFolder folder;
  CheckpointStore store(folder / "checkpoints");
  Toy<float> toy(4);
  for (const int64_t step : {2, 4}) store.Save(StateAt(step), toy.state(), 3);
  CHECK_FALSE(Exists(store.folder() + "/BEST"));
  CHECK(FindValues(folder.path(), "BEST") == store.PathOf(4));
}

TEST_CASE("whether parameters fit is known from the layout alone") {
  const test::TempFolder folder;
  CheckpointStore store(folder / "checkpoints");
  Toy<float> toy(1), wide(1, 6);
  store.Save(StateAt(3), toy.state(), 3);
  RequireFit<float>(folder.path(), toy.store);
  const auto thrown = test::ErrorOf([&] { RequireFit<float>(folder.path(), wide.store); });
  CHECK(thrown.code == ExitCode::kBadData);
  CHECK(thrown.Says("shape of encoder.weight"));
}

}  // namespace
}  // namespace ssm
