#include "ssm/models/sequence_model.h"

#include <doctest/doctest.h>

#include <cmath>

#include "models/model_fixture.h"
#include "ssm/base/errors.h"
#include "support/allocation_counter.h"
#include "support/error_of.h"

namespace ssm {
namespace {

using test::Batch;
using test::LeakyModel;
using test::Runner;

const ModelIo kReals{.reals = 2, .tokens = {}, .outputs = 3};
const ModelIo kTokens{.reals = 0, .tokens = {{"object", 4}, {"place", 3}}, .outputs = 3};
const ModelIo kBoth{.reals = 2, .tokens = {{"object", 4}, {"place", 3}}, .outputs = 3};

/// Blocks of every make.
const std::vector<std::vector<std::string>> kVariants = {
    {},
    {"block.norm=layer", "final_norm=layer", "block.output=linear", "block.activation=silu"},
    {"block.norm=none", "final_norm=none", "block.residual=false", "block.activation=none",
     "block.output=none", "block.mlp=none"},
    {"block.mlp.gated=false", "block.mlp.activation=relu", "block.activation=tanh"},
    {"block.residual=false", "block.mixer.gated=true", "block.activation=sigmoid"},
};

template <Scalar T>
constexpr double kTolerance = std::same_as<T, float> ? 1e-4 : 1e-10;

template <Scalar T>
void CheckNear(const std::vector<T>& a, const std::vector<T>& b) {
  REQUIRE(a.size() == b.size());
  double worst = 0, largest = 1e-3;
  for (size_t i = 0; i < a.size(); ++i) {
    const double error = std::abs(static_cast<double>(a[i] - b[i]));
    if (!(error <= worst)) worst = error;
    largest = std::max(largest, std::abs(static_cast<double>(b[i])));
  }
  CHECK(worst <= kTolerance<T> * largest);
}

/// Row b, step t of y [B, T, O].
template <Scalar T>
std::vector<T> At(const std::vector<T>& y, int64_t steps, int64_t b, int64_t t) {
  const auto at = y.begin() + (b * steps + t) * 3;
  return {at, at + 3};
}

TEST_CASE("parameters carry the documented names, shapes, groups and decay") {
  SequenceModel<float> model(LeakyModel(), kBoth, 1);
  const ParameterStore& store = model.parameters();
  const auto check = [&](const char* name, const Shape& shape, bool decay) {
    CAPTURE(name);
    const ParameterInfo* info = store.Find(name);
    REQUIRE(info != nullptr);
    CHECK(info->param.shape == shape);
    CHECK(info->decay == decay);
  };
  check("encoder.reals.weight", {6, 2}, true);
  check("encoder.reals.bias", {6}, false);
  check("encoder.tokens.object.weight", {4, 6}, false);
  check("encoder.tokens.place.weight", {3, 6}, false);
  check("layers.0.norm.weight", {6}, false);
  check("layers.0.mixer.log_rate", {6}, false);
  check("layers.1.output.weight", {12, 6}, true);
  check("layers.1.output.bias", {12}, false);
  check("layers.1.mlp_norm.weight", {6}, false);
  check("layers.1.mlp.gate.weight", {12, 6}, true);
  check("layers.1.mlp.in.weight", {12, 6}, true);
  check("layers.1.mlp.out.weight", {6, 12}, true);
  check("final_norm.weight", {6}, false);
  check("readout.weight", {3, 6}, true);
  check("readout.bias", {3}, false);
  CHECK(store.Find("layers.0.mixer.log_rate")->group == "ssm");
  CHECK(store.Find("layers.2.norm.weight") == nullptr);
  CHECK(model.Slots()[1].name == "layers.1.mixer.h");
  CHECK(model.layers() == 2);
  CHECK(model.d_model() == 6);
}

TEST_CASE("initial values: bounds of linear layers, both scalars the same model") {
  SequenceModel<float> f(LeakyModel(), kReals, 1);
  SequenceModel<double> d(LeakyModel(), kReals, 1);
  CHECK(f.parameters().initial() == d.parameters().initial());
  const auto largest = [&](const char* name) {
    const Param& p = f.parameters().Find(name)->param;
    double value = 0;
    for (int64_t i = 0; i < p.shape.size(); ++i) {
      value =
          std::max(value, std::abs(f.parameters().initial()[static_cast<size_t>(p.offset + i)]));
    }
    return value;
  };
  CHECK((largest("encoder.reals.bias") > 0.2 && largest("encoder.reals.bias") <= std::sqrt(0.5)));
  CHECK((largest("readout.weight") > 0.2 && largest("readout.weight") <= std::sqrt(1.0 / 6)));
}

TEST_CASE_TEMPLATE("any split gives the same outputs and state, with starts, padding and dt", T,
                   float, double) {
  for (const auto& variant : kVariants) {
    Runner<T> runner(LeakyModel(variant), kBoth);
    Batch<T> batch(3, 9, 2, 21);
    batch.has_tokens = batch.has_dt = batch.has_start = batch.has_lengths = true;
    batch.start[9 + 4] = 1;
    batch.lengths[2] = 5;
    State<T> whole = runner.model.InitialState(3), cut = whole.Clone();
    const std::vector<T> y = runner.Run(batch.View(), whole);
    std::vector<T> pieces(y.size());
    int64_t begin = 0;
    for (int64_t length : {1, 3, 5}) {
      const Batch<T> part = batch.Cut(begin, begin + length);
      const std::vector<T> some = runner.Run(part.View(), cut);
      for (int64_t b = 0; b < 3; ++b) {
        std::copy_n(some.begin() + b * length * 3, length * 3,
                    pieces.begin() + (b * 9 + begin) * 3);
      }
      begin += length;
    }
    CHECK(whole.steps == std::vector<int64_t>{9, 5, 5});
    CHECK(whole.steps == cut.steps);
    for (int64_t b = 0; b < 3; ++b) {
      for (int64_t t = 0; t < batch.lengths[b]; ++t) CheckNear(At(pieces, 9, b, t), At(y, 9, b, t));
    }
    for (T value : y) CHECK(std::isfinite(value));
    for (size_t i = 0; i < whole.slots.size(); ++i) {
      CheckNear<T>({cut.slots[i].data.data(), cut.slots[i].data.data() + 18},
                   {whole.slots[i].data.data(), whole.slots[i].data.data() + 18});
    }
  }
}

TEST_CASE_TEMPLATE("the stepper folded over time equals Forward and allocates nothing", T, float,
                   double) {
  for (const auto& variant : kVariants) {
    for (int64_t rows : {1, 3, 11}) {
      Runner<T> runner(LeakyModel(variant), kBoth);
      Batch<T> batch(rows, 7, 2, 33);
      batch.has_tokens = batch.has_dt = batch.has_start = true;
      batch.start[3] = 1;
      State<T> whole = runner.model.InitialState(rows), stepped = whole.Clone();
      const std::vector<T> y = runner.Run(batch.View(), whole, T(2));
      const auto stepper = runner.model.MakeStepper(rows, runner.params.View(), T(2));
      std::vector<T> row_y(static_cast<size_t>(rows * 3));
      for (int64_t t = 0; t < 7; ++t) {
        const Batch<T> now = batch.Cut(t, t + 1);
        std::vector<int64_t> pos = stepped.steps;
        for (size_t b = 0; b < pos.size(); ++b) {
          if (now.start[static_cast<int64_t>(b)] != 0) pos[b] = 0;
        }
        const test::AllocationScope scope;
        stepper->Step({now.reals.data(), now.tokens.data(), now.dt.data(), pos.data()},
                      stepped.slots, row_y.data());
        CHECK(scope.count() == 0);
        for (size_t b = 0; b < pos.size(); ++b) stepped.steps[b] = pos[b] + 1;
        for (int64_t b = 0; b < rows; ++b) CheckNear(At(row_y, 1, b, 0), At(y, 7, b, t));
      }
      CHECK(stepped.steps == whole.steps);
    }
  }
}

TEST_CASE("a stepper refuses to work with parameters that changed") {
  Runner<double> runner(LeakyModel(), kReals);
  const auto stepper = runner.model.MakeStepper(1, runner.params.View(), 1);
  State<double> state = runner.model.InitialState(1);
  const double x[2] = {1, 2};
  const int64_t pos[1] = {0};
  double y[3];
  stepper->Step({x, nullptr, nullptr, pos}, state.slots, y);
  runner.params.Touch();
  CHECK_THROWS_AS(stepper->Step({x, nullptr, nullptr, pos}, state.slots, y), Error);
}

TEST_CASE("Want::kOutput gives no slots but the steps") {
  Runner<double> runner(LeakyModel(), kReals);
  const Batch<double> batch(2, 4, 2, 1);
  const State<double> state = runner.model.InitialState(2);
  Tape<double> tape(Mode::kInfer, runner.params.View());
  runner.prepared.Compute(runner.params.View(), 4, 1);
  const auto out = runner.model.Forward(tape, batch.View(), BindConstant(tape, state),
                                        runner.prepared.Bind(tape, nullptr), 1, {}, Want::kOutput);
  CHECK(out.next.slots.empty());
  CHECK(out.next.steps[1] == 4);
  CHECK(tape.shape(out.y) == Shape{2, 4, 3});
}

TEST_CASE("reals and tokens together are the sum of both encodings") {
  Runner<double> runner(
      LeakyModel({"layers=1", "block.norm=none", "block.residual=false", "block.activation=none",
                  "block.output=none", "block.mlp=none", "final_norm=none"}),
      kBoth);
  Batch<double> batch(1, 1, 2, 5);
  batch.has_tokens = true;
  State<double> state = runner.model.InitialState(1);
  runner.Run(batch.View(), state);
  const ParameterStore& store = runner.model.parameters();
  const auto value = [&](const char* name) { return runner.params.values(*store.Find(name)); };
  for (size_t d = 0; d < 6; ++d) {
    // h = a s_0 + x with a = exp(-rate dt); the state holds it.
    const double a = std::exp(-std::exp(value("layers.0.mixer.log_rate")[d]));
    const double x = value("encoder.reals.weight")[2 * d] * batch.reals[0] +
                     value("encoder.reals.weight")[2 * d + 1] * batch.reals[1] +
                     value("encoder.reals.bias")[d] +
                     value("encoder.tokens.object.weight")[6 * 1 + d] +
                     value("encoder.tokens.place.weight")[6 * 2 + d];
    CHECK(state.slots[0].data[static_cast<int64_t>(d)] ==
          doctest::Approx(a * value("layers.0.mixer.start")[d] + x).epsilon(1e-12));
  }
}

TEST_CASE("what the model takes and the batch lacks is bad data") {
  Runner<double> both(LeakyModel(), kBoth), tokens(LeakyModel(), kTokens);
  State<double> state = both.model.InitialState(1);
  Batch<double> batch(1, 2, 2, 1);
  CHECK_THROWS_AS(both.Run(batch.View(), state), Error);
  batch.has_tokens = true;
  CHECK_NOTHROW(both.Run(batch.View(), state));
  Batch<double> narrow(1, 2, 1, 1);
  narrow.has_tokens = true;
  CHECK_THROWS_AS(both.Run(narrow.View(), state), Error);
  Batch<double> longer(1, 3, 2, 1);
  Piece<double> mixed = batch.View();
  mixed.tokens = &longer.tokens;
  CHECK_THROWS_AS(both.Run(mixed, state), Error);
  batch.tokens[3] = 3;
  try {
    tokens.Run(batch.View(), state);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::kBadData);
    CHECK(std::string(error.what()).find("place") != std::string::npos);
  }
}

TEST_CASE("a model that does not fit is refused before a value is drawn, its layout is not") {
  const auto options = LeakyModel({"d_model=65536", R"(block.mlp={"expand":64})", "layers=1024"});
  CHECK(SequenceModel<float>(options, kReals, 1, InitialValues::kLayout).parameters().count() >
        int64_t{1} << 49);
  const auto thrown = test::ErrorOf([&] { SequenceModel<float>(options, kReals, 1); });
  CHECK(thrown.code == ExitCode::kRefused);
  CHECK(thrown.Says("PiB of memory and "));
}

TEST_CASE(
    "ends that start as the identity hand inputs to the layers and channels out as they are") {
  const std::vector<std::string> bare = {
      "block.norm=none",   "final_norm=none", "block.residual=true", "block.activation=none",
      "block.output=none", "block.mlp=none",  "ends=identity",       "layers=1"};
  // y = x + h, h a leaky integral of x: 2 of 6 channels hold inputs, the others stay 0.
  const SequenceModel<double> model(LeakyModel(bare), kReals, 3);
  const ParameterStore& store = model.parameters();
  const auto initial = [&](const char* name) {
    const ParameterInfo& info = *store.Find(name);
    const auto from = store.initial().begin() + info.param.offset;
    return std::vector<double>(from, from + info.param.shape.size());
  };
  CHECK(initial("encoder.reals.weight") == std::vector<double>{1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0});
  CHECK(initial("encoder.reals.bias") == std::vector<double>(6));
  CHECK(initial("readout.weight") ==
        std::vector<double>{1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0});
  CHECK(initial("readout.bias") == std::vector<double>(3));
  // The layers between start as they would otherwise.
  std::vector<std::string> drawn = bare;
  drawn[6] = "ends=drawn";
  const SequenceModel<double> other(LeakyModel(drawn), kReals, 3);
  const ParameterInfo& info = *other.parameters().Find("layers.0.mixer.log_rate");
  const auto from = other.parameters().initial().begin() + info.param.offset;
  CHECK(initial("layers.0.mixer.log_rate") == std::vector<double>(from, from + 6));

  Parameters<double> params(store);
  PreparedValues<double> prepared(model);
  prepared.Compute(params.View(), 9, 1);
  const Batch<double> batch(2, 9, 2, 5);
  Tape<double> tape(Mode::kInfer, params.View());
  const ModelOutputs<double> out =
      model.Forward(tape, batch.View(), BindConstant(tape, model.InitialState(2)),
                    prepared.Bind(tape, nullptr), 1, Dropout{}, Want::kOutputAndState);
  const std::vector<double> log_rate = initial("layers.0.mixer.log_rate");
  for (int64_t row = 0; row < 2; ++row) {
    double h[2] = {0, 0};
    for (int64_t t = row * 9; t < row * 9 + 9; ++t) {
      for (int64_t c = 0; c < 2; ++c) {
        const double x = batch.reals[2 * t + c], rate = std::exp(log_rate[static_cast<size_t>(c)]);
        h[c] = std::exp(-rate) * h[c] + x;
        CHECK(tape.value(out.y)[3 * t + c] == doctest::Approx(x + h[c]).epsilon(1e-13));
      }
      CHECK(tape.value(out.y)[3 * t + 2] == 0);
    }
  }
}

TEST_CASE("ends that cannot be the identity are refused") {
  const auto refusal = [](const ModelIo& io) {
    return test::ErrorOf([&] {
      const SequenceModel<float> model(LeakyModel({"ends=identity"}), io, 1,
                                       InitialValues::kLayout);
    });
  };
  CHECK(refusal({.reals = 6, .tokens = {}, .outputs = 6}).message.empty());
  CHECK(refusal({.reals = 1, .tokens = {}, .outputs = 1}).message.empty());
  CHECK(refusal(kTokens).Says("token field \"object\" has no channel of its own"));
  CHECK(refusal(kBoth).code == ExitCode::kBadConfig);
  CHECK(refusal({.reals = 7, .tokens = {}, .outputs = 1}).Says("7 real inputs and 1 output"));
  CHECK(refusal({.reals = 1, .tokens = {}, .outputs = 9}).Says("set model.d_model to 9 or more"));
}

TEST_CASE("a tied readout reads with the table that encodes, and can be refused") {
  // x = norm(table[id]) passes a block of rate 1 whose mixer and mlp add little; y = x table^T.
  const ModelIo ids{.reals = 0, .tokens = {{"word", 5}}, .outputs = 5};
  const std::vector<std::string> tied = {
      "readout=tied",      "encoder_norm=rms",    "final_norm=none",
      "block.norm=none",   "block.residual=true", "block.activation=none",
      "block.output=none", "block.mlp=none",      "layers=1"};
  const SequenceModel<double> model(LeakyModel(tied), ids, 3);
  const ParameterStore& store = model.parameters();
  CHECK(store.Find("readout.weight") == nullptr);
  CHECK(store.Find("readout.bias") == nullptr);
  CHECK(store.Find("encoder.norm.weight")->param.shape == Shape{6});

  Parameters<double> params(store);
  PreparedValues<double> prepared(model);
  prepared.Compute(params.View(), 1, 1);
  IntArray tokens(Shape{1, 1, 1});
  tokens[0] = 2;
  const Piece<double> piece{.tokens = &tokens};
  Tape<double> tape(Mode::kInfer, params.View());
  const ModelOutputs<double> out =
      model.Forward(tape, piece, BindConstant(tape, model.InitialState(1)),
                    prepared.Bind(tape, nullptr), 1, Dropout{}, Want::kOutput);
  const double* table =
      store.initial().data() + store.Find("encoder.tokens.word.weight")->param.offset;
  double square = 0;
  for (int64_t c = 0; c < 6; ++c) square += table[12 + c] * table[12 + c] / 6;
  for (int64_t o = 0; o < 5; ++o) {
    double y = 0;  // x + h with h = x after one token: 2 x
    for (int64_t c = 0; c < 6; ++c) {
      y += 2 * table[12 + c] / std::sqrt(square + 1e-5) * table[6 * o + c];
    }
    CHECK(tape.value(out.y)[o] == doctest::Approx(y).epsilon(1e-12));
  }

  const auto refusal = [](const ModelIo& io) {
    return test::ErrorOf([&] {
      const SequenceModel<float> refused(LeakyModel({"readout=tied"}), io, 1,
                                         InitialValues::kLayout);
    });
  };
  CHECK(refusal(kTokens).code == ExitCode::kBadConfig);
  CHECK(refusal(kReals).Says("no token field and 3 outputs"));
  CHECK(refusal({.reals = 0, .tokens = {{"word", 5}}, .outputs = 4})
            .Says("token field \"word\" of 5 ids and 4 outputs"));
}

}  // namespace
}  // namespace ssm
