// Any mixer at its initial parameters, run for one pass over fresh rows.
#pragma once

#include <algorithm>
#include <vector>

#include "ssm/mixers/mixer_options.h"
#include "support/numbers.h"

namespace ssm::test {

class MixerPass {
 public:
  MixerPass(const MixerOptions& options, int64_t width)
      : builder_(store_, 5),
        mixer_(options.BuildDouble({.d_model = width}, builder_)),
        values_(store_),
        grads_(Shape{store_.flat_size()}),
        width_(width) {}

  struct Result {
    std::vector<double> y;    // [T, D]
    std::vector<double> g_x;  // [T, D]: of the sum of y at the token that was asked for
    State<double> state;
  };
  /// One row x [T, D]; the gradient of what token `asked` gives.
  Result Run(const std::vector<double>& x, int64_t asked) {
    const int64_t steps = std::ssize(x) / width_;
    grads_.Fill(0);
    Tape<double> tape(Mode::kTrain, values_.View(grads_.data()));
    Result result{{}, {}, MakeState<double>(mixer_->Slots(), 1)};
    const TapeState<double> before = Watch(tape, result.state);
    const Clock clock =
        MakeClock(tape, std::span<const int64_t>(result.state.steps), steps, nullptr, nullptr);
    Inputs<double> in;
    in.x = tape.Watch({1, steps, width_}, x.data());
    in.clock = &clock;
    const std::span<Var<double>> prepared = tape.NewVars(mixer_->PreparedCount());
    mixer_->Prepare(tape, steps, 1, prepared);
    const Outputs<double> out =
        mixer_->Forward(tape, in, before.slots, prepared, Want::kOutputAndState);
    result.y.assign(tape.value(out.y), tape.value(out.y) + x.size());
    std::vector<double> seed(x.size());
    std::fill_n(seed.begin() + asked * width_, width_, 1.0);
    tape.Seed(out.y, seed.data());
    tape.Backward();
    result.g_x.assign(tape.grad(in.x), tape.grad(in.x) + x.size());
    Read(tape, {out.next, clock.after}, result.state);
    return result;
  }
  std::span<const double> Parameter(std::string_view name) const {
    return values_.values(*store_.Find(name));
  }
  std::span<const double> Gradient(std::string_view name) const {
    const Param& param = store_.Find(name)->param;
    return grads_.flat().subspan(static_cast<size_t>(param.offset),
                                 static_cast<size_t>(param.shape.size()));
  }

 private:
  ParameterStore store_;
  ParameterBuilder builder_;
  std::unique_ptr<SequenceMixer<double>> mixer_;
  Parameters<double> values_;
  Array<double> grads_;
  int64_t width_;
};

/// Tokens (rows of `width`) at which a and b differ.
inline std::vector<int64_t> Differing(const std::vector<double>& a, const std::vector<double>& b,
                                      int64_t width) {
  std::vector<int64_t> tokens;
  for (int64_t t = 0; t < std::ssize(a) / width; ++t) {
    if (!std::equal(a.begin() + t * width, a.begin() + (t + 1) * width, b.begin() + t * width)) {
      tokens.push_back(t);
    }
  }
  return tokens;
}

}  // namespace ssm::test
