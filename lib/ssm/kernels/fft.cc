#include "ssm/kernels/fft.h"

#include <fftw3.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <type_traits>

namespace ssm::kernels {
namespace {

/// FFTW's planner is not thread-safe; execution is.
std::mutex& PlannerMutex() {
  static std::mutex mutex;
  return mutex;
}

template <class T>
struct Library;

template <>
struct Library<float> {
  using Plan = fftwf_plan;
  using Complex = fftwf_complex;
  static Plan Make(int n, Complex* from, Complex* to, int sign) {
    return fftwf_plan_dft_1d(n, from, to, sign, FFTW_ESTIMATE);
  }
  static void Run(Plan plan, Complex* from, Complex* to) { fftwf_execute_dft(plan, from, to); }
  static void Destroy(Plan plan) { fftwf_destroy_plan(plan); }
};

template <>
struct Library<double> {
  using Plan = fftw_plan;
  using Complex = fftw_complex;
  static Plan Make(int n, Complex* from, Complex* to, int sign) {
    return fftw_plan_dft_1d(n, from, to, sign, FFTW_ESTIMATE);
  }
  static void Run(Plan plan, Complex* from, Complex* to) { fftw_execute_dft(plan, from, to); }
  static void Destroy(Plan plan) { fftw_destroy_plan(plan); }
};

template <class T>
void Run(void* plan, const T* from, T* to) {
  using Complex = typename Library<T>::Complex;
  // Out of place and without FFTW_DESTROY_INPUT, FFTW leaves `from` as it is.
  Library<T>::Run(static_cast<typename Library<T>::Plan>(plan),
                  reinterpret_cast<Complex*>(const_cast<T*>(from)), reinterpret_cast<Complex*>(to));
}

}  // namespace

int64_t GoodFftLength(int64_t least) {
  int64_t best = 0;
  least = std::max<int64_t>(least, 8);
  for (int64_t fives = 1; fives < 5 * least; fives *= 5) {
    for (int64_t threes = fives; threes < 3 * least; threes *= 3) {
      int64_t n = threes;
      while (n < least) n *= 2;
      if (best == 0 || n < best) best = n;
    }
  }
  return best;
}

template <class T>
const Fft<T>& Fft<T>::OfLength(int64_t n) {
  static std::map<int64_t, std::unique_ptr<const Fft>> plans;
  const std::lock_guard<std::mutex> lock(PlannerMutex());
  std::unique_ptr<const Fft>& plan = plans[n];
  if (plan == nullptr) plan.reset(new Fft(n));
  return *plan;
}

template <class T>
Fft<T>::Fft(int64_t n) {
  using Complex = typename Library<T>::Complex;
  struct Free {
    void operator()(T* p) const { ::operator delete[](p, std::align_val_t{64}); }
  };
  const auto numbers = [n] {
    return std::unique_ptr<T, Free>(static_cast<T*>(
        ::operator new[](static_cast<size_t>(2 * n) * sizeof(T), std::align_val_t{64})));
  };
  const auto from = numbers(), to = numbers();
  const auto plan = [&](int sign) {
    return Library<T>::Make(static_cast<int>(n), reinterpret_cast<Complex*>(from.get()),
                            reinterpret_cast<Complex*>(to.get()), sign);
  };
  forward_ = plan(FFTW_FORWARD);
  inverse_ = plan(FFTW_BACKWARD);
}

template <class T>
Fft<T>::~Fft() {
  Library<T>::Destroy(static_cast<typename Library<T>::Plan>(forward_));
  Library<T>::Destroy(static_cast<typename Library<T>::Plan>(inverse_));
}

template <class T>
void Fft<T>::Forward(const T* from, T* to) const {
  Run(forward_, from, to);
}

template <class T>
void Fft<T>::Inverse(const T* from, T* to) const {
  Run(inverse_, from, to);
}

template class Fft<float>;
template class Fft<double>;

}  // namespace ssm::kernels
