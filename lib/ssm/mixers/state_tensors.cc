#include "ssm/mixers/state_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"

namespace ssm {
namespace {

constexpr int64_t kMostSteps = int64_t{1} << 53;
constexpr int kMostCode = 127;  // of a slot of a byte a number

/// Bytes that are not all 0.
template <Scalar T>
bool Holds(const T* values, int64_t n) {
  const char* bytes = reinterpret_cast<const char*>(values);
  return std::any_of(bytes, bytes + static_cast<size_t>(n) * sizeof(T),
                     [](char byte) { return byte != 0; });
}

template <Scalar T>
bool IsCode(T value) {
  return std::abs(value) <= kMostCode && value == std::nearbyint(value);
}

}  // namespace

std::string EntriesName(const SlotSpec& spec) { return spec.name + ".entries"; }

template <Scalar T>
int64_t KeptEntries(const Slot<T>& slot, int64_t row, int64_t steps) {
  const int64_t live = slot.LiveEntries(steps);
  if (slot.spec.kind == SlotKind::kGrowing) return live;
  const int64_t entry = slot.spec.entry.size();
  int64_t kept = slot.data.shape()[1];
  const T* values = slot.data.data() + row * kept * entry;
  while (kept > live && !Holds(values + (kept - 1) * entry, entry)) --kept;
  return kept;
}

template <Scalar T>
void AddNumbers(const SlotSpec& spec, Array<T> values, TensorFile& file) {
  if (spec.scalar_bytes == 0) return file.Add(spec.name, std::move(values));
  IntArray codes(values.shape());
  for (int64_t i = 0; i < values.size(); ++i) {
    if (!IsCode(values[i])) {
      Fail(ExitCode::kDiverged,
           fmt::format("The state's {} holds {} where whole numbers of -{} to {} belong: the model "
                       "or its input is not finite.",
                       Quote(spec.name), FormatNumber(static_cast<double>(values[i])), kMostCode,
                       kMostCode));
    }
    codes[i] = static_cast<int64_t>(values[i]);
  }
  file.AddBytes(spec.name, std::move(codes));
}

namespace {

template <Scalar T>
void AddEntries(const State<T>& state, const Slot<T>& slot, TensorFile& file) {
  IntArray kept(Shape{state.rows()});
  for (int64_t b = 0; b < state.rows(); ++b) {
    kept[b] = KeptEntries(slot, b, state.steps[static_cast<size_t>(b)]);
  }
  const int64_t entry = slot.spec.entry.size(), capacity = slot.data.shape()[1];
  Array<T> values(
      slot.spec.entry.Prepend(std::accumulate(kept.flat().begin(), kept.flat().end(), int64_t{0})));
  T* to = values.data();
  for (int64_t b = 0; b < state.rows(); ++b) {
    to = std::copy_n(slot.data.data() + b * capacity * entry, kept[b] * entry, to);
  }
  AddNumbers(slot.spec, std::move(values), file);
  file.Add(EntriesName(slot.spec), std::move(kept));
}

class Reader {
 public:
  Reader(const TensorFile& tensors, const std::string& file) : tensors_(tensors), file_(file) {}

  [[noreturn]] void Bad(const std::string& sentence) const {
    Fail(ExitCode::kBadData, fmt::format("{}: {}.", QuotePath(file_), sentence));
  }

  template <class E>
  const Array<E>& Expect(const std::string& name) {
    ++taken_;
    const NamedTensor* tensor = tensors_.Find(name);
    if (tensor == nullptr) Bad(fmt::format("a state of this model has a tensor {}", Quote(name)));
    const Array<E>* values = std::get_if<Array<E>>(&tensor->values);
    if (values == nullptr) Bad(fmt::format("tensor {} is of another dtype", Quote(name)));
    return *values;
  }

  template <class E>
  const Array<E>& Expect(const std::string& name, const Shape& shape) {
    const Array<E>& values = Expect<E>(name);
    if (!(values.shape() == shape)) {
      Bad(fmt::format("tensor {} has shape {}; this model's is {}", Quote(name),
                      values.shape().ToString(), shape.ToString()));
    }
    return values;
  }

  /// Codes as numbers of T.
  template <Scalar T>
  Array<T> ExpectCodes(const std::string& name, const Shape& shape) {
    const IntArray& codes = Expect<int64_t>(name, shape);
    if (tensors_.Find(name)->dtype != DType::kI8) {
      Bad(fmt::format("tensor {} is of another dtype: this model's is I8", Quote(name)));
    }
    Array<T> values(shape);
    for (int64_t i = 0; i < codes.size(); ++i) {
      if (std::abs(codes[i]) > kMostCode) {
        Bad(fmt::format("tensor {} holds {} at element {}; codes are {} to {}", Quote(name),
                        codes[i], i, -kMostCode, kMostCode));
      }
      values[i] = static_cast<T>(codes[i]);
    }
    return values;
  }

  template <Scalar T>
  Array<T> Numbers(const SlotSpec& spec, const Shape& shape) {
    if (spec.scalar_bytes == 0) return Expect<T>(spec.name, shape).Clone();
    return ExpectCodes<T>(spec.name, shape);
  }

  template <Scalar T>
  void ReadEntries(const State<T>& state, Slot<T>& slot) {
    const SlotSpec& spec = slot.spec;
    const int64_t rows = state.rows(), entry = spec.entry.size();
    const IntArray& kept = Expect<int64_t>(EntriesName(spec), Shape{rows});
    int64_t all = 0, most = 0;
    for (const int64_t n : kept.flat()) {
      if (n < 0 || n > kMostSteps) Bad(fmt::format("{} has {} entries", Quote(spec.name), n));
      all += n;
      most = std::max(most, n);
    }
    const Array<T> values = Numbers<T>(spec, spec.entry.Prepend(all));
    // One entry more than there are, so that a step count that asks for more is seen.
    if (spec.kind == SlotKind::kGrowing) {
      slot.data = Array<T>(spec.entry.Prepend(most + 1).Prepend(rows));
    }
    for (int64_t b = 0; b < rows; ++b) {
      const int64_t live = slot.LiveEntries(state.steps[static_cast<size_t>(b)]);
      const int64_t high = spec.kind == SlotKind::kFilling ? spec.entries : live;
      if (kept[b] >= live && kept[b] <= high) continue;
      Bad(fmt::format("row {} has {} in {}, which {} do not leave there", b,
                      fmt::format("{} entries", kept[b]), Quote(spec.name),
                      FormatCount(state.steps[static_cast<size_t>(b)], "token")));
    }
    const int64_t capacity = slot.data.shape()[1];
    const T* from = values.data();
    for (int64_t b = 0; b < rows; ++b) {
      std::copy_n(from, kept[b] * entry, slot.data.data() + b * capacity * entry);
      from += kept[b] * entry;
    }
  }

  void RequireNoMore() const {
    if (std::ssize(tensors_.tensors) == taken_) return;
    Bad(fmt::format("it holds {}, and a state of this model {}",
                    FormatCount(std::ssize(tensors_.tensors), "tensor"), FormatCount(taken_)));
  }

 private:
  const TensorFile& tensors_;
  const std::string& file_;
  int64_t taken_ = 0;
};

}  // namespace

template <Scalar T>
TensorFile StateTensors(const State<T>& state) {
  TensorFile file;
  IntArray steps(Shape{state.rows()});
  std::copy(state.steps.begin(), state.steps.end(), steps.data());
  file.Add("steps", std::move(steps));
  for (const Slot<T>& slot : state.slots) {
    if (slot.spec.kind == SlotKind::kFixed) {
      AddNumbers(slot.spec, slot.data.Clone(), file);
    } else {
      AddEntries(state, slot, file);
    }
  }
  return file;
}

template <Scalar T>
State<T> StateFromTensors(const TensorFile& tensors, const std::string& file,
                          std::span<const SlotSpec> layout) {
  Reader reader(tensors, file);
  const IntArray& steps = reader.Expect<int64_t>("steps");
  if (steps.shape().rank() != 1 || steps.size() == 0) reader.Bad("\"steps\" must be [B]");
  if (!std::ranges::all_of(steps.flat(), [](int64_t n) { return n >= 0 && n <= kMostSteps; })) {
    reader.Bad("a row has a number of steps that is negative or beyond 2^53");
  }
  State<T> state = MakeState<T>(layout, steps.size());
  state.steps.assign(steps.data(), steps.data() + steps.size());
  for (Slot<T>& slot : state.slots) {
    if (slot.spec.kind == SlotKind::kFixed) {
      slot.data = reader.Numbers<T>(slot.spec, slot.data.shape());
    }
  }
  for (Slot<T>& slot : state.slots) {
    if (slot.spec.kind != SlotKind::kFixed) reader.ReadEntries(state, slot);
  }
  reader.RequireNoMore();
  return state;
}

#define SSM_INSTANTIATE(T)                                                  \
  template int64_t KeptEntries(const Slot<T>&, int64_t, int64_t);           \
  template void AddNumbers(const SlotSpec&, Array<T>, TensorFile&);         \
  template TensorFile StateTensors(const State<T>& state);                  \
  template State<T> StateFromTensors(const TensorFile&, const std::string&, \
                                     std::span<const SlotSpec>);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
