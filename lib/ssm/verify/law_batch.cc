#include "ssm/verify/law_batch.h"

#include <algorithm>

namespace ssm {
namespace {

/// Tokens [from, from + n) of every row of [B, T, ...].
template <class E>
Array<E> SliceTime(const Array<E>& array, int64_t from, int64_t n) {
  if (array.size() == 0) return {};
  Shape shape = array.shape();
  std::vector<int64_t> axes(shape.begin(), shape.end());
  const int64_t rows = axes[0], steps = axes[1];
  axes[1] = n;
  Array<E> slice(Shape(axes.data(), shape.rank()));
  const int64_t width = array.size() / (rows * steps);
  for (int64_t b = 0; b < rows; ++b) {
    std::copy_n(array.data() + (b * steps + from) * width, n * width, slice.data() + b * n * width);
  }
  return slice;
}

template <class E>
Array<E> TakeRows(const Array<E>& array, const std::vector<int64_t>& rows) {
  if (array.size() == 0) return array.Clone();
  std::vector<int64_t> axes(array.shape().begin(), array.shape().end());
  const int64_t width = array.size() / axes[0];
  axes[0] = static_cast<int64_t>(rows.size());
  Array<E> taken(Shape(axes.data(), array.shape().rank()));
  for (size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(array.data() + rows[i] * width, width,
                taken.data() + static_cast<int64_t>(i) * width);
  }
  return taken;
}

void DrawStarts(IntArray& start, int64_t rows, int64_t steps, Random& random) {
  for (int64_t& flag : start.flat()) flag = random.Bernoulli(0.2) ? 1 : 0;
  start[random.Below(rows) * steps + random.Below(steps)] = 1;
}

}  // namespace

template <Scalar T>
LawBatch<T> LawBatch<T>::Clone() const {
  return {rows, steps, x.Clone(), tokens.Clone(), dt.Clone(), start.Clone(), lengths.Clone()};
}

template <Scalar T>
LawBatch<T> LawBatch<T>::Slice(int64_t from, int64_t n) const {
  LawBatch slice{rows,
                 n,
                 SliceTime(x, from, n),
                 SliceTime(tokens, from, n),
                 SliceTime(dt, from, n),
                 SliceTime(start, from, n),
                 lengths.Clone()};
  for (int64_t& length : slice.lengths.flat()) {
    length = std::clamp<int64_t>(length - from, 0, n);
  }
  return slice;
}

template <Scalar T>
LawBatch<T> LawBatch<T>::Rows(const std::vector<int64_t>& chosen) const {
  return {static_cast<int64_t>(chosen.size()),
          steps,
          TakeRows(x, chosen),
          TakeRows(tokens, chosen),
          TakeRows(dt, chosen),
          TakeRows(start, chosen),
          TakeRows(lengths, chosen)};
}

template <Scalar T>
LawBatch<T> DrawBatch(const LawIo& io, const LawShape& shape, Random& random) {
  LawBatch<T> batch;
  batch.rows = shape.rows;
  batch.steps = shape.steps;
  const int64_t B = shape.rows, n = shape.steps;
  const int64_t fields = static_cast<int64_t>(io.vocabularies.size());
  if (io.reals > 0) batch.x = DrawNormal<T>({B, n, io.reals}, random);
  if (fields > 0) batch.tokens = IntArray(Shape{B, n, fields});
  for (int64_t i = 0; i < batch.tokens.size(); ++i) {
    batch.tokens[i] = random.Below(io.vocabularies[static_cast<size_t>(i % fields)]);
  }
  if (shape.dt) {
    batch.dt = Array<T>(Shape{B, n});
    for (T& value : batch.dt.flat()) value = static_cast<T>(random.Uniform(0.25, 2));
  }
  if (shape.starts) {
    batch.start = IntArray(Shape{B, n});
    DrawStarts(batch.start, B, n, random);
  }
  if (shape.padding) {
    batch.lengths = IntArray(Shape{B});
    for (int64_t& length : batch.lengths.flat()) length = random.Below(n + 1);
    batch.lengths[random.Below(B)] = n;
  }
  return batch;
}

std::vector<int64_t> DrawCuts(int64_t steps, Random& random) {
  std::vector<int64_t> pieces;
  for (int64_t left = steps; left > 0;) {
    const int64_t widest = random.Bernoulli(0.3) ? 1 : left;
    pieces.push_back(1 + random.Below(widest));
    left -= pieces.back();
  }
  if (pieces.size() == 1 && steps > 1) {
    const int64_t first = 1 + random.Below(steps - 1);
    pieces = {first, steps - first};
  }
  return pieces;
}

template <Scalar T>
Array<T> DrawNormal(const Shape& shape, Random& random) {
  Array<T> array(shape);
  for (T& value : array.flat()) value = static_cast<T>(random.Normal());
  return array;
}

template <Scalar T>
Parameters<T> PerturbedParameters(const ParameterStore& store, uint64_t seed) {
  Parameters<T> parameters(store);
  for (const ParameterInfo& info : store.infos()) {
    Random random(seed, RandomStream::kLaw, HashBytes(info.name.data(), info.name.size()));
    for (T& value : parameters.values(info)) value += static_cast<T>(0.1 * random.Normal());
  }
  parameters.Touch();
  return parameters;
}

template <Scalar T>
State<T> StateRows(const State<T>& state, const std::vector<int64_t>& rows) {
  State<T> taken;
  for (int64_t row : rows) taken.steps.push_back(state.steps[static_cast<size_t>(row)]);
  for (const Slot<T>& slot : state.slots) {
    taken.slots.push_back({slot.spec, TakeRows(slot.data, rows)});
    if (slot.data.size() > 0) continue;
    std::vector<int64_t> axes(slot.data.shape().begin(), slot.data.shape().end());
    axes[0] = static_cast<int64_t>(rows.size());
    taken.slots.back().data = Array<T>(Shape(axes.data(), slot.data.shape().rank()));
  }
  return taken;
}

#define SSM_INSTANTIATE(T)                                                     \
  template struct LawBatch<T>;                                                 \
  template LawBatch<T> DrawBatch(const LawIo&, const LawShape&, Random&);      \
  template Array<T> DrawNormal(const Shape&, Random&);                         \
  template Parameters<T> PerturbedParameters(const ParameterStore&, uint64_t); \
  template State<T> StateRows(const State<T>&, const std::vector<int64_t>&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
