// Reverse-mode differentiation over a linear tape of coarse array operations.
//
// Append order is topological order. A Var is an index; the tape owns every value, gradient and
// closure in arenas that Reset() keeps, so a second pass over the same shapes allocates nothing.
// There is no node per time step: scans, convolutions and attention are single operations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "ssm/autograd/flop_count.h"
#include "ssm/tensor/array.h"

namespace ssm {

/// kTrain records and can go Backward; kInfer only computes; kPlan computes nothing (value() is
/// null) but runs all control flow of a training pass, adding up FLOPs and the very bytes that
/// kTrain would take.
enum class Mode { kTrain, kInfer, kPlan };

/// A value on a tape: an index, meaningless without its tape.
template <Scalar T>
struct Var {
  int32_t id = -1;
  explicit operator bool() const { return id >= 0; }
  bool operator==(const Var&) const = default;
};

/// Integers in a tape's arena; closures may capture the span. Real in every mode.
using Ints = std::span<int64_t>;

/// Where a parameter lies in the flat parameter buffer. Its name lives in the ParameterStore.
struct Param {
  Shape shape;
  int64_t offset = 0;
};

/// The flat buffers behind every Param: one gradient buffer per shard (null: nothing is trained);
/// the optimiser bumps the version whenever it changes the values.
template <Scalar T>
struct ParamView {
  const T* values = nullptr;
  T* grads = nullptr;
  const uint64_t* version = nullptr;
};

/// What Tape::Stop saw, in order: recorded once, replayed to hold stopped values at a base point
/// while a finite difference moves the parameters.
template <Scalar T>
struct StopLog {
  std::vector<std::vector<T>> values;
  std::vector<std::vector<int64_t>> choices;
};

/// How often something happened in a pass that its log of metrics shall show.
struct PassCount {
  const char* name;  // a literal: "nothing_read"
  int64_t n = 0;
};

template <Scalar T>
class Tape {
 public:
  explicit Tape(Mode mode, ParamView<T> params = {});
  ~Tape();
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  Mode mode() const { return mode_; }
  /// False in kPlan: shapes only, value() is null and kernels must not run.
  bool Live() const { return mode_ != Mode::kPlan; }
  const ParamView<T>& params() const { return params_; }
  /// Other parameters (another shard's gradient buffer) for the next pass. Only when empty.
  void SetParams(ParamView<T> params);

  // ---- leaves. All borrow: the memory must outlive Backward. ------------------------------------
  /// A parameter; its gradient is added into ParamView::grads.
  Var<T> Use(const Param& param);
  /// Somebody else's array. `grad`, when given, receives its gradient by addition; null makes it a
  /// constant. `appendable`: later ops may write into its spare capacity (see Alias).
  Var<T> Bind(const Shape& shape, const T* value, T* grad = nullptr, bool appendable = false);
  /// An array whose gradient the tape owns; read it with grad() after Backward.
  Var<T> Watch(const Shape& shape, const T* value);
  /// A constant the tape owns a copy of (dt, masks, targets). `value` may be null in kPlan.
  Var<T> Copy(const Shape& shape, const T* value);

  // ---- for authors of operations ---------------------------------------------------------------
  /// An operation's output: uninitialised storage of the tape.
  Var<T> New(const Shape& shape);
  /// The same storage and gradient, later in the order: an append in place. Only of Bind(...,
  /// appendable = true).
  Var<T> Alias(Var<T> var);
  bool appendable(Var<T> var) const;
  /// The same value, through which no gradient flows.
  Var<T> Stop(Var<T> var);
  /// A discrete choice made from values (the keys a top-k cache keeps): recorded like Stop, and
  /// overwritten by the recorded one on replay.
  void StopChoices(Ints choices);
  /// Scratch that lives until Reset: null in kPlan, uninitialised otherwise.
  T* Floats(int64_t n);
  Ints NewInts(int64_t n);               // zeros
  std::span<Var<T>> NewVars(int64_t n);  // none

  const Shape& shape(Var<T> var) const { return node(var).shape; }
  const T* value(Var<T> var) const { return node(var).value; }
  /// Where the author of an op writes the value of what New or Alias gave.
  T* out(Var<T> var) { return node(var).out; }
  /// The gradient buffer to ADD into; null when nobody wants it. Inside a backward closure only.
  T* acc(Var<T> var);
  /// Whether anything upstream of `var` wants a gradient. False in kInfer.
  bool wants(Var<T> var) const { return var && root(var).wants; }

  /// Appends an operation. `name` is a string literal, listed by ops and demanded by the coverage
  /// law. Vars that are none may stand in `in`. `backward` is void(Tape<T>&), trivially copyable
  /// (capture Vars, Ints, sizes and arena pointers, never references, vectors or `this`); it runs
  /// once if any output received a gradient, reads grad(out) (null where none arrived) and adds
  /// into acc(in) (null where unwanted). `flops` counts the forward pass: one number, or also what
  /// of it is in dense products.
  template <class F>
  void Record(const char* name, std::initializer_list<Var<T>> in, std::initializer_list<Var<T>> out,
              const FlopCount& flops, F backward) {
    Record(name, std::span(in.begin(), in.size()), std::span(out.begin(), out.size()), flops,
           backward);
  }
  template <class F>
  void Record(const char* name, std::span<const Var<T>> in, std::span<const Var<T>> out,
              const FlopCount& flops, F backward) {
    static_assert(std::is_trivially_copyable_v<F> && std::is_trivially_destructible_v<F>,
                  "a backward closure captures handles, sizes and arena pointers only");
    void* closure = BeginRecord(name, in, out, flops, sizeof(F), [](Tape& tape, const void* f) {
      (*static_cast<const F*>(f))(tape);
    });
    if (closure != nullptr) std::memcpy(closure, static_cast<const void*>(&backward), sizeof(F));
  }

  /// Adds n to the count of that name; 0 makes it known. Nothing in kPlan.
  void Count(const char* name, int64_t n);

  // ---- for callers -----------------------------------------------------------------------------
  /// Adds scale * grad to the gradient of `var`, before Backward. Any number of Vars may be seeded:
  /// a loss, next-state slots, prepared values. `grad` may be null in kPlan.
  void Seed(Var<T> var, const T* grad, T scale = 1);
  /// One walk back over everything, whatever was seeded. An output's gradient is gone after its op
  /// has run; those of Watch stay until Reset. In kPlan it only accounts.
  void Backward();
  /// The gradient that arrived; null: none did.
  const T* grad(Var<T> var) const { return root(var).grad; }
  /// Forgets everything, keeps the memory.
  void Reset();

  double flops() const { return flops_.all; }
  /// Of flops(): in dense matrix products, as far as operations tell.
  double product_flops() const { return flops_.products; }
  /// What operations counted since Reset, in order of name.
  std::span<const PassCount> counts() const { return counts_; }
  /// Bytes taken from the arenas since Reset: values, gradients, scratch, closures.
  size_t bytes() const { return bytes_; }
  int64_t ops() const { return static_cast<int64_t>(ops_.size()); }
  const char* op_name(int64_t i) const { return ops_[static_cast<size_t>(i)].name; }

  /// Until switched off with null: Stop copies what it sees to `log` / reads from it instead.
  void RecordStops(StopLog<T>* log);
  void ReplayStops(const StopLog<T>* log);

 private:
  struct Node {
    Shape shape;
    const T* value = nullptr;
    T* out = nullptr;
    T* grad = nullptr;
    int32_t root = -1;       // whose storage this is: itself, or what it aliases
    bool wants = false;      // a gradient
    bool has_grad = false;   // in kPlan the pointer stays null
    bool keep_grad = false;  // leaves: not returned to the pool
    bool appendable = false;
  };
  struct Op {
    const char* name;
    void (*run)(Tape&, const void*);
    void* closure;
    std::span<Var<T>> in, out;
  };
  struct FreeList {
    int64_t size;
    std::vector<T*> buffers;
  };
  class Arena;

  Node& node(Var<T> var) { return nodes_[static_cast<size_t>(var.id)]; }
  const Node& node(Var<T> var) const { return nodes_[static_cast<size_t>(var.id)]; }
  Node& root(Var<T> var) { return nodes_[static_cast<size_t>(node(var).root)]; }
  const Node& root(Var<T> var) const { return nodes_[static_cast<size_t>(node(var).root)]; }
  Var<T> Push(const Shape& shape, const T* value, T* out);
  void* BeginRecord(const char* name, std::span<const Var<T>> in, std::span<const Var<T>> out,
                    const FlopCount& flops, size_t closure_size, void (*run)(Tape&, const void*));
  void EnsureGrad(Node& node);
  void ReleaseGrad(Node& node);
  void RunBackward(const Op& op);
  FreeList& ListFor(int64_t size);
  void* Raw(size_t bytes);

  Mode mode_;
  ParamView<T> params_;
  std::vector<Node> nodes_;
  std::vector<Op> ops_;
  std::vector<FreeList> free_;
  std::unique_ptr<Arena> floats_;
  std::unique_ptr<Arena> raw_;
  size_t bytes_ = 0;
  FlopCount flops_;
  std::vector<PassCount> counts_;
  StopLog<T>* record_stops_ = nullptr;
  const StopLog<T>* replay_stops_ = nullptr;
  size_t next_stop_ = 0;
  size_t next_choice_ = 0;
};

}  // namespace ssm
