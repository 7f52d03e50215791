#include "ssm/kernels/dplr_scan.h"

#include <algorithm>

#include "ssm/kernels/dplr_step.h"

namespace ssm::kernels {
namespace {

/// The scratch of one channel.
template <class T>
struct Scratch {
  DplrChannel<T> channel;
  DplrChannel<T> gradient;  // of a, v, f, b and c themselves
  T* adjoint_re;            // [modes] dL/dx
  T* adjoint_im;
  T* history;  // [kTileSteps + 1, modes, 2]
  T* phi;      // [kTileSteps]

  static int64_t Size(int64_t modes) {
    return 2 * DplrChannelSize(modes) + 2 * modes + (kTileSteps + 1) * 2 * modes + kTileSteps;
  }
  Scratch(T* base, int64_t modes) {
    const auto take = [&base](int64_t n) {
      T* at = base;
      base += n;
      return at;
    };
    channel = DplrChannelIn(take(DplrChannelSize(modes)), modes);
    gradient = DplrChannelIn(take(DplrChannelSize(modes)), modes);
    adjoint_re = take(modes);
    adjoint_im = take(modes);
    history = take((kTileSteps + 1) * 2 * modes);
    phi = take(kTileSteps);
  }
};

/// One channel over the whole batch.
template <class T>
class ChannelScan {
 public:
  ChannelScan(const DplrSystem<T>& system, const DplrBatch<T>& batch, int64_t d, T* scratch)
      : system_(system), batch_(batch), d_(d), modes_(system.modes), s_(scratch, system.modes) {
    LoadDplrChannel(system, d, s_.channel);
  }

  void Forward(T* y, T* last, T* checkpoints) {
    T* x = s_.history;
    for (int64_t i = 0; i < batch_.tiles.size(); ++i) {
      const TimeTile tile = batch_.tiles[i];
      if (tile.begin == 0) Begin(tile.row, x);
      if (tile.kind == TileKind::kStarts) std::fill_n(x, 2 * modes_, T{0});
      if (tile.checkpoint >= 0 && checkpoints != nullptr) {
        std::copy_n(x, 2 * modes_, checkpoints + Checkpoint(tile));
      }
      for (int64_t t = 0; t < tile.length; ++t) {
        const int64_t at = Token(tile, t);
        T out = 0;
        if (tile.kind != TileKind::kPadding) {
          out = StepDplr(s_.channel, modes_, Input(at), x, x).y + Skip() * Input(at);
        }
        if (y != nullptr) y[at] = out;
      }
      if (last != nullptr && tile.begin + tile.length == batch_.steps) {
        std::copy_n(x, 2 * modes_, last + State(tile.row));
      }
    }
  }

  void Backward(const T* checkpoints, const T* gy, const T* glast,
                const DplrBatchGradients<T>& into) {
    std::fill_n(s_.gradient.a_re, DplrChannelSize(modes_), T{0});
    for (int64_t i = batch_.tiles.size() - 1; i >= 0; --i) {
      const TimeTile tile = batch_.tiles[i];
      if (tile.begin + tile.length == batch_.steps) {
        BeginAdjoint(glast == nullptr ? nullptr : glast + State(tile.row));
      }
      if (tile.kind != TileKind::kPadding) {
        Recompute(tile, checkpoints);
        for (int64_t t = tile.length - 1; t >= 0; --t) {
          StepBack(t, Token(tile, t), gy, into.u);
        }
      }
      if (tile.kind == TileKind::kStarts) BeginAdjoint(nullptr);
      if (tile.begin == 0 && into.x0 != nullptr) AddAdjoint(into.x0 + State(tile.row));
    }
  }

  void AddGradients(const DplrGradients<T>& into) const {
    const DplrChannel<T>& g = s_.gradient;
    Add(g.a_re, g.a_im, into.a_minus_1);
    Add(g.v_re, g.v_im, into.v);
    Add(g.f_re, g.f_im, into.f);
    Add(g.b_re, g.b_im, into.b);
    Add(g.c_re, g.c_im, into.c);
    if (into.skip != nullptr) into.skip[d_] += g_skip_;
  }

 private:
  int64_t State(int64_t row) const { return (row * system_.channels + d_) * 2 * modes_; }
  int64_t Checkpoint(const TimeTile& tile) const {
    return (tile.checkpoint * system_.channels + d_) * 2 * modes_;
  }
  int64_t Token(const TimeTile& tile, int64_t t) const {
    return (tile.row * batch_.steps + tile.begin + t) * system_.channels + d_;
  }
  T Input(int64_t at) const { return batch_.u == nullptr ? 0 : batch_.u[at]; }
  T Skip() const { return system_.skip == nullptr ? 0 : system_.skip[d_]; }

  void Begin(int64_t row, T* x) const {
    if (batch_.x0 == nullptr) {
      std::fill_n(x, 2 * modes_, T{0});
    } else {
      std::copy_n(batch_.x0 + State(row), 2 * modes_, x);
    }
  }

  /// The states before and after each token of a tile.
  void Recompute(const TimeTile& tile, const T* checkpoints) {
    T* x = s_.history;
    if (tile.checkpoint >= 0) {
      std::copy_n(checkpoints + Checkpoint(tile), 2 * modes_, x);
    } else {
      std::fill_n(x, 2 * modes_, T{0});
    }
    for (int64_t t = 0; t < tile.length; ++t, x += 2 * modes_) {
      const T u = Input(Token(tile, t));
      s_.phi[t] = StepDplr(s_.channel, modes_, u, x, x + 2 * modes_).phi;
    }
  }

  void BeginAdjoint(const T* pairs) {
    for (int64_t n = 0; n < modes_; ++n) {
      s_.adjoint_re[n] = pairs == nullptr ? 0 : pairs[2 * n];
      s_.adjoint_im[n] = pairs == nullptr ? 0 : pairs[2 * n + 1];
    }
  }
  void AddAdjoint(T* pairs) const {
    for (int64_t n = 0; n < modes_; ++n) {
      pairs[2 * n] += s_.adjoint_re[n];
      pairs[2 * n + 1] += s_.adjoint_im[n];
    }
  }
  void Add(const T* re, const T* im, T* array) const {
    if (array == nullptr) return;
    T* pairs = array + 2 * d_ * modes_;
    for (int64_t n = 0; n < modes_; ++n) {
      pairs[2 * n] += re[n];
      pairs[2 * n + 1] += im[n];
    }
  }

  /// Token t of the tile in the history: the adjoint of the state after it becomes that of the
  /// state before.
  void StepBack(int64_t t, int64_t at, const T* gy, T* gu) {
    const T output = gy == nullptr ? 0 : gy[at], u = Input(at);
    const T input = AddOutput(output, s_.history + (t + 1) * 2 * modes_);
    if (gu != nullptr) gu[at] += input + Skip() * output;
    g_skip_ += output * u;
    AddStep(u, s_.phi[t], s_.history + t * 2 * modes_);
  }

  /// The adjoint takes the output's part; returns dL/du through the state.
  T AddOutput(T output, const T* after) {
    const auto [a_re, a_im, v_re, v_im, f_re, f_im, b_re, b_im, c_re, c_im] = s_.channel;
    T *re = s_.adjoint_re, *im = s_.adjoint_im;
    T *gc_re = s_.gradient.c_re, *gc_im = s_.gradient.c_im;
    const T twice = 2 * output;
    T input = 0, g_phi = 0;
#pragma omp simd reduction(+ : input, g_phi)
    for (int64_t n = 0; n < modes_; ++n) {
      re[n] += output * c_re[n];
      im[n] -= output * c_im[n];
      gc_re[n] += twice * after[2 * n];
      gc_im[n] -= twice * after[2 * n + 1];
      input += b_re[n] * re[n] + b_im[n] * im[n];
      g_phi -= v_re[n] * re[n] + v_im[n] * im[n];
    }
    g_phi_ = g_phi;
    return input;
  }

  void AddStep(T u, T phi, const T* before) {
    const auto [a_re, a_im, v_re, v_im, f_re, f_im, b_re, b_im, c_re, c_im] = s_.channel;
    const auto [ga_re, ga_im, gv_re, gv_im, gf_re, gf_im, gb_re, gb_im, gc_re, gc_im] = s_.gradient;
    T *adjoint_re = s_.adjoint_re, *adjoint_im = s_.adjoint_im;
    const T g_phi = g_phi_, twice = 2 * g_phi_;
#pragma omp simd
    for (int64_t n = 0; n < modes_; ++n) {
      const T re = adjoint_re[n], im = adjoint_im[n];
      const T x_re = before[2 * n], x_im = before[2 * n + 1];
      ga_re[n] += x_re * re + x_im * im;
      ga_im[n] += x_re * im - x_im * re;
      gv_re[n] -= phi * re;
      gv_im[n] -= phi * im;
      gf_re[n] += twice * x_re;
      gf_im[n] -= twice * x_im;
      gb_re[n] += u * re;
      gb_im[n] += u * im;
      adjoint_re[n] = re + (a_re[n] * re + a_im[n] * im) + g_phi * f_re[n];
      adjoint_im[n] = im + (a_re[n] * im - a_im[n] * re) - g_phi * f_im[n];
    }
  }

  const DplrSystem<T>& system_;
  const DplrBatch<T>& batch_;
  int64_t d_, modes_;
  Scratch<T> s_;
  T g_phi_ = 0, g_skip_ = 0;
};

}  // namespace

template <class T>
int64_t DplrScanScratch(const DplrSystem<T>& system) {
  return Scratch<T>::Size(system.modes);
}

template <class T>
int64_t DplrCheckpoint(const DplrSystem<T>& system) {
  return system.channels * system.modes * 2;
}

template <class T>
void DplrScan(const DplrSystem<T>& system, const DplrBatch<T>& batch, T* y, T* last, T* checkpoints,
              T* scratch) {
  for (int64_t d = 0; d < system.channels; ++d) {
    ChannelScan<T>(system, batch, d, scratch).Forward(y, last, checkpoints);
  }
}

template <class T>
void DplrScanBackward(const DplrSystem<T>& system, const DplrBatch<T>& batch, const T* checkpoints,
                      const T* gy, const T* glast, const DplrGradients<T>& gradients,
                      const DplrBatchGradients<T>& into, T* scratch) {
  for (int64_t d = 0; d < system.channels; ++d) {
    ChannelScan<T> channel(system, batch, d, scratch);
    channel.Backward(checkpoints, gy, glast, into);
    channel.AddGradients(gradients);
  }
}

#define SSM_INSTANTIATE(T)                                                                        \
  template int64_t DplrScanScratch(const DplrSystem<T>&);                                         \
  template int64_t DplrCheckpoint(const DplrSystem<T>&);                                          \
  template void DplrScan(const DplrSystem<T>&, const DplrBatch<T>&, T*, T*, T*, T*);              \
  template void DplrScanBackward(const DplrSystem<T>&, const DplrBatch<T>&, const T*, const T*,   \
                                 const T*, const DplrGradients<T>&, const DplrBatchGradients<T>&, \
                                 T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
