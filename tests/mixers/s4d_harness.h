// An S4D mixer with parameters of a test's choosing, run through every face it has.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ssm/mixers/s4d.h"

namespace ssm::test {

/// What a whole-sequence pass gives.
struct S4dResult {
  Array<double> y, last, kernel;
  std::map<std::string, std::vector<double>> gradients;  // by parameter, "x", "h0"
};

/// One pass and, when cotangents are given, one walk back. Missing parameters keep their initial
/// values.
struct S4dCase {
  S4dOptions options;
  int64_t channels = 1;
  std::map<std::string, std::vector<double>> parameters;
  const Array<double>* x = nullptr;   // [B, T, D]
  const Array<double>* dt = nullptr;  // [B, T] or null
  const Array<double>* h0 = nullptr;  // null: fresh
  const IntArray* start = nullptr;
  const IntArray* lengths = nullptr;
  const Array<double>* gy = nullptr;
  const Array<double>* glast = nullptr;
  double dt_scale = 1;
  Want want = Want::kOutputAndState;
};

template <class T>
class S4dHarness {
 public:
  explicit S4dHarness(const S4dCase& c)
      : builder_(store_, 7), mixer_(c.options, {c.channels, 0, 1}, builder_), values_(store_) {
    for (const auto& [name, numbers] : c.parameters) Set(name, numbers);
  }

  const S4d<T>& mixer() const { return mixer_; }
  Parameters<T>& parameters() { return values_; }
  const ParameterStore& store() const { return store_; }

  void Set(const std::string& name, const std::vector<double>& numbers) {
    std::span<T> into = values_.values(*store_.Find(name));
    for (size_t i = 0; i < into.size(); ++i) into[i] = static_cast<T>(numbers.at(i));
    values_.Touch();
  }

  S4dResult Run(const S4dCase& c) {
    const Shape shape = c.x->shape();
    std::vector<T> flat_grads(static_cast<size_t>(store_.flat_size()));
    Tape<T> tape(Mode::kTrain, values_.View(flat_grads.data()));
    const Array<T> x_value = Cast<T>(*c.x);
    State<T> state = MakeState<T>(mixer_.Slots(), shape[0]);
    if (c.h0 != nullptr) {
      state.slots[0].data = Cast<T>(*c.h0);
      std::fill(state.steps.begin(), state.steps.end(), 5);
    }
    TapeState<T> watched = Watch(tape, state);
    const Clock clock = MakeClock(tape, state.steps, shape[1], c.start, c.lengths);
    Inputs<T> in;
    in.x = tape.Watch(shape, x_value.data());
    in.clock = &clock;
    in.dt_scale = static_cast<T>(c.dt_scale);
    Array<T> dt_value;
    if (c.dt != nullptr) {
      dt_value = Cast<T>(*c.dt);
      in.dt = tape.Watch(dt_value.shape(), dt_value.data());
    }
    std::vector<Var<T>> prepared(static_cast<size_t>(mixer_.PreparedCount()));
    mixer_.Prepare(tape, shape[1], in.dt_scale, prepared);
    const Outputs<T> out = mixer_.Forward(tape, in, watched.slots, prepared, c.want);
    S4dResult result;
    result.y = Value(tape, out.y);
    if (!out.next.empty()) result.last = Value(tape, out.next[0]);
    if (prepared.size() == 3) result.kernel = Value(tape, prepared[2]);
    if (c.gy == nullptr && c.glast == nullptr) return result;
    if (c.gy != nullptr) tape.Seed(out.y, Cast<T>(*c.gy).data());
    if (c.glast != nullptr) tape.Seed(out.next[0], Cast<T>(*c.glast).data());
    tape.Backward();
    for (const ParameterInfo& info : store_.infos()) {
      const T* g = flat_grads.data() + info.param.offset;
      result.gradients[info.name] = {g, g + info.param.shape.size()};
    }
    Keep(tape, in.x, "x", &result);
    Keep(tape, watched.slots[0], "h0", &result);
    if (in.dt) Keep(tape, in.dt, "dt", &result);
    return result;
  }

 private:
  static Array<double> Value(const Tape<T>& tape, Var<T> var) {
    Array<double> copy(tape.shape(var));
    std::copy_n(tape.value(var), copy.size(), copy.data());
    return copy;
  }
  static void Keep(const Tape<T>& tape, Var<T> var, const std::string& name, S4dResult* result) {
    const T* g = tape.grad(var);
    if (g != nullptr) result->gradients[name] = {g, g + tape.shape(var).size()};
  }

  ParameterStore store_;
  ParameterBuilder builder_;
  S4d<T> mixer_;
  Parameters<T> values_;
};

/// max|a - b| / max|b|.
template <class A, class B>
double RelativeError(const A& a, const B& b) {
  double worst = 0, size = 0;
  for (size_t i = 0; i < b.size(); ++i) {
    const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    worst = difference > worst || difference != difference ? difference : worst;
    size = std::max(size, std::abs(static_cast<double>(b[i])));
  }
  return size > 0 ? worst / size : worst;
}

}  // namespace ssm::test
