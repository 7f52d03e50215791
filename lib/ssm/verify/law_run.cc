#include "ssm/verify/law_run.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "ssm/base/errors.h"

namespace ssm {
namespace {

/// Calls body(offset, count) for each row's live entries in an array shaped like the slot.
template <Scalar T, class Body>
void ForLive(const State<T>& state, size_t i, const Shape& shape, Body body) {
  const Slot<T>& slot = state.slots[i];
  const bool fixed = slot.spec.kind == SlotKind::kFixed;
  const int64_t entry = slot.spec.entry.size();
  const int64_t row = entry * (fixed ? 1 : shape[1]);
  for (int64_t b = 0; b < state.rows(); ++b) {
    const int64_t steps = state.steps[static_cast<size_t>(b)];
    if (steps > 0) body(b * row, entry * slot.LiveEntries(steps));
  }
}

/// Rows [from, from + n) of time of `whole` [B, T, width], contiguous.
template <Scalar T>
Array<T> TimeSlice(const Array<T>& whole, int64_t from, int64_t n) {
  const int64_t rows = whole.shape()[0], steps = whole.shape()[1], width = whole.shape()[2];
  Array<T> slice(Shape{rows, n, width});
  for (int64_t b = 0; b < rows; ++b) {
    std::copy_n(whole.data() + (b * steps + from) * width, n * width, slice.data() + b * n * width);
  }
  return slice;
}

template <Scalar T>
void PutTime(const T* piece, int64_t from, int64_t n, Array<T>& whole) {
  const int64_t rows = whole.shape()[0], steps = whole.shape()[1], width = whole.shape()[2];
  for (int64_t b = 0; b < rows; ++b) {
    std::copy_n(piece + b * n * width, n * width, whole.data() + (b * steps + from) * width);
  }
}

template <Scalar T>
void ClearPadding(const LawBatch<T>& batch, Array<T>& y) {
  const int64_t width = y.shape()[2];
  for (int64_t b = 0; b < batch.rows; ++b) {
    for (int64_t t = 0; t < batch.steps; ++t) {
      if (!batch.Real(b, t)) std::fill_n(y.data() + (b * batch.steps + t) * width, width, T{0});
    }
  }
}

template <Scalar T>
bool UsedFft(const Tape<T>& tape) {
  for (int64_t i = 0; i < tape.ops(); ++i) {
    if (std::strstr(tape.op_name(i), "fft") != nullptr) return true;
  }
  return false;
}

/// Values that depend on parameters only, on a tape of their own, with one gradient buffer each.
template <Scalar T>
struct PreparedTape {
  PreparedTape(const LawSubject<T>& subject, Mode mode, ParamView<T> params, int64_t longest,
               T dt_scale)
      : tape(mode, params), values(tape.NewVars(subject.PreparedCount())) {
    subject.Prepare(tape, longest, dt_scale, values);
    for (Var<T> value : values) grads.emplace_back(tape.shape(value));
  }
  Prepared<T> Bind(Tape<T>& into) {
    Prepared<T> bound = into.NewVars(static_cast<int64_t>(values.size()));
    for (size_t i = 0; i < values.size(); ++i) {
      T* grad = into.mode() == Mode::kTrain ? grads[i].data() : nullptr;
      bound[i] = into.Bind(tape.shape(values[i]), tape.value(values[i]), grad);
    }
    return bound;
  }
  void Backward() {
    for (size_t i = 0; i < values.size(); ++i) tape.Seed(values[i], grads[i].data());
    tape.Backward();
  }

  Tape<T> tape;
  std::span<Var<T>> values;
  std::vector<Array<T>> grads;
};

/// One piece of a walk, alive until its backward has run.
template <Scalar T>
struct PieceTape {
  PieceTape(ParamView<T> params, LawBatch<T> b, State<T> s, int64_t first)
      : tape(Mode::kTrain, params), batch(std::move(b)), state(std::move(s)), from(first) {}
  Tape<T> tape;
  LawBatch<T> batch;
  State<T> state;
  int64_t from;  // its first token in the whole
  TapeState<T> watched;
  LawOutputs<T> out;
};

template <Scalar T>
std::vector<Array<T>> StateGradients(const PieceTape<T>& piece) {
  std::vector<Array<T>> grads(piece.state.slots.size());
  for (size_t i = 0; i < grads.size(); ++i) {
    const Slot<T>& slot = piece.state.slots[i];
    if (!slot.spec.differentiable) continue;
    grads[i] = Array<T>(slot.data.shape());
    const T* grad = piece.tape.grad(piece.watched.slots[i]);
    if (grad != nullptr) std::copy_n(grad, grads[i].size(), grads[i].data());
  }
  return grads;
}

/// An array shaped like a slot, given another capacity: runs that end alike may have different room
/// in a growing slot.
template <Scalar T>
Array<T> WithRoomOf(const Array<T>& slot, const Shape& shape) {
  Array<T> fitted(shape);
  const int64_t rows = std::max<int64_t>(shape[0], 1);
  const int64_t from = slot.size() / rows, to = fitted.size() / rows;
  for (int64_t b = 0; b < shape[0]; ++b) {
    std::copy_n(slot.data() + b * from, std::min(from, to), fitted.data() + b * to);
  }
  return fitted;
}

template <Scalar T>
using Walk = std::vector<std::unique_ptr<PieceTape<T>>>;

/// Backward from the last piece to the first; fills d_x and d_state.
template <Scalar T>
void WalkBack(Walk<T>& walk, const Cotangents<T>& cotangents, Trace<T>& trace) {
  const std::vector<Array<T>>* d_next = &cotangents.state;
  for (size_t c = walk.size(); c-- > 0;) {
    PieceTape<T>& piece = *walk[c];
    const int64_t n = piece.batch.steps;
    const Array<T> d_y = TimeSlice(cotangents.y, piece.from, n);
    piece.tape.Seed(piece.out.y, d_y.data());
    for (size_t i = 0; i < piece.out.next.slots.size(); ++i) {
      const Var<T> slot = piece.out.next.slots[i];
      if ((*d_next)[i].size() == 0) continue;
      piece.tape.Seed(slot, WithRoomOf((*d_next)[i], piece.tape.shape(slot)).data());
    }
    piece.tape.Backward();
    if (!piece.out.x) {
      trace.d_x = {};
    } else if (const T* d_x = piece.tape.grad(piece.out.x)) {
      PutTime(d_x, piece.from, n, trace.d_x);
    }
    trace.d_state = StateGradients(piece);
    d_next = &trace.d_state;
  }
}

}  // namespace

template <Scalar T>
std::vector<T> LiveValues(const State<T>& state, size_t slot, const Array<T>& data) {
  std::vector<T> values;
  ForLive(state, slot, data.shape(), [&](int64_t offset, int64_t count) {
    values.insert(values.end(), data.data() + offset, data.data() + offset + count);
  });
  return values;
}

template <Scalar T>
Cotangents<T> DrawCotangents(const LawBatch<T>& batch, const Trace<T>& trace, uint64_t seed) {
  Random random(seed, RandomStream::kLaw, 1);
  Cotangents<T> cotangents;
  cotangents.y = DrawNormal<T>(trace.y.shape(), random);
  ClearPadding(batch, cotangents.y);
  for (size_t i = 0; i < trace.state.slots.size(); ++i) {
    Array<T> weights(trace.state.slots[i].data.shape());
    ForLive(trace.state, i, weights.shape(), [&](int64_t offset, int64_t count) {
      for (int64_t k = 0; k < count; ++k) weights[offset + k] = static_cast<T>(random.Normal());
    });
    cotangents.state.push_back(std::move(weights));
  }
  return cotangents;
}

template <Scalar T>
State<T> Runner<T>::Fresh(int64_t rows) const {
  return MakeState<T>(subject->Slots(), rows);
}

template <Scalar T>
State<T> Runner<T>::Warm(int64_t rows, Random& random) const {
  int64_t longest_ring = 0;
  for (const SlotSpec& slot : subject->Slots()) {
    if (slot.kind == SlotKind::kRing) longest_ring = std::max(longest_ring, slot.entries);
  }
  const int64_t steps = 2 + random.Below(std::min<int64_t>(2 * longest_ring + 12, 200));
  LawBatch<T> batch = DrawBatch<T>(subject->io(), {.rows = rows, .steps = steps}, random);
  batch.lengths = IntArray(Shape{rows});
  for (int64_t b = 1; b < rows; ++b) batch.lengths[b] = b == 1 ? 1 + random.Below(steps) : steps;
  State<T> state = Whole(batch, Fresh(rows)).state;
  for (Slot<T>& slot : state.slots) {
    if (slot.spec.kind != SlotKind::kFixed) continue;
    std::fill_n(slot.data.data(), slot.spec.entry.size(), T{7});
  }
  return state;
}

template <Scalar T>
Trace<T> Runner<T>::Whole(const LawBatch<T>& batch, const State<T>& initial, Mode mode,
                          Want want) const {
  PreparedTape<T> prepared(*subject, Mode::kInfer, params->View(), batch.steps, dt_scale);
  Tape<T> tape(mode, params->View());
  const LawOutputs<T> out = subject->Forward(tape, batch, BindConstant(tape, initial),
                                             prepared.Bind(tape), dt_scale, want);
  Trace<T> trace;
  trace.y = Array<T>(tape.shape(out.y));
  std::copy_n(tape.value(out.y), trace.y.size(), trace.y.data());
  ClearPadding(batch, trace.y);
  trace.state = initial.Clone();
  if (want == Want::kOutputAndState) Read(tape, out.next, trace.state);
  trace.used_fft = UsedFft(tape);
  return trace;
}

template <Scalar T>
Trace<T> Runner<T>::Pieces(const LawBatch<T>& batch, const State<T>& initial,
                           const std::vector<int64_t>& pieces, const Cotangents<T>& cotangents,
                           Want last) const {
  Trace<T> trace;
  trace.has_gradients = true;
  trace.d_params = Array<T>(Shape{subject->store().flat_size()});
  trace.d_x = Array<T>(batch.x.shape());
  trace.y = Array<T>(Shape{batch.rows, batch.steps, subject->io().outputs});
  trace.state = initial.Clone();
  const ParamView<T> view = params->View(trace.d_params.data());
  PreparedTape<T> prepared(*subject, Mode::kTrain, view, batch.steps, dt_scale);

  Walk<T> walk;
  int64_t from = 0;
  for (int64_t n : pieces) {
    const bool ends = from + n == batch.steps;
    PieceTape<T>& piece = *walk.emplace_back(
        std::make_unique<PieceTape<T>>(view, batch.Slice(from, n), trace.state.Clone(), from));
    piece.watched = Watch(piece.tape, piece.state);
    piece.out = subject->Forward(piece.tape, piece.batch, piece.watched, prepared.Bind(piece.tape),
                                 dt_scale, ends ? last : Want::kOutputAndState);
    PutTime(piece.tape.value(piece.out.y), from, n, trace.y);
    if (!piece.out.next.slots.empty()) Read(piece.tape, piece.out.next, trace.state);
    trace.used_fft = trace.used_fft || UsedFft(piece.tape);
    from += n;
  }
  ClearPadding(batch, trace.y);
  WalkBack(walk, cotangents, trace);
  prepared.Backward();
  return trace;
}

template <Scalar T>
Trace<T> Runner<T>::Steps(const LawBatch<T>& batch, const State<T>& initial) const {
  const auto stepper = subject->MakeStepper(batch.rows, params->View(), dt_scale);
  return Steps(*stepper, batch, initial);
}

template <Scalar T>
Trace<T> Runner<T>::Steps(Stepper<T>& stepper, const LawBatch<T>& batch,
                          const State<T>& initial) const {
  Trace<T> trace;
  trace.y = Array<T>(Shape{batch.rows, batch.steps, subject->io().outputs});
  trace.state = initial.Clone();
  std::vector<T> y(static_cast<size_t>(batch.rows * subject->io().outputs));
  for (int64_t t = 0; t < batch.steps; ++t) {
    const LawBatch<T> token = batch.Slice(t, 1);
    std::vector<int64_t>& steps = trace.state.steps;
    for (int64_t b = 0; b < batch.rows; ++b) {
      if (token.start.size() > 0 && token.start[b] != 0) steps[static_cast<size_t>(b)] = 0;
    }
    trace.state.Reserve(1);
    const StepInputs<T> in{token.x.size() > 0 ? token.x.data() : nullptr,
                           token.tokens.size() > 0 ? token.tokens.data() : nullptr,
                           token.dt.size() > 0 ? token.dt.data() : nullptr, steps.data()};
    stepper.Step(in, trace.state.slots, y.data());
    for (int64_t& n : steps) ++n;
    PutTime(y.data(), t, 1, trace.y);
  }
  return trace;
}

template <Scalar T>
void CompareTraces(LawReport& report, const LawSubject<T>& subject, const State<T>& initial,
                   const Trace<T>& a, const Trace<T>& b) {
  report.Compare<T>("y", a.y.flat(), b.y.flat());
  report.Require(a.state.steps == b.state.steps, "steps of the final state");
  for (size_t i = 0; i < b.state.slots.size(); ++i) {
    const std::string& name = b.state.slots[i].spec.name;
    report.Compare<T>("final state " + name, LiveValues(a.state, i, a.state.slots[i].data),
                      LiveValues(b.state, i, b.state.slots[i].data));
  }
  if (!a.has_gradients || !b.has_gradients) return;
  report.Compare<T>("gradient of the input", a.d_x.flat(), b.d_x.flat());
  for (size_t i = 0; i < b.d_state.size(); ++i) {
    if (b.d_state[i].size() == 0) continue;
    report.Compare<T>("gradient of initial state " + initial.slots[i].spec.name,
                      LiveValues(initial, i, a.d_state[i]), LiveValues(initial, i, b.d_state[i]));
  }
  for (const ParameterInfo& info : subject.store().infos()) {
    const size_t offset = static_cast<size_t>(info.param.offset);
    const size_t size = static_cast<size_t>(info.param.shape.size());
    report.Compare<T>("gradient of " + info.name, a.d_params.flat().subspan(offset, size),
                      b.d_params.flat().subspan(offset, size));
  }
}

#define SSM_INSTANTIATE(T)                                                                        \
  template struct Runner<T>;                                                                      \
  template std::vector<T> LiveValues(const State<T>&, size_t, const Array<T>&);                   \
  template Cotangents<T> DrawCotangents(const LawBatch<T>&, const Trace<T>&, uint64_t);           \
  template void CompareTraces(LawReport&, const LawSubject<T>&, const State<T>&, const Trace<T>&, \
                              const Trace<T>&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
