#include "ssm/tasks/batch.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace ssm {
namespace {

int64_t Size(const auto& list) { return static_cast<int64_t>(list.size()); }

int64_t LatentWidth(const TaskSpec& spec) {
  int64_t width = 0;
  for (const Latent& latent : spec.latents) width += latent.size;
  return width;
}

bool AsksForOne(const TaskSpec& spec) {
  return std::ranges::any_of(spec.latents, [](const Latent& l) { return l.one_asked; });
}

int64_t TargetWidth(const TaskSpec& spec) {
  return spec.objective == Objective::kSoftmaxCrossEntropy ? 1 : spec.outputs;
}

template <class E>
void Zeros(Array<E>& array, const Shape& shape) {
  array.Resize(shape);
  array.Fill(0);
}

template <class E>
void Absent(Array<E>& array) {
  array.Resize(Shape{0});
}

/// A row's part of an array [B, T, ...]; null when the array is absent.
template <class E>
E* RowOf(Array<E>& array, int64_t row, int64_t rows) {
  return array.size() == 0 ? nullptr : array.data() + array.size() / rows * row;
}

PieceRow RowOf(TaskPiece& piece, int64_t row) {
  return {RowOf(piece.reals, row, piece.rows),      RowOf(piece.tokens, row, piece.rows),
          RowOf(piece.dt, row, piece.rows),         RowOf(piece.start, row, piece.rows),
          RowOf(piece.targets, row, piece.rows),    RowOf(piece.weights, row, piece.rows),
          RowOf(piece.references, row, piece.rows), RowOf(piece.strata, row, piece.rows),
          RowOf(piece.lags, row, piece.rows),       RowOf(piece.latents, row, piece.rows),
          RowOf(piece.asked, row, piece.rows)};
}

/// A block of rows and tokens of [B, T, ...].
struct Block {
  int64_t first = 0, rows = 0, from = 0, steps = 0;
};

template <class E>
void CopyBlock(const Array<E>& whole, const Block& block, Array<E>& part) {
  if (whole.size() == 0) return Absent(part);
  const Shape& old = whole.shape();
  std::array<int64_t, Shape::kMaxRank> axes{};
  std::copy(old.begin(), old.end(), axes.begin());
  axes[0] = block.rows;
  axes[1] = block.steps;
  part.Resize(Shape(axes.data(), old.rank()));
  const int64_t width = whole.size() / (old[0] * old[1]);
  for (int64_t b = 0; b < block.rows; ++b) {
    const E* row = whole.data() + ((block.first + b) * old[1] + block.from) * width;
    std::copy_n(row, block.steps * width, part.data() + b * block.steps * width);
  }
}

/// Rows [first, first + rows) of [B, ...] into an array of another element type.
template <class To, class From>
void CastRows(const Array<From>& from, int64_t first, int64_t rows, Array<To>& to) {
  if (from.size() == 0) return Absent(to);
  const Shape& old = from.shape();
  std::array<int64_t, Shape::kMaxRank> axes{};
  std::copy(old.begin(), old.end(), axes.begin());
  axes[0] = rows;
  to.Resize(Shape(axes.data(), old.rank()));
  const From* begin = from.data() + from.size() / old[0] * first;
  std::transform(begin, begin + to.size(), to.data(),
                 [](From value) { return static_cast<To>(value); });
}

}  // namespace

void ShapePiece(const TaskSpec& spec, Detail detail, int64_t rows, int64_t steps,
                TaskPiece* piece) {
  const bool scoring = detail != Detail::kTraining;
  const bool latents = detail == Detail::kLatents;
  const Shape cells{rows, steps};
  piece->rows = rows;
  piece->steps = steps;
  Zeros(piece->reals, cells.Append(Size(spec.reals)));
  Zeros(piece->tokens, cells.Append(Size(spec.tokens)));
  Zeros(piece->dt, spec.has_dt ? cells : Shape{0});
  Absent(piece->start);
  Absent(piece->lengths);
  Zeros(piece->targets, cells.Append(TargetWidth(spec)));
  Zeros(piece->weights, spec.weights_per_output ? cells.Append(spec.outputs) : cells);
  Zeros(piece->references,
        scoring ? cells.Append(Size(spec.references)).Append(spec.outputs) : Shape{0});
  Zeros(piece->strata, scoring ? cells.Append(Size(spec.strata)) : Shape{0});
  Zeros(piece->lags, scoring && spec.has_lags ? cells : Shape{0});
  Zeros(piece->latents, latents ? cells.Append(LatentWidth(spec)) : Shape{0});
  Zeros(piece->asked, latents && AsksForOne(spec) ? cells : Shape{0});
}

void CutPiece(const TaskPiece& whole, int64_t first, int64_t rows, int64_t from, int64_t steps,
              TaskPiece* part) {
  SSM_CHECK(first >= 0 && first + rows <= whole.rows && from >= 0 && from + steps <= whole.steps,
            "a cut outside its piece");
  const Block block{first, rows, from, steps};
  part->rows = rows;
  part->steps = steps;
  CopyBlock(whole.reals, block, part->reals);
  CopyBlock(whole.tokens, block, part->tokens);
  CopyBlock(whole.dt, block, part->dt);
  CopyBlock(whole.start, block, part->start);
  CopyBlock(whole.targets, block, part->targets);
  CopyBlock(whole.weights, block, part->weights);
  CopyBlock(whole.references, block, part->references);
  CopyBlock(whole.strata, block, part->strata);
  CopyBlock(whole.lags, block, part->lags);
  CopyBlock(whole.latents, block, part->latents);
  CopyBlock(whole.asked, block, part->asked);
  if (whole.lengths.size() == 0) return Absent(part->lengths);
  part->lengths.Resize(Shape{rows});
  for (int64_t b = 0; b < rows; ++b) {
    part->lengths[b] = std::clamp<int64_t>(whole.lengths[first + b] - from, 0, steps);
  }
}

int64_t PieceBytes(const TaskPiece& piece) {
  return piece.reals.bytes() + piece.tokens.bytes() + piece.dt.bytes() + piece.start.bytes() +
         piece.lengths.bytes() + piece.targets.bytes() + piece.weights.bytes() +
         piece.references.bytes() + piece.strata.bytes() + piece.lags.bytes() +
         piece.latents.bytes() + piece.asked.bytes();
}

double TotalWeight(const TaskSpec& spec, const TaskPiece& piece) {
  const bool shared = !spec.weights_per_output && spec.objective != Objective::kSoftmaxCrossEntropy;
  const double sum = std::accumulate(piece.weights.flat().begin(), piece.weights.flat().end(), 0.0);
  return shared ? sum * static_cast<double>(spec.outputs) : sum;
}

BatchReader::BatchReader(const Task& task, Workers& workers)
    : task_(&task), workers_(&workers), spec_(task.Spec()) {}

void BatchReader::Open(uint64_t seed, Split split, int64_t first, int64_t rows,
                       const StreamOptions& options) {
  SSM_CHECK(first >= 0 && rows >= 0, "rows are counted from 0");
  detail_ = options.detail;
  longest_ = options.steps > 0 ? options.steps : spec_.steps;
  taken_ = 0;
  streams_.clear();
  streams_.resize(static_cast<size_t>(rows));
  counts_.assign(static_cast<size_t>(rows), 0);
  workers_->Run(rows, [&](int64_t row, int) {
    streams_[static_cast<size_t>(row)] = task_->Open(seed, split, first + row, options);
  });
}

bool BatchReader::Next(int64_t n, TaskPiece* piece) {
  SSM_CHECK(n >= 1, "a piece has at least one step");
  const int64_t rows = Size(streams_);
  const int64_t wanted = std::min(n, longest_ - taken_);
  if (rows == 0 || wanted <= 0) return false;
  ShapePiece(spec_, detail_, rows, wanted, piece);
  workers_->Run(rows, [&](int64_t row, int) {
    counts_[static_cast<size_t>(row)] =
        streams_[static_cast<size_t>(row)]->Next(wanted, RowOf(*piece, row));
  });
  taken_ += wanted;
  const auto [shortest, longest] = std::minmax_element(counts_.begin(), counts_.end());
  SSM_CHECK(*shortest >= 0 && *longest <= wanted, "a stream gave more steps than asked for");
  if (*longest < wanted) {
    taken_ = longest_;
    TaskPiece shorter;
    CutPiece(*piece, 0, rows, 0, *longest, &shorter);
    *piece = std::move(shorter);
  }
  if (*shortest < *longest) {
    piece->lengths.Resize(Shape{rows});
    std::copy(counts_.begin(), counts_.end(), piece->lengths.data());
  }
  return *longest > 0;
}

template <Scalar T>
void ModelPiece<T>::Set(const TaskPiece& piece, int64_t first, int64_t rows) {
  SSM_CHECK(first >= 0 && rows >= 0 && first + rows <= piece.rows, "rows outside the piece");
  rows_ = rows;
  steps_ = piece.steps;
  CastRows(piece.reals, first, rows, reals_);
  CastRows(piece.dt, first, rows, dt_);
  CastRows(piece.tokens, first, rows, tokens_);
  CastRows(piece.start, first, rows, start_);
  CastRows(piece.lengths, first, rows, lengths_);
}

template <Scalar T>
Piece<T> ModelPiece<T>::view() const {
  const auto present = [](const auto& array) { return array.size() == 0 ? nullptr : &array; };
  return {present(reals_), present(tokens_), present(dt_), present(start_), present(lengths_)};
}

template class ModelPiece<float>;
template class ModelPiece<double>;

}  // namespace ssm
