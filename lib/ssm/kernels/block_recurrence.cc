#include "ssm/kernels/block_recurrence.h"

#include "ssm/kernels/block_cell-inl.h"

namespace ssm::kernels {
namespace {

/// Consecutive tokens of one sequence and one block.
struct BlockVisit {
  int64_t row = 0, step = 0, n = 0;
  int64_t position = 0;  // of the first

  int64_t end() const { return position + n; }
  /// Position of the pass's first token of this sequence.
  int64_t oldest() const { return std::max<int64_t>(0, position - step); }
};

/// The visit of `row` that begins at `step`; n 0: none does.
BlockVisit VisitFrom(const BlockRecurrenceShape& shape, int64_t row, int64_t step) {
  const int64_t* pos = shape.pos + row * shape.steps;
  BlockVisit visit{.row = row, .step = step};
  if (step >= shape.steps || pos[step] < 0) return visit;
  visit.position = pos[step];
  do {
    ++step;
  } while (step < shape.steps && pos[step] > 0 && pos[step] % shape.block != 0);
  visit.n = step - visit.step;
  return visit;
}

/// The visit of `row` that ends before `step`; n 0: none does.
BlockVisit VisitTo(const BlockRecurrenceShape& shape, int64_t row, int64_t step) {
  const int64_t* pos = shape.pos + row * shape.steps;
  while (step > 0 && pos[step - 1] < 0) --step;
  BlockVisit visit{.row = row, .step = step};
  if (step == 0) return visit;
  do {
    --visit.step;
  } while (visit.step > 0 && pos[visit.step] % shape.block != 0);
  visit.n = step - visit.step;
  visit.position = pos[visit.step];
  return visit;
}

template <class T>
class BlockWalk {
 public:
  using Values = BlockRecurrenceArrays<const T*>;
  using Gradients = BlockRecurrenceArrays<T*>;

  BlockWalk(const BlockRecurrenceShape& shape, const Values& in, T* scratch)
      : shape_(shape),
        in_(in),
        width_(shape.width()),
        size_(shape.StateSize()),
        cell_(shape, in, scratch) {
    Pieces<T> pieces(scratch + BlockCell<T>::Scratch(shape));
    for (T** part : {&state_, &next_}) *part = pieces.Take(size_);
    for (T** part : {&kv_, &g_kv_}) *part = pieces.Take(4 * shape.block * width_);
    g_query_ = pieces.Take(shape.block * width_);
  }
  static int64_t Scratch(const BlockRecurrenceShape& shape) {
    return BlockCell<T>::Scratch(shape) + 2 * shape.StateSize() +
           (8 + 1) * shape.block * shape.width();
  }

  /// Takes the row's part of `visited`.
  void Forward(int64_t row, T* y, T* last, T*& visited) {
    CopyOrZero(in_.before, row, state_);
    for (int64_t step = 0;;) {
      const BlockVisit visit = VisitFrom(shape_, row, step);
      if (visit.n == 0) break;
      if (visit.position == 0) std::copy_n(in_.initial, size_, state_);
      std::copy_n(state_, size_, visited);
      cell_.Open(visited);
      cell_.Read(cell_.opened(), visit.n, in_.query + At(visit), y + At(visit));
      if (Closes(visit)) {
        GatherTokens(visit);
        cell_.Close(cell_.opened(), visited, TokensOf(visit), kv_, state_);
      }
      visited += size_;
      step = visit.step + visit.n;
    }
    std::copy_n(state_, size_, last + row * size_);
  }

  /// Gives the row's part of `visited`, which it lies behind, back.
  void Backward(int64_t row, const T*& visited, const T* gy, const T* g_last, const Gradients& to) {
    CopyOrZero(g_last, row, state_);
    for (int64_t step = shape_.steps;;) {
      const BlockVisit visit = VisitTo(shape_, row, step);
      if (visit.n == 0) break;
      visited -= size_;
      VisitBackward(visit, visited, gy, to);
      if (visit.position == 0) {
        if (to.initial != nullptr) Axpy(size_, T{1}, state_, to.initial);
        std::fill_n(state_, size_, T{0});
      }
      step = visit.step;
    }
    if (to.before != nullptr) Axpy(size_, T{1}, state_, to.before + row * size_);
  }

 private:
  void VisitBackward(const BlockVisit& visit, const T* s, const T* gy, const Gradients& to) {
    cell_.Open(s);
    cell_.BeginBackward();
    if (Closes(visit)) {
      GatherTokens(visit);
      std::fill_n(g_kv_, 2 * TokensOf(visit) * width_, T{0});
      cell_.Close(cell_.opened(), s, TokensOf(visit), kv_, next_);
      cell_.CloseBackward(s, TokensOf(visit), kv_, state_, g_kv_, to);
      ScatterTokens(visit, to);
    }
    if (gy != nullptr) {
      T* g_query = to.query != nullptr ? to.query + At(visit) : g_query_;
      cell_.ReadBackward(visit.n, in_.query + At(visit), gy + At(visit), g_query);
    }
    cell_.OpenBackward(s, state_, to);
  }

  bool Closes(const BlockVisit& visit) const { return visit.end() % shape_.block == 0; }
  /// Tokens that the states attend to when a visit closes a block.
  int64_t TokensOf(const BlockVisit& visit) const {
    return std::min(visit.end(), 2 * shape_.block);
  }
  /// In query and y.
  int64_t At(const BlockVisit& visit) const {
    return (visit.row * shape_.steps + visit.step) * width_;
  }
  /// k and v of position j of a visit's sequence, in one of two arrays.
  template <class P>
  P Token(const BlockVisit& visit, int64_t j, P qkv, P ring) const {
    if (j < visit.oldest()) {
      const int64_t entry = visit.row * shape_.entries + j % shape_.entries;
      return ring == nullptr ? nullptr : ring + entry * 2 * width_;
    }
    const int64_t token = visit.row * shape_.steps + visit.step + j - visit.position;
    return qkv == nullptr ? nullptr : qkv + (3 * token + 1) * width_;
  }
  void GatherTokens(const BlockVisit& visit) {
    const int64_t n = TokensOf(visit);
    for (int64_t i = 0; i < n; ++i) {
      std::copy_n(Token(visit, visit.end() - n + i, in_.qkv, in_.ring), 2 * width_,
                  kv_ + i * 2 * width_);
    }
  }
  void ScatterTokens(const BlockVisit& visit, const Gradients& to) const {
    const int64_t n = TokensOf(visit);
    for (int64_t i = 0; i < n; ++i) {
      T* token = Token(visit, visit.end() - n + i, to.qkv, to.ring);
      if (token != nullptr) Axpy(2 * width_, T{1}, g_kv_ + i * 2 * width_, token);
    }
  }
  void CopyOrZero(const T* from, int64_t row, T* to) const {
    if (from == nullptr) std::fill_n(to, size_, T{0});
    if (from != nullptr) std::copy_n(from + row * size_, size_, to);
  }

  const BlockRecurrenceShape& shape_;
  Values in_;
  int64_t width_, size_;
  BlockCell<T> cell_;
  T *state_, *next_, *kv_, *g_kv_, *g_query_;
};

}  // namespace

GateStageShape BlockRecurrenceShape::First() const {
  const bool network = structure == BlockStructure::kSingle;
  return {states, 2 * width(), width(), network ? hidden : 0, gate, network};
}

GateStageShape BlockRecurrenceShape::Second() const {
  return {states, width(), width(), hidden, gate, false};
}

int64_t BlockRecurrenceShape::Visits() const {
  int64_t visits = 0;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t step = 0;; ++visits) {
      const BlockVisit visit = VisitFrom(*this, row, step);
      if (visit.n == 0) break;
      step = visit.step + visit.n;
    }
  }
  return visits;
}

double BlockRecurrenceShape::Flops() const {
  const double size = static_cast<double>(StateSize()), width = static_cast<double>(this->width());
  double flops = 0;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t step = 0;;) {
      const BlockVisit visit = VisitFrom(*this, row, step);
      if (visit.n == 0) break;
      step = visit.step + visit.n;
      flops += 8 * size * width + 4 * static_cast<double>(visit.n) * size;
      if (visit.end() % block != 0) continue;
      const int64_t seen = states + std::min(visit.end(), 2 * block);
      flops += 4 * size * static_cast<double>(seen) + First().Flops();
      if (structure == BlockStructure::kDual) flops += Second().Flops();
    }
  }
  return flops;
}

template <class T>
int64_t BlockRecurrenceScratch(const BlockRecurrenceShape& shape) {
  return BlockWalk<T>::Scratch(shape);
}

template <class T>
void BlockRecurrence(const BlockRecurrenceShape& shape, const BlockRecurrenceArrays<const T*>& in,
                     T* y, T* last, T* visited, T* scratch) {
  std::fill_n(y, shape.rows * shape.steps * shape.width(), T{0});
  BlockWalk<T> walk(shape, in, scratch);
  for (int64_t row = 0; row < shape.rows; ++row) walk.Forward(row, y, last, visited);
}

template <class T>
void BlockRecurrenceBackward(const BlockRecurrenceShape& shape,
                             const BlockRecurrenceArrays<const T*>& in, const T* visited,
                             const T* gy, const T* g_last,
                             const BlockRecurrenceArrays<T*>& gradients, T* scratch) {
  BlockWalk<T> walk(shape, in, scratch);
  visited += shape.Visits() * shape.StateSize();
  for (int64_t row = shape.rows - 1; row >= 0; --row) {
    walk.Backward(row, visited, gy, g_last, gradients);
  }
}

template <class T>
void OpenBlock(const BlockRecurrenceShape& shape, const BlockRecurrenceArrays<const T*>& in,
               const T* states, T* opened, T* scratch) {
  BlockCell<T>(shape, in, scratch).Open(states, opened);
}

template <class T>
void ReadBlock(const BlockRecurrenceShape& shape, const T* opened, const T* query, T* y,
               T* scratch) {
  BlockCell<T>(shape, {}, scratch).Read(opened, 1, query, y);
}

template <class T>
void CloseBlock(const BlockRecurrenceShape& shape, const BlockRecurrenceArrays<const T*>& in,
                const T* opened, int64_t tokens, const T* kv, T* states, T* scratch) {
  BlockCell<T>(shape, in, scratch).Close(opened, states, tokens, kv, states);
}

#define SSM_INSTANTIATE(T)                                                                         \
  template int64_t BlockRecurrenceScratch<T>(const BlockRecurrenceShape&);                         \
  template void BlockRecurrence(const BlockRecurrenceShape&,                                       \
                                const BlockRecurrenceArrays<const T*>&, T*, T*, T*, T*);           \
  template void BlockRecurrenceBackward(const BlockRecurrenceShape&,                               \
                                        const BlockRecurrenceArrays<const T*>&, const T*,          \
                                        const T*, const T*, const BlockRecurrenceArrays<T*>&, T*); \
  template void OpenBlock(const BlockRecurrenceShape&, const BlockRecurrenceArrays<const T*>&,     \
                          const T*, T*, T*);                                                       \
  template void ReadBlock(const BlockRecurrenceShape&, const T*, const T*, T*, T*);                \
  template void CloseBlock(const BlockRecurrenceShape&, const BlockRecurrenceArrays<const T*>&,    \
                           const T*, int64_t, const T*, T*, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
