#include "ssm/autograd/tape.h"

#include <algorithm>
#include <new>

#include "ssm/autograd/pass_counts.h"
#include "ssm/base/errors.h"

namespace ssm {
namespace {

constexpr size_t kAlignment = 64;

size_t RoundUp(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

/// Bump allocation over blocks that are kept. The same requests after Rewind hit the same blocks.
template <Scalar T>
class Tape<T>::Arena {
 public:
  void* Take(size_t bytes) {
    while (block_ < blocks_.size() && used_ + bytes > blocks_[block_].size) {
      ++block_;
      used_ = 0;
    }
    if (block_ == blocks_.size()) {
      const size_t last = blocks_.empty() ? kFirstBlock : blocks_.back().size * 2;
      const size_t size = std::max(bytes, std::min(last, kLargestBlock));
      blocks_.push_back({std::unique_ptr<std::byte[], Free>(static_cast<std::byte*>(
                             ::operator new (size, std::align_val_t{kAlignment}))),
                         size});
    }
    void* result = blocks_[block_].data.get() + used_;
    used_ += bytes;
    return result;
  }
  void Rewind() { block_ = used_ = 0; }

 private:
  static constexpr size_t kFirstBlock = size_t{1} << 14;
  static constexpr size_t kLargestBlock = size_t{1} << 26;
  struct Free {
    void operator()(std::byte* p) const { ::operator delete (p, std::align_val_t{kAlignment}); }
  };
  struct Block {
    std::unique_ptr<std::byte[], Free> data;
    size_t size;
  };
  std::vector<Block> blocks_;
  size_t block_ = 0;
  size_t used_ = 0;
};

template <Scalar T>
Tape<T>::Tape(Mode mode, ParamView<T> params)
    : mode_(mode),
      params_(params),
      floats_(std::make_unique<Arena>()),
      raw_(std::make_unique<Arena>()) {}

template <Scalar T>
Tape<T>::~Tape() = default;

template <Scalar T>
void Tape<T>::SetParams(ParamView<T> params) {
  SSM_CHECK(nodes_.empty(), "a tape changes parameters only after Reset");
  params_ = params;
}

template <Scalar T>
T* Tape<T>::Floats(int64_t n) {
  const size_t bytes = RoundUp(static_cast<size_t>(n) * sizeof(T));
  bytes_ += bytes;
  return Live() ? static_cast<T*>(floats_->Take(bytes)) : nullptr;
}

template <Scalar T>
void* Tape<T>::Raw(size_t bytes) {
  bytes_ += RoundUp(bytes);
  return raw_->Take(RoundUp(bytes));
}

template <Scalar T>
Ints Tape<T>::NewInts(int64_t n) {
  const size_t count = static_cast<size_t>(n);
  Ints ints(static_cast<int64_t*>(Raw(count * sizeof(int64_t))), count);
  std::fill(ints.begin(), ints.end(), 0);
  return ints;
}

template <Scalar T>
std::span<Var<T>> Tape<T>::NewVars(int64_t n) {
  const size_t count = static_cast<size_t>(n);
  std::span<Var<T>> vars(static_cast<Var<T>*>(Raw(count * sizeof(Var<T>))), count);
  std::fill(vars.begin(), vars.end(), Var<T>{});
  return vars;
}

template <Scalar T>
Var<T> Tape<T>::Push(const Shape& shape, const T* value, T* out) {
  Node node;
  node.shape = shape;
  node.value = value;
  node.out = out;
  node.root = static_cast<int32_t>(nodes_.size());
  nodes_.push_back(node);
  return {node.root};
}

template <Scalar T>
Var<T> Tape<T>::Use(const Param& param) {
  const T* value = Live() ? params_.values + param.offset : nullptr;
  const bool wanted = !Live() || (mode_ == Mode::kTrain && params_.grads != nullptr);
  Var<T> var = Push(param.shape, value, nullptr);
  if (wanted) {
    Node& leaf = node(var);
    leaf.wants = leaf.has_grad = leaf.keep_grad = true;
    leaf.grad = Live() ? params_.grads + param.offset : nullptr;
  }
  return var;
}

template <Scalar T>
Var<T> Tape<T>::Bind(const Shape& shape, const T* value, T* grad, bool appendable) {
  Var<T> var = Push(shape, Live() ? value : nullptr, Live() ? const_cast<T*>(value) : nullptr);
  Node& leaf = node(var);
  leaf.appendable = appendable;
  if (!appendable) leaf.out = nullptr;
  if (grad != nullptr && mode_ != Mode::kInfer) {
    leaf.wants = leaf.has_grad = leaf.keep_grad = true;
    leaf.grad = Live() ? grad : nullptr;
  }
  return var;
}

template <Scalar T>
Var<T> Tape<T>::Watch(const Shape& shape, const T* value) {
  Var<T> var = Push(shape, Live() ? value : nullptr, nullptr);
  node(var).wants = mode_ != Mode::kInfer;
  node(var).keep_grad = true;
  return var;
}

template <Scalar T>
Var<T> Tape<T>::Copy(const Shape& shape, const T* value) {
  Var<T> var = New(shape);
  if (Live()) std::copy_n(value, shape.size(), out(var));
  return var;
}

template <Scalar T>
Var<T> Tape<T>::New(const Shape& shape) {
  T* storage = Floats(shape.size());
  return Push(shape, storage, storage);
}

template <Scalar T>
Var<T> Tape<T>::Alias(Var<T> var) {
  SSM_CHECK(appendable(var), "only an appendable Bind can be aliased");
  const Node source = node(var);
  Var<T> alias = Push(source.shape, source.value, source.out);
  node(alias).root = source.root;
  node(alias).appendable = true;
  return alias;
}

template <Scalar T>
bool Tape<T>::appendable(Var<T> var) const {
  return node(var).appendable;
}

template <Scalar T>
Var<T> Tape<T>::Stop(Var<T> var) {
  const Node source = node(var);
  const T* value = source.value;
  const int64_t size = source.shape.size();
  if (Live() && record_stops_ != nullptr) record_stops_->values.emplace_back(value, value + size);
  if (Live() && replay_stops_ != nullptr) {
    SSM_CHECK(next_stop_ < replay_stops_->values.size(), "more Stops replayed than recorded");
    const std::vector<T>& frozen = replay_stops_->values[next_stop_++];
    SSM_CHECK(static_cast<int64_t>(frozen.size()) == size, "a replayed Stop changed its size");
    T* copy = Floats(size);
    std::copy_n(frozen.data(), size, copy);
    value = copy;
  }
  return Push(source.shape, value, nullptr);
}

template <Scalar T>
void Tape<T>::StopChoices(Ints choices) {
  if (Live() && record_stops_ != nullptr) {
    record_stops_->choices.emplace_back(choices.begin(), choices.end());
  }
  if (Live() && replay_stops_ != nullptr) {
    SSM_CHECK(next_choice_ < replay_stops_->choices.size(), "more choices replayed than recorded");
    const std::vector<int64_t>& frozen = replay_stops_->choices[next_choice_++];
    SSM_CHECK(frozen.size() == choices.size(), "a replayed choice changed its size");
    std::copy(frozen.begin(), frozen.end(), choices.begin());
  }
}

template <Scalar T>
void Tape<T>::RecordStops(StopLog<T>* log) {
  record_stops_ = log;
}

template <Scalar T>
void Tape<T>::ReplayStops(const StopLog<T>* log) {
  replay_stops_ = log;
  next_stop_ = next_choice_ = 0;
}

template <Scalar T>
void Tape<T>::Count(const char* name, int64_t n) {
  if (!Live()) return;
  AddCount({name, n}, counts_);
}

template <Scalar T>
void* Tape<T>::BeginRecord(const char* name, std::span<const Var<T>> in,
                           std::span<const Var<T>> out, const FlopCount& flops, size_t closure_size,
                           void (*run)(Tape&, const void*)) {
  flops_ += flops;
  if (mode_ == Mode::kInfer) return nullptr;
  bool any = false;
  for (Var<T> var : in) any = any || wants(var);
  Op op{name, run, nullptr, {}, {}};
  if (any) {
    for (Var<T> var : out) root(var).wants = true;
    op.in = NewVars(static_cast<int64_t>(in.size()));
    op.out = NewVars(static_cast<int64_t>(out.size()));
    std::copy(in.begin(), in.end(), op.in.begin());
    std::copy(out.begin(), out.end(), op.out.begin());
    op.closure = Raw(closure_size);
  }
  ops_.push_back(op);
  return op.closure;
}

template <Scalar T>
typename Tape<T>::FreeList& Tape<T>::ListFor(int64_t size) {
  for (FreeList& list : free_) {
    if (list.size == size) return list;
  }
  free_.push_back({size, {}});
  return free_.back();
}

template <Scalar T>
void Tape<T>::EnsureGrad(Node& node) {
  if (!node.wants || node.has_grad) return;
  const int64_t size = node.shape.size();
  FreeList& list = ListFor(size);
  if (list.buffers.empty()) {
    node.grad = Floats(size);
  } else {
    node.grad = list.buffers.back();
    list.buffers.pop_back();
  }
  node.has_grad = true;
  if (Live()) std::fill_n(node.grad, size, T{0});
}

template <Scalar T>
void Tape<T>::ReleaseGrad(Node& node) {
  if (!node.has_grad || node.keep_grad) return;
  ListFor(node.shape.size()).buffers.push_back(node.grad);
  node.grad = nullptr;
  node.has_grad = false;
}

template <Scalar T>
T* Tape<T>::acc(Var<T> var) {
  if (!var || !root(var).wants) return nullptr;
  EnsureGrad(root(var));
  return root(var).grad;
}

template <Scalar T>
void Tape<T>::Seed(Var<T> var, const T* grad, T scale) {
  if (!var || !root(var).wants) return;
  EnsureGrad(root(var));
  if (!Live()) return;
  T* into = root(var).grad;
  const int64_t size = shape(var).size();
  for (int64_t i = 0; i < size; ++i) into[i] += scale * grad[i];
}

template <Scalar T>
void Tape<T>::RunBackward(const Op& op) {
  if (op.closure == nullptr) return;
  bool reached = false;
  for (Var<T> var : op.out) reached = reached || root(var).has_grad;
  if (!reached) return;
  for (Var<T> var : op.in) {
    if (var) EnsureGrad(root(var));
  }
  if (Live()) op.run(*this, op.closure);
  for (Var<T> var : op.out) {
    if (node(var).root == var.id) ReleaseGrad(node(var));
  }
}

template <Scalar T>
void Tape<T>::Backward() {
  SSM_CHECK(mode_ != Mode::kInfer, "an inference tape has no Backward");
  for (auto op = ops_.rbegin(); op != ops_.rend(); ++op) RunBackward(*op);
}

template <Scalar T>
void Tape<T>::Reset() {
  nodes_.clear();
  ops_.clear();
  for (FreeList& list : free_) list.buffers.clear();
  floats_->Rewind();
  raw_->Rewind();
  bytes_ = 0;
  flops_ = {};
  counts_.clear();
  next_stop_ = next_choice_ = 0;
}

template class Tape<float>;
template class Tape<double>;

}  // namespace ssm
