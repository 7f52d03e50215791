// An attention mixer run for one pass.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <utility>

#include "ssm/mixers/attention.h"
#include "ssm/mixers/attention_window.h"
#include "support/numbers.h"

namespace ssm::test {

inline constexpr int64_t kRows = 2, kModel = 4;

inline AttentionOptions Window(int64_t window) {
  AttentionOptions options;
  options.heads = 2;
  auto* cache = dynamic_cast<WindowCacheOptions*>(options.cache.Select("window"));
  cache->window = window;
  return options;
}

inline AttentionOptions Full() {
  AttentionOptions options;
  options.heads = 2;
  return options;
}

inline Array<double> Draw(const Shape& shape, uint64_t seed) {
  Array<double> array(shape);
  std::ranges::copy(Numbers<double>(shape.size(), seed), array.data());
  return array;
}

inline void CheckNear(std::span<const double> a, std::span<const double> b) {
  REQUIRE(a.size() == b.size());
  double worst = 0, largest = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    worst = std::max(worst, std::abs(a[i] - b[i]));
    largest = std::max(largest, std::abs(b[i]));
  }
  CHECK(worst <= 1e-13 * largest);
}

/// A mixer at its initial parameters.
class Attentive {
 public:
  explicit Attentive(const AttentionOptions& options)
      : builder_(store_, 5),
        mixer_(options, {.d_model = kModel}, builder_),
        values_(store_),
        grads_(Shape{store_.flat_size()}) {}

  ParamView<double> View() { return values_.View(grads_.data()); }
  std::span<const double> grads() const { return grads_.flat(); }
  State<double> Fresh() const { return MakeState<double>(mixer_.Slots(), kRows); }
  const AttentionMixer<double>& mixer() const { return mixer_; }
  const ParameterStore& store() const { return store_; }

 private:
  ParameterStore store_;
  ParameterBuilder builder_;
  AttentionMixer<double> mixer_;
  Parameters<double> values_;
  Array<double> grads_;
};

/// One pass on a tape of its own.
struct Pass {
  Pass(Attentive& attentive, Array<double> input,
       TapeState<double> (*watch)(Tape<double>&, State<double>&), State<double>& before)
      : tape(Mode::kTrain, attentive.View()), x(std::move(input)) {
    watched = watch(tape, before);
    clock = MakeClock(tape, watched.steps, x.shape()[1], nullptr, nullptr);
    in = tape.Watch(x.shape(), x.data());
    out = attentive.mixer().Forward(tape, {in, &clock, {}, 1, {}}, watched.slots, {},
                                    Want::kOutputAndState);
  }
  std::span<const double> y() const { return Values(tape.value(out.y), x.size()); }
  std::span<const double> d_x() const { return Values(tape.grad(in), x.size()); }
  static std::span<const double> Values(const double* values, int64_t n) {
    return {values, static_cast<size_t>(n)};
  }

  Tape<double> tape;
  Array<double> x;
  TapeState<double> watched;
  Clock clock;
  Var<double> in;
  Outputs<double> out;
};

inline TapeState<double> Copying(Tape<double>& tape, State<double>& state) {
  return Watch(tape, state);
}

}  // namespace ssm::test
