#include "ssm/mixers/block_recurrent_stepper.h"

#include <algorithm>

#include "ssm/base/errors.h"
#include "ssm/kernels/rows.h"
#include "ssm/kernels/softmax.h"
#include "ssm/kernels/unit_heads.h"

namespace ssm {
namespace {

template <Scalar T>
class BlockRecurrentStepper final : public Stepper<T> {
 public:
  explicit BlockRecurrentStepper(const BlockRecurrentView<T>& view)
      : view_(view),
        seen_(view.params.version == nullptr ? 0 : *view.params.version),
        batch_(view.shape.rows),
        width_(view.shape.width()),
        size_(view.shape.StateSize()),
        qkv_(Shape{batch_, 3 * width_}),
        query_(Shape{batch_, width_}),
        mixed_(Shape{batch_, width_}),
        read_(Shape{batch_, width_}),
        from_read_(Shape{batch_, width_}),
        weights_(Shape{view.reach.back + 1}),
        made_from_(Shape{batch_, size_}),
        opened_(Shape{batch_, 4 * size_}),
        made_(static_cast<size_t>(batch_), 0),
        kv_(Shape{2 * view.shape.block, 2 * width_}),
        scratch_(Shape{kernels::BlockRecurrenceScratch<T>(view.shape)}) {}

  void Step(const StepInputs<T>& in, std::span<Slot<T>> state, T* y) override {
    SSM_CHECK(view_.params.version == nullptr || *view_.params.version == seen_,
              "the parameters changed after this block_recurrent stepper was made: make a new one");
    const int64_t heads = view_.shape.heads, d_head = view_.shape.d_head;
    view_.qkv.ApplyRows(view_.params, batch_, in.x, qkv_.data());
    view_.cross.ApplyRows(view_.params, batch_, in.x, query_.data());
    kernels::UnitHeads({batch_, 3 * width_, 2 * heads, d_head, heads}, qkv_.data(), view_.scale,
                       qkv_.data());
    kernels::UnitHeads({batch_, width_, heads, d_head, heads}, query_.data(), view_.cross_scale,
                       query_.data());
    for (int64_t row = 0; row < batch_; ++row) {
      StepRow(row, in.pos[row], state[0].data.data() + row * view_.shape.entries * 2 * width_,
              state[1].data.data() + row * size_);
    }
    view_.self.ApplyRows(view_.params, batch_, mixed_.data(), y);
    view_.read.ApplyRows(view_.params, batch_, read_.data(), from_read_.data());
    kernels::Axpy(batch_ * width_, T{1}, from_read_.data(), y);
  }

 private:
  /// tokens: the row's ring; s: its states.
  void StepRow(int64_t row, int64_t position, T* tokens, T* s) {
    if (position == 0) {
      std::fill_n(tokens, view_.shape.entries * 2 * width_, T{0});
      std::copy_n(view_.states.initial, size_, s);
    }
    for (int64_t head = 0; head < view_.shape.heads; ++head) Attend(row, head, position, tokens);
    T* opened = opened_.data() + row * 4 * size_;
    Open(row, s, opened);
    kernels::ReadBlock(view_.shape, opened, query_.data() + row * width_,
                       read_.data() + row * width_, scratch_.data());
    if ((position + 1) % view_.shape.block == 0) {
      const int64_t n = std::min(position + 1, 2 * view_.shape.block);
      for (int64_t i = 0; i < n; ++i) {
        std::copy_n(Token(row, position, position - n + 1 + i, tokens), 2 * width_,
                    kv_.data() + i * 2 * width_);
      }
      kernels::CloseBlock(view_.shape, view_.states, opened, n, kv_.data(), s, scratch_.data());
    }
    std::copy_n(Token(row, position, position, tokens), 2 * width_,
                tokens + position % view_.shape.entries * 2 * width_);
  }

  /// The row's keys and values of the states s, unless they are there.
  void Open(int64_t row, const T* s, T* opened) {
    T* made_from = made_from_.data() + row * size_;
    char& made = made_[static_cast<size_t>(row)];
    if (made != 0 && std::equal(s, s + size_, made_from)) return;
    kernels::OpenBlock(view_.shape, view_.states, s, opened, scratch_.data());
    std::copy_n(s, size_, made_from);
    made = 1;
  }

  /// Key and value of position j, which is not after `position`.
  const T* Token(int64_t row, int64_t position, int64_t j, const T* tokens) const {
    return j == position ? qkv_.data() + row * 3 * width_ + width_
                         : tokens + j % view_.shape.entries * 2 * width_;
  }

  void Attend(int64_t row, int64_t head, int64_t position, const T* tokens) {
    const int64_t d_head = view_.shape.d_head, at = head * d_head;
    const int64_t first = view_.reach.First(position), n = view_.reach.End(position) - first;
    const T* q = qkv_.data() + row * 3 * width_ + at;
    const T* bias = view_.bias + head * view_.bias_columns;
    T* y = mixed_.data() + row * width_ + at;
    std::fill_n(y, d_head, T{0});
    if (n <= 0) return;
    for (int64_t j = 0; j < n; ++j) {
      const T* token = Token(row, position, first + j, tokens);
      weights_[j] = kernels::Dot(d_head, q, token + at) +
                    bias[view_.buckets[static_cast<size_t>(position - first - j)]];
    }
    kernels::Softmax(1, n, weights_.data(), weights_.data());
    for (int64_t j = 0; j < n; ++j) {
      const T* token = Token(row, position, first + j, tokens);
      kernels::Axpy(d_head, weights_[j], token + width_ + at, y);
    }
  }

  BlockRecurrentView<T> view_;
  uint64_t seen_;
  int64_t batch_, width_, size_;
  Array<T> qkv_, query_, mixed_, read_, from_read_, weights_;
  Array<T> made_from_, opened_;  // by row
  std::vector<char> made_;
  Array<T> kv_, scratch_;
};

}  // namespace

template <Scalar T>
std::unique_ptr<Stepper<T>> MakeBlockRecurrentStepper(const BlockRecurrentView<T>& view) {
  return std::make_unique<BlockRecurrentStepper<T>>(view);
}

template std::unique_ptr<Stepper<float>> MakeBlockRecurrentStepper(
    const BlockRecurrentView<float>&);
template std::unique_ptr<Stepper<double>> MakeBlockRecurrentStepper(
    const BlockRecurrentView<double>&);

}  // namespace ssm
