#include "ssm/kernels/s4d_irregular.h"

#include <cmath>

#include "ssm/kernels/discretize_mode.h"
#include "ssm/kernels/s4d_block-inl.h"

namespace ssm::kernels {
namespace {

/// A_bar - 1 and B_bar made for each token of a tile.
template <class T, int P>
class TokenSteps {
 public:
  TokenSteps(const DiagonalSystem<T>& system, const BlockNumbers<T>& block,
             ScratchCursor<T>& cursor, const IrregularSystem<T>& irregular, int64_t steps,
             T* const& g_dt)
      : modes_(system.modes),
        steps_(steps),
        block_(block),
        irregular_(irregular),
        g_dt_(g_dt),
        dt_(Doubles(cursor, 1)),
        g_log_dt_(Doubles(cursor, 1)),
        poles_(Doubles(cursor, 2 * modes_)),
        g_poles_(Doubles(cursor, 2 * modes_)),
        numbers_(cursor.Take(kTileSteps * kGroup * kMode)),
        gradients_(cursor.Take(kTileSteps * kGroup * kMode)) {
    if (numbers_ != nullptr) LoadPoles();
  }

  void BeginGroup(const TimeTile& tile, int64_t mode, int modes) {
    for (int64_t t = 0; t < tile.length; ++t) {
      const double dt = TokenDt(tile, t);
      for (int q = 0; q < modes; ++q) FillMode(dt, mode + q, At(numbers_, t, q, modes));
    }
    group_ = modes;
  }

  TileRows<T> Rows(int64_t, int64_t lane) const {
    return {numbers_ + lane, kMode, group_ * kMode, nullptr};
  }

  void BeginBackward() {
    std::fill_n(g_log_dt_, kLanes, 0.0);
    std::fill_n(g_poles_, 2 * modes_ * kLanes, 0.0);
  }

  /// Each token's gradient of mode q of the group, into the gradients' rows.
  template <class Traits, int Q>
  void AddGradients(int64_t, int q, int64_t lane, int64_t length, const GroupTrace<T>& trace) {
    const LaneTag<T> tag;
    LaneVec<T> gc[P];
    for (int p = 0; p < P; ++p) gc[p] = hn::Load(tag, trace.g_c + p * kLanes);
    for (int64_t t = 0; t < length; ++t) {
      LaneVec<T> lambda[P], before[P], after[P], ga[P * P];
      for (LaneVec<T>& sum : ga) sum = hn::Zero(tag);
      for (int p = 0; p < P; ++p) {
        const T* number = trace.history + ((t * Q + q) * P + p) * kVectorLanes<T>;
        lambda[p] = hn::Load(tag, trace.adjoints + ((t * Q + q) * P + p) * kVectorLanes<T>);
        before[p] = hn::Load(tag, number);
        after[p] = hn::Load(tag, number + Q * P * kVectorLanes<T>);
      }
      AddStepGradient<T, P>(lambda, before, ga);
      const LaneVec<T> u = hn::Load(tag, trace.x + t * kLanes);
      T* into = At(gradients_, t, q, Q) + lane;
      for (int p = 0; p < P; ++p) {
        hn::Store(StepGradientPart<T, P>(ga, p), tag, into + p * kLanes);
        hn::Store(hn::Mul(lambda[p], u), tag, into + (P + p) * kLanes);
      }
      if constexpr (Traits::kOut) {
        AddOutputGradient<T, P>(hn::Load(tag, trace.gy + t * kLanes), after, gc);
      }
    }
    for (int p = 0; p < P; ++p) hn::Store(gc[p], tag, trace.g_c + p * kLanes);
  }

  /// Chains the group's gradients to poles and steps.
  void EndGroup(const TimeTile& tile, int64_t mode, int modes) {
    for (int64_t t = 0; t < tile.length; ++t) {
      const double dt = TokenDt(tile, t);
      double g_dt = 0;
      for (int q = 0; q < modes; ++q) {
        g_dt += ChainMode(dt, mode + q, At(gradients_, t, q, modes));
      }
      if (g_dt_ != nullptr) {
        g_dt_[tile.row * steps_ + tile.begin + t] += static_cast<T>(g_dt);
      }
    }
  }

  void Finish(const IrregularGradients<T>& g) {
    for (int64_t c = 0; c < block_.width; ++c) {
      if (g.log_dt != nullptr) g.log_dt[block_.first + c] += static_cast<T>(g_log_dt_[c]);
      for (int64_t n = 0; n < modes_; ++n) {
        const int64_t i = (block_.first + c) * modes_ + n;
        const double* pole = poles_ + 2 * n * kLanes + c;
        const double* g_pole = g_poles_ + 2 * n * kLanes + c;
        if (g.log_a_real != nullptr) g.log_a_real[i] += static_cast<T>(pole[0] * g_pole[0]);
        if (g.a_imag != nullptr) g.a_imag[i] += static_cast<T>(g_pole[kLanes]);
      }
    }
  }

 private:
  static constexpr int64_t kMode = 2 * P * kLanes;

  static double* Doubles(ScratchCursor<T>& cursor, int64_t rows) {
    constexpr int64_t size = static_cast<int64_t>(sizeof(double) / sizeof(T));
    return reinterpret_cast<double*>(cursor.Take(rows * kLanes * size));
  }
  static T* At(T* rows, int64_t t, int q, int modes) { return rows + (t * modes + q) * kMode; }
  double TokenDt(const TimeTile& tile, int64_t t) const {
    return static_cast<double>(irregular_.dt[tile.row * steps_ + tile.begin + t]);
  }

  /// Absent channels get step 0 and pole 0.
  void LoadPoles() {
    const DiagonalParameterView<T>& p = irregular_.parameters;
    std::fill_n(dt_, kLanes, 0.0);
    std::fill_n(poles_, 2 * modes_ * kLanes, 0.0);
    for (int64_t c = 0; c < block_.width; ++c) {
      const int64_t d = block_.first + c;
      dt_[c] = p.dt_scale * std::exp(static_cast<double>(p.log_dt[d]));
      for (int64_t n = 0; n < modes_; ++n) {
        double* pole = poles_ + 2 * n * kLanes + c;
        pole[0] = -std::exp(static_cast<double>(p.log_a_real[d * modes_ + n]));
        if (P == 2) pole[kLanes] = static_cast<double>(p.a_imag[d * modes_ + n]);
      }
    }
  }

  void FillMode(double dt, int64_t mode, T* rows) const {
    if (irregular_.rule == DiscretizationRule::kZoh) {
      FillModeBy<DiscretizationRule::kZoh>(dt, mode, rows);
    } else {
      FillModeBy<DiscretizationRule::kBilinear>(dt, mode, rows);
    }
  }
  template <DiscretizationRule kRule>
  void FillModeBy(double dt, int64_t mode, T* rows) const {
    const double *steps = dt_, *pole_re = poles_ + 2 * mode * kLanes, *pole_im = pole_re + kLanes;
#pragma omp simd
    for (int64_t c = 0; c < kLanes; ++c) {
      const DiscreteMode m = DiscretizeModeBy<kRule>(dt * steps[c], pole_re[c], pole_im[c]);
      rows[c] = static_cast<T>(m.a_re);
      rows[P * kLanes + c] = static_cast<T>(m.b_re);
      if constexpr (P == 2) {
        rows[kLanes + c] = static_cast<T>(m.a_im);
        rows[(P + 1) * kLanes + c] = static_cast<T>(m.b_im);
      }
    }
  }

  /// Returns the part of the gradient of the token's dt.
  double ChainMode(double dt, int64_t mode, const T* rows) {
    return irregular_.rule == DiscretizationRule::kZoh
               ? ChainModeBy<DiscretizationRule::kZoh>(dt, mode, rows)
               : ChainModeBy<DiscretizationRule::kBilinear>(dt, mode, rows);
  }
  template <DiscretizationRule kRule>
  double ChainModeBy(double dt, int64_t mode, const T* rows) {
    const double *steps = dt_, *pole_re = poles_ + 2 * mode * kLanes, *pole_im = pole_re + kLanes;
    double *g_re = g_poles_ + 2 * mode * kLanes, *g_im = g_re + kLanes, *g_log_dt = g_log_dt_;
    double sum = 0;
    // Absent channels have step 0 and so no part in anything.
#pragma omp simd reduction(+ : sum)
    for (int64_t c = 0; c < kLanes; ++c) {
      const DiscreteMode gradient{static_cast<double>(rows[c]),
                                  P == 2 ? static_cast<double>(rows[kLanes + c]) : 0,
                                  static_cast<double>(rows[P * kLanes + c]),
                                  P == 2 ? static_cast<double>(rows[(2 * P - 1) * kLanes + c]) : 0};
      const ModeGradient g =
          DiscretizeModeBackwardBy<kRule>(dt * steps[c], pole_re[c], pole_im[c], gradient);
      g_re[c] += g.a_re;
      g_im[c] += g.a_im;
      g_log_dt[c] += dt * steps[c] * g.dt;
      sum += steps[c] * g.dt;
    }
    return sum;
  }

  int64_t modes_;
  int64_t steps_;
  BlockNumbers<T> block_;
  const IrregularSystem<T>& irregular_;
  T* g_dt_;                   // [rows, steps] or null
  double *dt_, *g_log_dt_;    // [16]: e^log_dt dt_scale and its log's gradient
  double *poles_, *g_poles_;  // [modes, 2, 16]: A
  T *numbers_, *gradients_;   // [kTileSteps, group, 2, P, 16]
  int64_t group_ = kGroup;
};

template <class T, int P, bool kOut>
using Block = BlockScan<ScanTraits<T, P, true, kOut, true>, TokenSteps<T, P>>;

/// Calls run(block of 16 channels) for each.
template <bool kOut, class T, class Run>
void ForEachBlock(const IrregularSystem<T>& system, const ScanBatch<T>& batch, T* scratch, T* g_dt,
                  Run run) {
  for (int64_t block = 0; block < LaneBlocks(system.output.channels); ++block) {
    if (system.output.complex) {
      run(Block<T, 2, kOut>(system.output, batch, block, scratch, system, batch.steps, g_dt));
    } else {
      run(Block<T, 1, kOut>(system.output, batch, block, scratch, system, batch.steps, g_dt));
    }
  }
}

}  // namespace

template <class T>
int64_t S4dIrregularScratch(const IrregularSystem<T>& system) {
  int64_t size = 0;
  ForEachBlock<true, T>(system, {}, nullptr, nullptr, [&](auto block) { size = block.scratch(); });
  return size;
}

template <class T>
void S4dIrregularScan(const IrregularSystem<T>& system, const ScanBatch<T>& batch, T* y, T* last,
                      T* checkpoints, T* scratch) {
  ForEachBlock<true, T>(system, batch, scratch, nullptr,
                        [&](auto block) { block.Forward(y, last, checkpoints); });
}

template <class T>
void S4dIrregularBackward(const IrregularSystem<T>& system, const ScanBatch<T>& batch,
                          const T* checkpoints, const T* gy, const T* glast,
                          const IrregularGradients<T>& gradients, T* scratch) {
  const auto backward = [&](auto block) { block.Backward(checkpoints, gy, glast, gradients); };
  if (gy != nullptr) ForEachBlock<true, T>(system, batch, scratch, gradients.dt, backward);
  if (gy == nullptr) ForEachBlock<false, T>(system, batch, scratch, gradients.dt, backward);
}

#define SSM_INSTANTIATE(T)                                                                        \
  template int64_t S4dIrregularScratch(const IrregularSystem<T>&);                                \
  template void S4dIrregularScan(const IrregularSystem<T>&, const ScanBatch<T>&, T*, T*, T*, T*); \
  template void S4dIrregularBackward(const IrregularSystem<T>&, const ScanBatch<T>&, const T*,    \
                                     const T*, const T*, const IrregularGradients<T>&, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
