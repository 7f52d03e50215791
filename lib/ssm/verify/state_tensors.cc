#include "ssm/verify/state_tensors.h"

#include <fmt/core.h>

#include "ssm/base/errors.h"

namespace ssm {
namespace {

template <class E>
const Array<E>& Expect(const TensorFile& file, const std::string& name) {
  const NamedTensor* tensor = file.Find(name);
  if (tensor == nullptr) {
    Fail(ExitCode::kBadData, fmt::format("a saved state has no tensor \"{}\"", name));
  }
  const Array<E>* values = std::get_if<Array<E>>(&tensor->values);
  if (values == nullptr) {
    Fail(ExitCode::kBadData,
         fmt::format("tensor \"{}\" of a saved state is of another dtype", name));
  }
  return *values;
}

bool Fits(const SlotSpec& spec, const Shape& made, const Shape& found) {
  if (made.rank() != found.rank()) return false;
  for (int i = 0; i < made.rank(); ++i) {
    if (i == 1 && spec.kind == SlotKind::kGrowing) continue;
    if (made[i] != found[i]) return false;
  }
  return true;
}

}  // namespace

template <Scalar T>
TensorFile StateTensors(const State<T>& state) {
  TensorFile file;
  IntArray steps(Shape{state.rows()});
  std::copy(state.steps.begin(), state.steps.end(), steps.data());
  file.Add("steps", std::move(steps));
  for (const Slot<T>& slot : state.slots) file.Add(slot.spec.name, slot.data.Clone());
  return file;
}

template <Scalar T>
State<T> StateFromTensors(const TensorFile& file, std::span<const SlotSpec> layout) {
  const IntArray& steps = Expect<int64_t>(file, "steps");
  State<T> state = MakeState<T>(layout, steps.size());
  state.steps.assign(steps.data(), steps.data() + steps.size());
  for (Slot<T>& slot : state.slots) {
    const Array<T>& values = Expect<T>(file, slot.spec.name);
    if (!Fits(slot.spec, slot.data.shape(), values.shape())) {
      Fail(ExitCode::kBadData,
           fmt::format("tensor \"{}\" of a saved state has shape {}; this model's is {}",
                       slot.spec.name, values.shape().ToString(), slot.data.shape().ToString()));
    }
    slot.data = values.Clone();
  }
  return state;
}

#define SSM_INSTANTIATE(T)                                 \
  template TensorFile StateTensors(const State<T>& state); \
  template State<T> StateFromTensors(const TensorFile&, std::span<const SlotSpec>);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
