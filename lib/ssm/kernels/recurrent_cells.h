// One row of each recurrent cell: its gates, forward and backward.
#pragma once

#include <cmath>
#include <cstdint>

#include "ssm/base/errors.h"
#include "ssm/kernels/elementary.h"
#include "ssm/kernels/recurrent_scan.h"

namespace ssm::kernels {

/// One token of one row, forward. in, p [gates, n]: the input's and the state's part of the
/// pre-activations. h and c [n]: before, and in place after. gates and inner: what is kept.
template <class T>
struct CellStep {
  const T *in, *p;
  T *h, *c, *gates, *inner;
};

/// One token of one row, backward. gates comes as what was kept and leaves as the gradient of p,
/// which is also that of `in` but for the last block of gru: that one goes to g_in_n [n]. gh and gc
/// [n] are the gradients of the state after, and in place what reaches the one before directly.
template <class T>
struct CellGradient {
  T* gates;
  const T *inner, *h, *h_before, *c_before;
  T *gh, *gc, *g_in_n;
};

struct RnnCell {
  static constexpr int64_t kGates = 1;
  static constexpr bool kHasMemory = false;  // a c beside h
  static constexpr bool kSplitsIn = false;   // the gradient of `in` is not that of p

  template <class T>
  static void Step(int64_t n, const CellStep<T>& s) {
    const T *in = s.in, *p = s.p;
    T* h = s.h;
#pragma omp simd
    for (int64_t j = 0; j < n; ++j) h[j] = Tanh(in[j] + p[j]);
  }

  template <class T>
  static void Back(int64_t n, const CellGradient<T>& s) {
    const T* h = s.h;
    T *ga = s.gates, *gh = s.gh;
#pragma omp simd
    for (int64_t j = 0; j < n; ++j) {
      ga[j] = gh[j] * (1 - h[j] * h[j]);
      gh[j] = 0;
    }
  }
};

struct GruCell {
  static constexpr int64_t kGates = 3;
  static constexpr bool kHasMemory = false;
  static constexpr bool kSplitsIn = true;

  template <class T>
  static void Step(int64_t n, const CellStep<T>& s) {
    const T *in_r = s.in, *in_z = in_r + n, *in_n = in_z + n;
    const T *p_r = s.p, *p_z = p_r + n, *p_n = p_z + n;
    T *r_out = s.gates, *z_out = r_out + n, *p_out = z_out + n, *n_out = s.inner, *h = s.h;
#pragma omp simd
    for (int64_t j = 0; j < n; ++j) {
      const T r = Sigmoid(in_r[j] + p_r[j]);
      const T z = Sigmoid(in_z[j] + p_z[j]);
      const T candidate = Tanh(in_n[j] + r * p_n[j]);
      h[j] = (1 - z) * candidate + z * h[j];
      r_out[j] = r;
      z_out[j] = z;
      p_out[j] = p_n[j];
      n_out[j] = candidate;
    }
  }

  template <class T>
  static void Back(int64_t n, const CellGradient<T>& s) {
    T *r_gate = s.gates, *z_gate = r_gate + n, *p_gate = z_gate + n, *g_in_n = s.g_in_n, *gh = s.gh;
    const T *inner = s.inner, *before = s.h_before;
#pragma omp simd
    for (int64_t j = 0; j < n; ++j) {
      const T r = r_gate[j], z = z_gate[j], candidate = inner[j], g = gh[j];
      const T g_n = g * (1 - z) * (1 - candidate * candidate);
      r_gate[j] = g_n * p_gate[j] * r * (1 - r);
      z_gate[j] = g * (before[j] - candidate) * z * (1 - z);
      p_gate[j] = g_n * r;
      g_in_n[j] = g_n;
      gh[j] = g * z;
    }
  }
};

struct LstmCell {
  static constexpr int64_t kGates = 4;
  static constexpr bool kHasMemory = true;
  static constexpr bool kSplitsIn = false;

  template <class T>
  static void Step(int64_t n, const CellStep<T>& s) {
    const T *in_i = s.in, *in_f = in_i + n, *in_g = in_f + n, *in_o = in_g + n;
    const T *p_i = s.p, *p_f = p_i + n, *p_g = p_f + n, *p_o = p_g + n;
    T *i_out = s.gates, *f_out = i_out + n, *g_out = f_out + n, *o_out = g_out + n;
    T *h = s.h, *c = s.c, *c_out = s.inner;
#pragma omp simd
    for (int64_t j = 0; j < n; ++j) {
      const T i = Sigmoid(in_i[j] + p_i[j]);
      const T f = Sigmoid(in_f[j] + p_f[j]);
      const T g = Tanh(in_g[j] + p_g[j]);
      const T o = Sigmoid(in_o[j] + p_o[j]);
      const T memory = f * c[j] + i * g;
      c[j] = memory;
      h[j] = o * Tanh(memory);
      i_out[j] = i;
      f_out[j] = f;
      g_out[j] = g;
      o_out[j] = o;
      c_out[j] = memory;
    }
  }

  template <class T>
  static void Back(int64_t n, const CellGradient<T>& s) {
    T *i_gate = s.gates, *f_gate = i_gate + n, *g_gate = f_gate + n, *o_gate = g_gate + n;
    T *gh = s.gh, *gc = s.gc;
    const T *memory = s.inner, *before = s.c_before;
#pragma omp simd
    for (int64_t j = 0; j < n; ++j) {
      const T i = i_gate[j], f = f_gate[j], g = g_gate[j], o = o_gate[j];
      const T squashed = Tanh(memory[j]);
      const T g_memory = gc[j] + gh[j] * o * (1 - squashed * squashed);
      i_gate[j] = g_memory * g * i * (1 - i);
      f_gate[j] = g_memory * before[j] * f * (1 - f);
      g_gate[j] = g_memory * i * (1 - g * g);
      o_gate[j] = gh[j] * squashed * o * (1 - o);
      gc[j] = g_memory * f;
      gh[j] = 0;
    }
  }
};

/// Calls body with the cell's type.
template <class Body>
auto DispatchCell(RecurrentCell cell, Body body) {
  switch (cell) {
    case RecurrentCell::kRnn:
      return body(RnnCell{});
    case RecurrentCell::kGru:
      return body(GruCell{});
    case RecurrentCell::kLstm:
      return body(LstmCell{});
  }
  SSM_CHECK(false, "a recurrent cell that does not exist");
}

}  // namespace ssm::kernels
