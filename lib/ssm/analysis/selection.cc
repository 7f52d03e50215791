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

/// Nothing where entries are mixed or coefficients depend on the state.
std::optional<Coefficients> Collect(const Walk& walk) {
  const TaskPiece& piece = walk.sample.piece;
  const int64_t rows = piece.rows, steps = piece.steps, width = walk.mixer.channels();
  LocalStep local(walk.mixer, walk.dt_scale);
  const int64_t n = local.size();
  if (n == 0) return std::nullopt;
  const int64_t every = std::max<int64_t>(1, rows * steps * n / kMostCoefficients);
  Random random(0, RandomStream::kBootstrap, 0);
  Coefficients found;
  State<double> state = walk.mixer.Fresh(rows);
  std::vector<double> x(static_cast<size_t>(rows * width)), dt, seeds, signs,
      values(static_cast<size_t>(n));
  if (piece.dt.size() > 0) dt.resize(static_cast<size_t>(rows));
  bool checked = false;
  for (int64_t t = 0; t < steps; ++t) {
    for (int64_t b = 0; b < rows; ++b) {
      std::copy_n(walk.inputs.data() + (b * steps + t) * width, width, x.data() + b * width);
      if (!dt.empty()) dt[static_cast<size_t>(b)] = piece.dt[b * steps + t];
      if (piece.start.size() > 0 && piece.start[b * steps + t] != 0) {
        state.steps[static_cast<size_t>(b)] = 0;
      }
      // The recurrence starts from 0 at every token: what comes out is what is written.
      std::fill(values.begin(), values.end(), 0.0);
      local.Scatter(values.data(), b, state);
    }
    const std::vector<int64_t> before = state.steps;
    const bool wanted = t % every == 0;
    seeds.clear();
    if (wanted) seeds.assign(static_cast<size_t>(rows * n), 1.0);
    // The first token looked at is asked twice more: with signs, and from another state.
    if (wanted && !checked && t > 0) {
      checked = true;
      State<double> copy = state.Clone();
      std::vector<double> plain = seeds;
      local.Run(copy, x.data(), dt.empty() ? nullptr : dt.data(), plain);
      copy = state.Clone();
      signs.clear();
      for (int64_t i = 0; i < rows * n; ++i) signs.push_back(random.Bernoulli(0.5) ? 1 : -1);
      for (int64_t b = 0; b < rows; ++b) {
        for (double& value : values) value = random.Normal();
        local.Scatter(values.data(), b, copy);
      }
      std::vector<double> signed_seeds = signs;
      local.Run(copy, x.data(), dt.empty() ? nullptr : dt.data(), signed_seeds);
      for (size_t i = 0; i < signs.size(); ++i) {
        if (std::abs(signed_seeds[i] * signs[i] - plain[i]) > kMixed * (1 + std::abs(plain[i]))) {
          return std::nullopt;
        }
      }
    }
    local.Run(state, x.data(), dt.empty() ? nullptr : dt.data(), seeds);
    if (!wanted) continue;
    for (int64_t b = 0; b < rows; ++b) {
      if (before[static_cast<size_t>(b)] == 0 || !walk.sample.Has(b, t)) continue;
      found.decay.insert(found.decay.end(), seeds.begin() + b * n, seeds.begin() + (b + 1) * n);
      local.Gather(state, b, values.data());
      found.write.insert(found.write.end(), values.begin(), values.end());
      found.cell.push_back(b * steps + t);
    }
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
