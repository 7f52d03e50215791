#include "ssm/mixers/state_tensors.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "support/error_of.h"

namespace ssm {
namespace {

using test::ErrorOf;

std::vector<SlotSpec> Slots() {
  return {{"h", SlotKind::kFixed, Shape{3, 2}},
          {"tail", SlotKind::kRing, Shape{5}, 4},
          {"none", SlotKind::kRing, Shape{5}, 0},
          {"keys", SlotKind::kGrowing, Shape{2}},
          {"pooled", SlotKind::kGrowing, Shape{2}, 1, 4, 6},
          {"sinks", SlotKind::kFilling, Shape{7}, 4}};
}

/// Rows after 2 and 13 tokens, every live number its own, dead ones 0; the second row's filling
/// entry lies last.
State<float> Sample() {
  State<float> state = MakeState<float>(Slots(), 2);
  state.Reserve(16);
  state.steps = {2, 13};
  float next = 1;
  for (Slot<float>& slot : state.slots) {
    const int64_t row = slot.data.size() / 2, entry = slot.spec.entry.size();
    for (int64_t b = 0; b < 2; ++b) {
      const int64_t live = slot.LiveEntries(state.steps[static_cast<size_t>(b)]) * entry;
      for (int64_t i = 0; i < live; ++i) slot.data[b * row + i] = next++;
    }
  }
  Slot<float>& sinks = state.slots[5];
  std::fill_n(sinks.data.data(), 28, 0.0f);
  sinks.data[3 * 7] = next;  // two live entries of four, one of them all 0 and one at the end
  return state;
}

TensorFile Reread(const TensorFile& file) { return ParseSafetensors(SafetensorsBytes(file), "f"); }

TEST_CASE("a state comes back from its file, and the file holds live entries only") {
  const State<float> state = Sample();
  const TensorFile file = StateTensors(state);
  CHECK(SameState(StateFromTensors<float>(Reread(file), "f", Slots()), state));
  CHECK(ShapeOf(file.Find("h")->values) == Shape{2, 3, 2});
  CHECK(ShapeOf(file.Find("tail")->values) == Shape{2 + 4, 5});
  CHECK(ShapeOf(file.Find("none")->values) == Shape{0, 5});
  CHECK(ShapeOf(file.Find("keys")->values) == Shape{2 + 13, 2});
  CHECK(ShapeOf(file.Find("pooled")->values) == Shape{0 + 1, 2});
  CHECK(ShapeOf(file.Find("sinks")->values) == Shape{4 + 4, 7});
  int64_t bytes = 0;
  for (const NamedTensor& tensor : file.tensors) {
    if (tensor.dtype == DType::kF32) bytes += ShapeOf(tensor.values).size() * 4;
  }
  CHECK(bytes == state.LiveBytes() + 2 * 7 * 4);  // the filling slot's dead entries before its last
}

TEST_CASE("growing slots go on from a state that was read") {
  State<float> state = StateFromTensors<float>(StateTensors(Sample()), "f", Slots());
  state.Reserve(1);
  CHECK(state.slots[3].data.shape()[1] >= 14);
  CHECK(state.slots[3].data[1] == Sample().slots[3].data[1]);
}

TEST_CASE("each fault of a saved state has its sentence") {
  const auto message = [](const TensorFile& file) {
    const test::Thrown thrown = ErrorOf([&] { StateFromTensors<float>(file, "f", Slots()); });
    CHECK(thrown.code == ExitCode::kBadData);
    return thrown.message;
  };
  const auto with = [](const std::string& name, AnyArray values) {
    TensorFile file = StateTensors(Sample());
    std::erase_if(file.tensors, [&](const NamedTensor& tensor) { return tensor.name == name; });
    file.Add(name, std::move(values));
    return file;
  };
  TensorFile lacking = StateTensors(Sample());
  lacking.tensors.erase(lacking.tensors.begin() + 1);
  CHECK(message(lacking) == "\"f\": a state of this model has a tensor \"h\".");
  CHECK(message(with("h", Array<float>(Shape{2, 6}))) ==
        "\"f\": tensor \"h\" has shape [2, 6]; this model's is [2, 3, 2].");
  CHECK(message(with("h", Array<double>(Shape{2, 3, 2}))) ==
        "\"f\": tensor \"h\" is of another dtype.");
  CHECK(message(with("more", Array<float>(Shape{1}))) ==
        "\"f\": it holds 13 tensors, and a state of this model 12.");
  IntArray late(Shape{2});
  late[0] = 2;
  late[1] = 14;
  CHECK(message(with("steps", std::move(late))) ==
        "\"f\": row 1 has 13 entries in \"keys\", which 14 tokens do not leave there.");
  CHECK(message(with("steps", IntArray(Shape{0}))) == "\"f\": \"steps\" must be [B].");
  IntArray negative(Shape{2});
  negative[0] = -1;
  CHECK(message(with("steps", std::move(negative))) ==
        "\"f\": a row has a number of steps that is negative or beyond 2^53.");
}

std::vector<SlotSpec> CodeSlots() {
  return {{.name = "k", .kind = SlotKind::kGrowing, .entry = Shape{3}, .scalar_bytes = 1},
          {.name = "last", .kind = SlotKind::kFixed, .entry = Shape{2}, .scalar_bytes = 1}};
}

/// Rows after 3 tokens and 1.
State<double> Codes() {
  State<double> state = MakeState<double>(CodeSlots(), 2);
  state.steps = {3, 1};
  state.Reserve(1);
  const double codes[] = {127, -127, 0, 1, -1, 64, 5, 6, 7};
  const int64_t room = state.slots[0].data.shape()[1];
  std::copy_n(codes, 9, state.slots[0].data.data());
  std::copy_n(codes, 3, state.slots[0].data.data() + room * 3);
  std::copy_n(codes, 4, state.slots[1].data.data());
  return state;
}

TEST_CASE("codes take a byte each in a file, and come back") {
  const State<double> state = Codes();
  const TensorFile file = StateTensors(state);
  CHECK(file.Find("k")->dtype == DType::kI8);
  CHECK(SameState(StateFromTensors<double>(Reread(file), "f", CodeSlots()), state));
  CHECK(state.LiveBytes() == 4 * 3 + 2 * 2);
  // The same with numbers of 8 bytes: the header's dtypes and offsets apart, 7 bytes a number more.
  State<double> same = state.Clone();
  for (Slot<double>& slot : same.slots) slot.spec.scalar_bytes = 0;
  const auto data = [](const TensorFile& tensors) {
    const std::string bytes = SafetensorsBytes(tensors);
    uint64_t header = 0;
    std::memcpy(&header, bytes.data(), sizeof(header));
    return std::ssize(bytes) - 8 - static_cast<int64_t>(header);
  };
  CHECK(data(file) == 8 * (2 + 2) + state.LiveBytes());  // steps, k.entries, codes
  CHECK(data(StateTensors(same)) == 8 * (2 + 2) + 8 * state.LiveBytes());
}

TEST_CASE("what is no code is refused") {
  const auto message = [](AnyArray values, DType dtype) {
    TensorFile file = StateTensors(Codes());
    std::erase_if(file.tensors, [&](const NamedTensor& tensor) { return tensor.name == "k"; });
    file.tensors.push_back({"k", dtype, std::move(values)});
    const test::Thrown thrown =
        ErrorOf([&] { StateFromTensors<double>(Reread(file), "f", CodeSlots()); });
    CHECK(thrown.code == ExitCode::kBadData);
    return thrown.message;
  };
  CHECK(message(Array<double>(Shape{4, 3}), DType::kF64) ==
        "\"f\": tensor \"k\" is of another dtype.");
  CHECK(message(IntArray(Shape{4, 3}), DType::kI64) ==
        "\"f\": tensor \"k\" is of another dtype: this model's is I8.");
  CHECK(message(IntArray(Shape{4, 2}), DType::kI8) ==
        "\"f\": tensor \"k\" has shape [4, 2]; this model's is [4, 3].");
  IntArray least(Shape{4, 3});
  least[5] = -128;
  CHECK(message(std::move(least), DType::kI8) ==
        "\"f\": tensor \"k\" holds -128 at element 5; codes are -127 to 127.");

  State<double> lost = Codes();
  lost.slots[0].data[1] = std::nan("");
  const test::Thrown thrown = ErrorOf([&] { StateTensors(lost); });
  CHECK(thrown.code == ExitCode::kDiverged);
  CHECK(thrown.message ==
        "The state's \"k\" holds nan where whole numbers of -127 to 127 belong: the model or its "
        "input is not finite.");
}

}  // namespace
}  // namespace ssm
