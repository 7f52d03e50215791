#include "ssm/analysis/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "ssm/analysis/local_step.h"
#include "ssm/base/random.h"

namespace ssm {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kMostCoefficients = int64_t{1} << 22;
constexpr double kMixed = 1e-9;                       // relative: what entries take from others
constexpr int kShort = -1, kGrows = 100, kLong = 20;  // octaves

double HalfLifeOf(double decay) {
  const double size = std::abs(decay);
  return size >= 1 ? kInfinity : size == 0 ? 0 : std::log(2) / -std::log(size);
}

int OctaveOf(double decay) {
  if (std::abs(decay) > 1) return kGrows;
  const double half_life = HalfLifeOf(decay);
  if (half_life < 1) return kShort;
  return std::isinf(half_life) ? kLong : std::min(kLong, static_cast<int>(std::log2(half_life)));
}

std::string OctaveText(int octave) {
  if (octave == kShort) return "< 1";
  if (octave == kGrows) return "grows";
  if (octave == kLong) return fmt::format("{} and more", int64_t{1} << kLong);
  return fmt::format("{}-{}", int64_t{1} << octave, int64_t{1} << (octave + 1));
}

/// Coefficients of the tokens looked at: n a token.
struct Coefficients {
  std::vector<double> decay, write;
  std::vector<int64_t> cell;  // b T + t of each token
};

struct Walk {
  const IsolatedMixer& mixer;
  const TaskSample& sample;
  const Array<double>& inputs;
  double dt_scale;
};

/// A mixer reading token after token, its recurrence from 0 at each: what comes out of a token is
/// what it writes.
class TokenWalk {
 public:
  explicit TokenWalk(const Walk& walk)
      : walk_(walk),
        rows_(walk.sample.piece.rows),
        local_(walk.mixer, walk.dt_scale),
        state_(walk.mixer.Fresh(rows_)),
        x_(static_cast<size_t>(rows_ * walk.mixer.channels())),
        values_(static_cast<size_t>(local_.size())) {
    if (walk.sample.piece.dt.size() > 0) dt_.resize(static_cast<size_t>(rows_));
  }

  /// Numbers of the recurrence of one row.
  int64_t size() const { return local_.size(); }

  /// Goes to token t, which Step takes.
  void GoTo(int64_t t) {
    const TaskPiece& piece = walk_.sample.piece;
    const int64_t width = walk_.mixer.channels();
    std::fill(values_.begin(), values_.end(), 0.0);
    for (int64_t b = 0; b < rows_; ++b) {
      const int64_t cell = b * piece.steps + t;
      std::copy_n(walk_.inputs.data() + cell * width, width, x_.data() + b * width);
      if (!dt_.empty()) dt_[static_cast<size_t>(b)] = piece.dt[cell];
      if (piece.start.size() > 0 && piece.start[cell] != 0) StepsOf(b) = 0;
      local_.Scatter(values_.data(), b, state_);
    }
  }

  /// Whether derivatives along all ones at 0, and along signs at another state, tell the same
  /// decays: entries are not mixed, and coefficients do not depend on the state.
  bool EntryByEntry(Random& random) {
    std::vector<double> plain(static_cast<size_t>(rows_ * size()), 1.0), signs;
    State<double> copy = state_.Clone();
    Run(copy, plain);
    copy = state_.Clone();
    for (size_t i = 0; i < plain.size(); ++i) signs.push_back(random.Bernoulli(0.5) ? 1 : -1);
    for (int64_t b = 0; b < rows_; ++b) {
      for (double& value : values_) value = random.Normal();
      local_.Scatter(values_.data(), b, copy);
    }
    std::vector<double> with_signs = signs;
    Run(copy, with_signs);
    for (size_t i = 0; i < plain.size(); ++i) {
      if (std::abs(with_signs[i] * signs[i] - plain[i]) > kMixed * (1 + std::abs(plain[i]))) {
        return false;
      }
    }
    return true;
  }

  void Step() {
    std::vector<double> none;
    Run(state_, none);
  }
  /// The same; token t's coefficients go to `found`, but for a sequence's first.
  void Step(int64_t t, Coefficients& found) {
    const std::vector<int64_t> before = state_.steps;
    const int64_t n = size();
    std::vector<double> decays(static_cast<size_t>(rows_ * n), 1.0);
    Run(state_, decays);
    for (int64_t b = 0; b < rows_; ++b) {
      if (before[static_cast<size_t>(b)] == 0 || !walk_.sample.Has(b, t)) continue;
      const auto first = decays.begin() + b * n;
      found.decay.insert(found.decay.end(), first, first + n);
      local_.Gather(state_, b, values_.data());
      found.write.insert(found.write.end(), values_.begin(), values_.end());
      found.cell.push_back(b * walk_.sample.piece.steps + t);
    }
  }

 private:
  int64_t& StepsOf(int64_t b) { return state_.steps[static_cast<size_t>(b)]; }
  void Run(State<double>& state, std::vector<double>& seeds) {
    local_.Run(state, x_.data(), dt_.empty() ? nullptr : dt_.data(), seeds);
  }

  const Walk& walk_;
  int64_t rows_;
  LocalStep local_;
  State<double> state_;
  std::vector<double> x_, dt_, values_;
};

/// Nothing where entries are mixed or coefficients depend on the state.
std::optional<Coefficients> Collect(const Walk& walk) {
  TokenWalk tokens(walk);
  if (tokens.size() == 0) return std::nullopt;
  const int64_t rows = walk.sample.piece.rows, steps = walk.sample.piece.steps;
  const int64_t every = std::max<int64_t>(1, rows * steps * tokens.size() / kMostCoefficients);
  Random random(0, RandomStream::kBootstrap, 0);
  Coefficients found;
  bool checked = false;
  for (int64_t t = 0; t < steps; ++t) {
    tokens.GoTo(t);
    if (t % every != 0) {
      tokens.Step();
      continue;
    }
    if (!checked && t > 0) {
      if (!tokens.EntryByEntry(random)) return std::nullopt;
      checked = true;
    }
    tokens.Step(t, found);
  }
  return found.cell.empty() ? std::nullopt : std::optional(std::move(found));
}

std::vector<HalfLifeOctave> OctavesOf(const Coefficients& all) {
  struct Sums {
    double count = 0, square = 0;
  };
  std::map<int, Sums> octaves;
  double total = 0;
  for (size_t i = 0; i < all.decay.size(); ++i) {
    Sums& sums = octaves[OctaveOf(all.decay[i])];
    ++sums.count;
    sums.square += all.write[i] * all.write[i];
    total += all.write[i] * all.write[i];
  }
  std::vector<HalfLifeOctave> result;
  for (const auto& [octave, sums] : octaves) {
    result.push_back({OctaveText(octave), sums.count / static_cast<double>(all.decay.size()),
                      std::sqrt(sums.square / sums.count), total > 0 ? sums.square / total : 0});
  }
  return result;
}

std::vector<KindSelection> KindsOf(const Coefficients& all, const TaskSample& sample) {
  const size_t n = all.decay.size() / all.cell.size();
  std::vector<KindSelection> result;
  for (const TokenKind& kind : sample.kinds) {
    std::vector<double> half_lives;
    double square = 0, tokens = 0;
    for (size_t k = 0; k < all.cell.size(); ++k) {
      if (kind.members[static_cast<size_t>(all.cell[k])] == 0) continue;
      ++tokens;
      for (size_t i = k * n; i < (k + 1) * n; ++i) {
        half_lives.push_back(HalfLifeOf(all.decay[i]));
        square += all.write[i] * all.write[i];
      }
    }
    if (half_lives.empty()) continue;
    const auto count = static_cast<double>(half_lives.size());
    result.push_back({kind.label, tokens / static_cast<double>(all.cell.size()),
                      QuantilesOf(std::move(half_lives)), std::sqrt(square / count)});
  }
  return result;
}

}  // namespace

Quantiles QuantilesOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&values](double share) {
    return values[static_cast<size_t>(
        std::llround(share * static_cast<double>(values.size() - 1)))];
  };
  return {at(0), at(0.01), at(0.1), at(0.5), at(0.9), at(0.99), at(1)};
}

std::optional<Selection> SelectionOf(const IsolatedMixer& mixer, const TaskSample& sample,
                                     const Array<double>& inputs, double dt_scale) {
  const std::optional<Coefficients> all = Collect({mixer, sample, inputs, dt_scale});
  if (!all) return std::nullopt;
  Selection result;
  result.tokens = std::ssize(all->cell);
  result.states = std::ssize(all->decay) / result.tokens;
  result.decay = QuantilesOf(all->decay);
  std::vector<double> half_lives;
  int64_t ones = 0, zeros = 0;
  for (const double decay : all->decay) {
    const double size = std::abs(decay);
    const auto in_float = static_cast<float>(size);
    ones += in_float == 1.0f ? 1 : 0;
    zeros += in_float == 0.0f ? 1 : 0;
    result.reach = std::max(result.reach, size);
    half_lives.push_back(HalfLifeOf(decay));
  }
  const auto count = static_cast<double>(all->decay.size());
  result.share_one = static_cast<double>(ones) / count;
  result.share_zero = static_cast<double>(zeros) / count;
  result.gap = 1 - result.reach;
  result.half_life = QuantilesOf(std::move(half_lives));
  for (const double write : all->write) {
    result.most_written = std::max(result.most_written, std::abs(write));
  }
  result.response_bound = result.gap > 0 ? result.most_written / result.gap : kInfinity;
  result.uniform_bound = mixer.DecayBound(dt_scale);
  result.octaves = OctavesOf(*all);
  result.kinds = KindsOf(*all, sample);
  return result;
}

}  // namespace ssm
