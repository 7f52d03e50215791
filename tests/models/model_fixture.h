// Models over the leaky mixer, and ways of running them.
#pragma once

#include <string>
#include <vector>

#include "ssm/config/config_file.h"
#include "ssm/models/sequence_model.h"
#include "support/leaky_mixer.h"
#include "support/numbers.h"

namespace ssm::test {

inline const MixerRegistry& LeakyRegistry() {
  static const MixerRegistry registry = [] {
    MixerRegistry mixers;
    mixers.Add<LeakyOptions>("leaky", "a leaky integrator");
    return mixers;
  }();
  return registry;
}

/// Options from JSON, on top of two leaky layers of 6 channels.
inline ModelOptions LeakyModel(const std::vector<std::string>& overrides = {}) {
  ModelOptions options(LeakyRegistry());
  ReadConfigText(R"({"d_model": 6, "layers": 2, "block": {"mixer": {"type": "leaky"}}})",
                 "the test's model", overrides, options);
  return options;
}

/// A batch of one-channel-or-more reals and two token fields with vocabularies 4 and 3.
template <Scalar T>
struct Batch {
  Array<T> reals, dt;
  IntArray tokens, start, lengths;
  bool has_tokens = false, has_dt = false, has_start = false, has_lengths = false;

  Batch(int64_t rows, int64_t steps, int64_t channels, uint64_t seed)
      : reals(Shape{rows, steps, channels}),
        dt(Shape{rows, steps}),
        tokens(Shape{rows, steps, 2}),
        start(Shape{rows, steps}),
        lengths(Shape{rows}) {
    std::ranges::copy(Numbers<T>(reals.size(), seed), reals.data());
    const auto noise = Numbers<T>(dt.size(), seed + 1);
    for (int64_t i = 0; i < dt.size(); ++i) {
      dt[i] = T{1} + noise[static_cast<size_t>(i)] / 4;
      tokens[2 * i] = (i * 7 + 1) % 4;
      tokens[2 * i + 1] = (i * 5 + 2) % 3;
    }
    lengths.Fill(steps);
  }

  Piece<T> View() const {
    return {reals.shape()[2] > 0 ? &reals : nullptr, has_tokens ? &tokens : nullptr,
            has_dt ? &dt : nullptr, has_start ? &start : nullptr, has_lengths ? &lengths : nullptr};
  }
  /// Steps [begin, end); lengths are cut along.
  Batch Cut(int64_t begin, int64_t end) const {
    const int64_t rows = reals.shape()[0], steps = reals.shape()[1], channels = reals.shape()[2];
    Batch part(rows, end - begin, channels, 0);
    part.has_tokens = has_tokens;
    part.has_dt = has_dt;
    part.has_start = has_start;
    part.has_lengths = has_lengths;
    const auto copy = [&](const auto& from, auto& to, int64_t width) {
      for (int64_t b = 0; b < rows; ++b) {
        std::copy_n(from.data() + (b * steps + begin) * width, (end - begin) * width,
                    to.data() + b * (end - begin) * width);
      }
    };
    copy(reals, part.reals, channels);
    copy(tokens, part.tokens, 2);
    copy(dt, part.dt, 1);
    copy(start, part.start, 1);
    for (int64_t b = 0; b < rows; ++b) {
      part.lengths[b] = std::clamp<int64_t>(lengths[b] - begin, 0, end - begin);
    }
    return part;
  }
};

/// A model with parameters of its own, perturbed so that zeros and ones do not hide anything.
template <Scalar T>
struct Runner {
  SequenceModel<T> model;
  Parameters<T> params;
  Array<T> grads;
  PreparedValues<T> prepared;

  Runner(const ModelOptions& options, const ModelIo& io)
      : model(options, io, 7),
        params(model.parameters()),
        grads(Shape{model.parameters().flat_size()}),
        prepared(model) {
    for (const ParameterInfo& info : model.parameters().infos()) {
      const auto noise = Numbers<T>(info.param.shape.size(), 50);
      for (size_t i = 0; i < noise.size(); ++i) params.values(info)[i] += noise[i] / 8;
    }
    params.Touch();
  }

  /// One piece through an inference tape; `state` moves on.
  std::vector<T> Run(const Piece<T>& piece, State<T>& state, T dt_scale = 1) {
    Tape<T> tape(Mode::kInfer, params.View());
    prepared.Compute(params.View(), 64, dt_scale);
    const ModelOutputs<T> out =
        model.Forward(tape, piece, BindConstant(tape, state), prepared.Bind(tape, nullptr),
                      dt_scale, Dropout{}, Want::kOutputAndState);
    std::vector<T> y(tape.value(out.y), tape.value(out.y) + tape.shape(out.y).size());
    Read(tape, out.next, state);
    return y;
  }

  /// Forward and backward of a fresh batch, everything of y seeded with fixed numbers. Returns y.
  std::vector<T> Train(Tape<T>& tape, const Piece<T>& piece, const State<T>& state,
                       const Dropout& dropout, std::span<LayerNorms> norms,
                       std::vector<std::vector<Array<T>>>& shards, const std::vector<T>& seed) {
    grads.Fill(0);
    tape.Reset();
    prepared.Compute(params.View(grads.data()), 64, T{1});
    prepared.MakeGrads(shards[0]);
    const ModelOutputs<T> out =
        model.Forward(tape, piece, BindConstant(tape, state), prepared.Bind(tape, &shards[0]), T{1},
                      dropout, Want::kOutput, norms);
    tape.Seed(out.y, seed.data());
    tape.Backward();
    prepared.Backward(shards);
    if (!tape.Live()) return {};
    return {tape.value(out.y), tape.value(out.y) + tape.shape(out.y).size()};
  }
};

}  // namespace ssm::test
