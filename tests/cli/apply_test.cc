// apply: a run over arrays of a person's own.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>

#include "cli/tiny_experiment.h"
#include "cli/tiny_run.h"
#include "ssm/cli/run_cli.h"
#include "ssm/experiment/run_directory.h"
#include "ssm/io/npy.h"
#include "ssm/io/safetensors.h"
#include "ssm/training/initial_values.h"

using namespace ssm;
using nlohmann::json;
using ssm::test::JsonOf;
using ssm::test::Outcome;
using ssm::test::RunSsmctl;
using ssm::test::Tiny;

namespace {

using Words = std::vector<std::string>;

constexpr const char* kTinyRecall = R"({
  "name": "tiny_recall", "seed": 3, "dtype": "float64",
  "task": {"type": "delayed_recall", "signal": "symbols", "symbols": 5, "delay": 3, "steps": 16},
  "model": {"d_model": 4, "layers": [{}, {"mixer": {"type": "gru"}}],
            "block": {"mixer": {"type": "attention", "heads": 2}}},
  "train": {"steps": 4, "batch": 4, "warmup": 1, "eval_every": 4, "checkpoint_every": 4, "eval_examples": 8}
})";

Array<double> Waves(const Shape& shape) {
  Array<double> x(shape);
  for (int64_t i = 0; i < x.size(); ++i) x[i] = std::sin(0.7 * static_cast<double>(i * i % 101));
  return x;
}

IntArray Ids(const Shape& shape, int64_t vocabulary) {
  IntArray ids(shape);
  for (int64_t i = 0; i < ids.size(); ++i) ids[i] = (i * i + 3 * i) % vocabulary;
  return ids;
}

/// Rows [B, from:to, ...] of [B, T, ...].
template <class E>
Array<E> Cut(const Array<E>& x, int64_t from, int64_t to) {
  const int64_t rows = x.shape()[0], steps = x.shape()[1], width = x.size() / (rows * steps);
  Array<E> part(x.shape().rank() == 2 ? Shape{rows, to - from} : Shape{rows, to - from, width});
  for (int64_t b = 0; b < rows; ++b) {
    std::copy_n(x.data() + (b * steps + from) * width, (to - from) * width,
                part.data() + b * (to - from) * width);
  }
  return part;
}

/// The answers of the run's best checkpoint, one token at a time through the library's stepper.
template <Scalar T>
Array<T> StepByStep(const std::string& run, const Array<double>* reals, const IntArray* ids) {
  const Catalogue catalogue = LibraryCatalogue();
  const RunDirectory folder = RunDirectory::Open(run);
  const Experiment experiment = ReadRunExperiment(folder, {}, catalogue.mixers, catalogue.tasks);
  const auto model = MakeModel<T>(*experiment.config);
  Parameters<T> parameters(model->parameters());
  ReadValues<T>(run, FindValues(run, "BEST"), parameters);
  const Shape& shape = reals != nullptr ? reals->shape() : ids->shape();
  const int64_t rows = shape[0], steps = shape[1], outputs = model->io().outputs;
  const int64_t width = shape.size() / (rows * steps);
  const auto stepper = model->MakeStepper(rows, parameters.View(), T{1});
  State<T> state = model->InitialState(rows);
  Array<T> y(Shape{rows, steps, outputs});
  for (int64_t t = 0; t < steps; ++t) {
    std::vector<T> x;
    std::vector<int64_t> tokens;
    for (int64_t b = 0; b < rows; ++b) {
      for (int64_t c = 0; c < width; ++c) {
        const int64_t at = (b * steps + t) * width + c;
        if (reals != nullptr) x.push_back(static_cast<T>((*reals)[at]));
        if (ids != nullptr) tokens.push_back((*ids)[at]);
      }
    }
    std::vector<T> token(static_cast<size_t>(rows * outputs));
    state.Reserve(1);
    stepper->Step({.x = x.data(), .tokens = tokens.data(), .pos = state.steps.data()}, state.slots,
                  token.data());
    for (int64_t b = 0; b < rows; ++b) {
      ++state.steps[static_cast<size_t>(b)];
      std::copy_n(token.data() + b * outputs, outputs, y.data() + (b * steps + t) * outputs);
    }
  }
  return y;
}

template <Scalar T>
void CheckBits(const AnyArray& found, const Array<T>& expected) {
  REQUIRE(std::holds_alternative<Array<T>>(found));
  REQUIRE(ShapeOf(found).size() == expected.size());
  CHECK(std::memcmp(std::get<Array<T>>(found).data(), expected.data(),
                    static_cast<size_t>(expected.bytes())) == 0);
}

template <Scalar T>
void CheckClose(const AnyArray& found, const Array<T>& expected, double tolerance) {
  REQUIRE(std::holds_alternative<Array<T>>(found));
  REQUIRE(ShapeOf(found) == expected.shape());
  double worst = 0;
  for (int64_t i = 0; i < expected.size(); ++i) {
    const double value = static_cast<double>(expected[i]);
    worst = std::max(worst, std::abs(static_cast<double>(std::get<Array<T>>(found)[i]) - value) /
                                (1 + std::abs(value)));
  }
  CHECK(worst <= tolerance);
}

/// A trained run and the arrays around it.
struct Applied : Tiny {
  explicit Applied(const char* text) : Tiny(text) {
    Train();
    x = folder / "x.npy";
    y = folder / "y.npy";
  }
  json Apply(const Words& more) const {
    Words words = {"apply", run, "--input", x, "--output", y, "--json", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    return JsonOf(words);
  }
  std::string x, y;
};

}  // namespace

TEST_CASE("a run's answers to an array are those of its stepper, for any chunk") {
  const Applied tiny(test::kTinyTrack);
  const Array<double> x = Waves(Shape{2, 23, 1});
  WriteNpy(tiny.x, x.Clone());
  const Array<float> expected = StepByStep<float>(tiny.run, &x, nullptr);
  const json streamed = tiny.Apply({"--chunk", "1"});
  CheckBits(ReadNpy(tiny.y), expected);
  CHECK(ShapeOf(ReadNpy(tiny.y)) == Shape{2, 23, 1});
  CHECK(streamed["mode"] == "step");
  CHECK(streamed["step"] == 8);
  CHECK(streamed["output"] == json({2, 23, 1}));
  for (const char* chunk : {"0", "2", "7", "100"}) {
    CAPTURE(chunk);
    CHECK(tiny.Apply({"--chunk", chunk})["mode"] == "forward");
    CheckClose(ReadNpy(tiny.y), expected, 1e-5);
  }
  tiny.Apply({});
  CheckClose(ReadNpy(tiny.y), expected, 1e-5);

  // One sequence needs no axis of rows; its answers are those of the first row.
  const Array<double> first = Cut(x, 0, 23);
  Array<double> alone(Shape{23, 1});
  std::copy_n(first.data(), 23, alone.data());
  WriteNpy(tiny.x, std::move(alone));
  CHECK(tiny.Apply({"--chunk", "1"})["output"] == json({23, 1}));
  REQUIRE(ShapeOf(ReadNpy(tiny.y)) == Shape{23, 1});
  Array<float> row(Shape{23, 1});
  std::copy_n(expected.data(), 23, row.data());
  CheckClose(ReadNpy(tiny.y), row, 1e-5);
}

TEST_CASE("ids, growing caches and recurrent layers go on from a state file") {
  const Applied tiny(kTinyRecall);
  const IntArray ids = Ids(Shape{3, 19}, 5);
  WriteNpy(tiny.x, ids.Clone());
  const Array<double> expected = StepByStep<double>(tiny.run, nullptr, &ids);
  tiny.Apply({"--chunk", "1"});
  CheckBits(ReadNpy(tiny.y), expected);
  tiny.Apply({"--chunk", "0"});
  CheckClose(ReadNpy(tiny.y), expected, 1e-12);

  const std::string state = tiny.folder / "state.safetensors";
  for (const std::string chunk : {"1", "4", "0"}) {
    CAPTURE(chunk);
    WriteNpy(tiny.x, Cut(ids, 0, 8));
    const json before = tiny.Apply({"--chunk", chunk, "--state-out", state});
    // Keys and values of 4 channels, 8 tokens and 3 rows, and the gru's state.
    CHECK(before["state_bytes_live"] == 8 * 3 * (8 * 2 * 4 + 4));
    const int64_t early = FileSize(state);
    WriteNpy(tiny.x, Cut(ids, 8, 19));
    tiny.Apply({"--chunk", chunk, "--state-in", state, "--state-out", state});
    const Array<double> rest = Cut(expected, 8, 19);
    if (chunk == "1") {
      CheckBits(ReadNpy(tiny.y), rest);
    } else {
      CheckClose(ReadNpy(tiny.y), rest, 1e-12);
    }
    // Eleven more keys and values a row, and nothing else but blanks of the header.
    const int64_t grown = FileSize(state) - early - 8 * 3 * 11 * 2 * 4;
    CHECK(grown >= 0);
    CHECK(grown <= 64);
  }
}

TEST_CASE("states along the way are those an application would have ended with") {
  const Applied tiny(kTinyRecall);
  const IntArray ids = Ids(Shape{2, 11}, 5);
  WriteNpy(tiny.x, ids.Clone());
  const std::string states = tiny.folder / "states", state = tiny.folder / "state";
  const json all = tiny.Apply({"--chunk", "1", "--states", states, "--every", "4"});
  CHECK(all["states"] == 2);
  const TensorFile stacked = ReadSafetensors(states);
  CHECK(std::get<IntArray>(stacked.Find("steps")->values)[3] == 8);
  WriteNpy(tiny.x, Cut(ids, 0, 4));
  tiny.Apply({"--chunk", "1", "--state-out", state});
  const TensorFile one = ReadSafetensors(state);
  const auto& h = std::get<Array<double>>(stacked.Find("layers.1.mixer.h")->values);
  const auto& h4 = std::get<Array<double>>(one.Find("layers.1.mixer.h")->values);
  CHECK(h.shape() == Shape{2, 2, 4});
  CHECK(std::equal(h4.data(), h4.data() + h4.size(), h.data()));
  const std::string keys = [&] {
    for (const NamedTensor& tensor : one.tensors) {
      if (tensor.name.starts_with("layers.0.mixer.") && !tensor.name.ends_with(".entries")) {
        return tensor.name;
      }
    }
    return std::string();
  }();
  CAPTURE(keys);
  const auto& k = std::get<Array<double>>(stacked.Find(keys)->values);
  const auto& k4 = std::get<Array<double>>(one.Find(keys)->values);
  REQUIRE(k.shape()[0] == 2);  // samples
  REQUIRE(k.shape()[1] == 2);  // rows
  REQUIRE(k.shape()[2] == 8);  // entries of the last
  const int64_t entry = k.size() / (2 * 2 * 8);
  REQUIRE(k4.size() == 2 * 4 * entry);
  for (int64_t b = 0; b < 2; ++b) {
    const double* row = k.data() + b * 8 * entry;
    CHECK(std::equal(row, row + 4 * entry, k4.data() + b * 4 * entry));
    CHECK(std::all_of(row + 4 * entry, row + 8 * entry, [](double v) { return v == 0; }));
  }
}

TEST_CASE("codes along the way are bytes, and entries are counted as in a state's own file") {
  const Applied tiny(R"({
  "name": "tiny_codes", "seed": 3, "dtype": "float32",
  "task": {"type": "delayed_recall", "signal": "symbols", "symbols": 5, "delay": 3, "steps": 16},
  "model": {"d_model": 4, "layers": [{}, {"mixer": {"type": "attention", "heads": 2,
                                         "cache": {"type": "window", "window": 6}}}],
            "block": {"mixer": {"type": "attention", "heads": 2, "cache": {"type": "int8"}}}},
  "train": {"steps": 4, "batch": 4, "warmup": 1, "eval_every": 4, "checkpoint_every": 4, "eval_examples": 8}
})");
  const IntArray ids = Ids(Shape{2, 8}, 5);
  WriteNpy(tiny.x, ids.Clone());
  const std::string states = tiny.folder / "states", state = tiny.folder / "state";
  tiny.Apply({"--chunk", "1", "--states", states, "--every", "4"});
  const TensorFile stacked = ReadSafetensors(states);
  for (const int64_t n : {0, 1}) {
    CAPTURE(n);
    WriteNpy(tiny.x, Cut(ids, 0, 4 * (n + 1)));
    tiny.Apply({"--chunk", "1", "--state-out", state});
    const TensorFile one = ReadSafetensors(state);
    int codes = 0, counts = 0;
    REQUIRE(one.tensors.size() == stacked.tensors.size());
    for (const NamedTensor& tensor : one.tensors) {
      CAPTURE(tensor.name);
      const NamedTensor* all = stacked.Find(tensor.name);
      REQUIRE(all != nullptr);
      CHECK(all->dtype == tensor.dtype);
      codes += tensor.dtype == DType::kI8 ? 1 : 0;
      if (!tensor.name.ends_with(".entries")) continue;
      ++counts;
      const auto& kept = std::get<IntArray>(all->values);
      REQUIRE(kept.shape() == Shape{2, 2});
      CHECK(std::equal(kept.data() + 2 * n, kept.data() + 2 * n + 2,
                       std::get<IntArray>(tensor.values).data()));
    }
    CHECK(codes >= 1);
    CHECK(counts >= 2);
  }
  int growing = 0;
  for (const NamedTensor& tensor : stacked.tensors) {
    if (!tensor.name.starts_with("layers.0.") || !tensor.name.ends_with(".entries")) continue;
    ++growing;
    const auto& kept = std::get<IntArray>(tensor.values);
    CHECK(std::vector<int64_t>(kept.data(), kept.data() + 4) == std::vector<int64_t>{4, 4, 8, 8});
  }
  CHECK(growing >= 1);
}

TEST_CASE("arrays and states that do not fit are refused, and nothing is written") {
  const Applied tiny(test::kTinyTrack);
  const Applied ids(kTinyRecall);
  const auto refused = [](const Applied& run, const AnyArray& x, int code, const std::string& says,
                          Words more = {}) {
    WriteNpy(run.x, x);
    RemoveTree(run.y);
    const std::vector<std::string> before = ListDirectory(run.folder.path());
    Words words = {"apply", run.run, "--input", run.x, "--output", run.y};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = RunSsmctl(words);
    CAPTURE(says);
    CAPTURE(outcome.err);
    CHECK(outcome.code == code);
    CHECK(outcome.err.find(says) != std::string::npos);
    CHECK(ListDirectory(run.folder.path()) == before);
  };
  refused(tiny, Waves(Shape{4, 2}), 65,
          "has shape [4, 2], and this model takes real numbers, [T, 1]");
  refused(tiny, Waves(Shape{4}), 65, "has shape [4]");
  refused(tiny, Waves(Shape{2, 0, 1}), 65, "has shape [2, 0, 1]: there is no token in it");
  refused(tiny, Ids(Shape{4, 1}, 3), 65, "holds integers, and this model takes real numbers");
  refused(ids, Waves(Shape{4}), 65,
          "holds real numbers, and this model takes ids (\"symbol\" from 0 to 4)");
  refused(ids, Ids(Shape{2, 2, 2}, 5), 65, "has shape [2, 2, 2]");
  Array<double> nan = Waves(Shape{2, 9000, 1});
  nan[9000 + 8500] = std::nan("");
  refused(tiny, nan.Clone(), 65, "x.npy\": element [1, 8500, 0] is nan; only finite");
  nan[9000 + 8500] = 1e300;
  refused(tiny, std::move(nan), 65, "[1, 8500, 0] is 1e+300, beyond the largest float32");
  IntArray large = Ids(Shape{2, 6}, 5);
  large[8] = 5;
  refused(ids, large.Clone(), 65, "element [1, 2] is 5; ids of \"symbol\" go from 0 to 4");
  large[8] = -1;
  refused(ids, std::move(large), 65, "element [1, 2] is -1;");

  const std::string state = tiny.folder / "state";
  WriteNpy(tiny.x, Waves(Shape{2, 5, 1}));
  tiny.Apply({"--state-out", state});
  const Words go_on = {"--state-in", state};
  refused(tiny, Waves(Shape{3, 5, 1}), 65, "is the state of 2 rows", go_on);
  refused(ids, Ids(Shape{2, 5}, 5), 65, "is the state of another model", go_on);
  refused(tiny, Waves(Shape{2, 5, 1}), 65, "is no state of \"ssmctl apply\"",
          {"--state-in", tiny.run + "/checkpoints/step-00000008/model.safetensors"});
  refused(tiny, Waves(Shape{2, 5, 1}), 66, "none", {"--state-in", tiny.folder / "none"});
  refused(tiny, Waves(Shape{2, 5, 1}), 64, "--states needs to know how often",
          {"--states", tiny.folder / "states"});
  refused(tiny, Waves(Shape{2, 5, 1}), 64, "--every 6 finds no state to keep",
          {"--states", tiny.folder / "states", "--every", "6"});
  refused(tiny, Waves(Shape{2, 5, 1}), 64, "--output and --state-out both name",
          {"--state-out", tiny.y});
  refused(tiny, Waves(Shape{2, 5, 1}), 64, "--input and --states both name",
          {"--states", tiny.x, "--every", "1"});
  refused(tiny, Waves(Shape{2, 5, 1}), 66, "no checkpoint of step 7", {"--checkpoint", "7"});
  refused(tiny, Waves(Shape{2, 5, 1}), 73, "Cannot create",
          {"--state-out", tiny.folder / "no/such"});
  CHECK(RunSsmctl({"apply", tiny.run, "--input", tiny.folder / "none", "--output", tiny.y}).code ==
        66);
  CHECK(RunSsmctl({"apply", tiny.folder / "none", "--input", tiny.x, "--output", tiny.y}).code ==
        66);
  CHECK(RunSsmctl({"apply", tiny.run, "--input", tiny.x}).code == 64);
}
