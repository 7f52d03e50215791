#include "ssm/autograd/ops/dropout.h"

#include "ssm/autograd/ops/shapes.h"
#include "ssm/base/errors.h"
#include "ssm/base/random.h"

namespace ssm {
namespace {

/// Bits 0 to 3: whether channels 4 block to 4 block + 3 of one token are kept.
uint64_t KeptOfBlock(const DropoutSite& site, int64_t row, int64_t position, int64_t block) {
  const auto bits =
      Philox4x32({static_cast<uint32_t>(block), static_cast<uint32_t>(position),
                  static_cast<uint32_t>(row), static_cast<uint32_t>(site.site)},
                 {static_cast<uint32_t>(site.key), static_cast<uint32_t>(site.key >> 32)});
  const double threshold = site.rate * 0x1p32;
  uint64_t kept = 0;
  for (size_t i = 0; i < 4; ++i) {
    if (static_cast<double>(bits[i]) >= threshold) kept |= uint64_t{1} << i;
  }
  return kept;
}

/// One bit for each channel of one token.
void FillMask(const DropoutSite& site, int64_t row, int64_t position, int64_t channels,
              int64_t* words) {
  for (int64_t block = 0; block * 4 < channels; ++block) {
    const uint64_t kept = KeptOfBlock(site, row, position, block);
    words[block / 16] |= static_cast<int64_t>(kept << (block % 16 * 4));
  }
}

/// y = or += scale x where the mask's bit is set.
template <Scalar T, class Store>
void ApplyMask(int64_t tokens, int64_t channels, const int64_t* words, int64_t words_per_token,
               T scale, const T* x, T* y, Store store) {
  for (int64_t i = 0; i < tokens; ++i, x += channels, y += channels, words += words_per_token) {
    for (int64_t d = 0; d < channels; ++d) {
      const bool kept = (static_cast<uint64_t>(words[d / 64]) >> (d % 64) & 1) != 0;
      store(y[d], kept ? scale * x[d] : T{0});
    }
  }
}

}  // namespace

template <Scalar T>
Var<T> ApplyDropout(Tape<T>& tape, Var<T> x, const Clock& clock, const DropoutSite& site) {
  if (site.rate == 0) return x;
  SSM_CHECK(site.rate > 0 && site.rate < 1, "a dropout rate lies in [0, 1)");
  const Shape shape = tape.shape(x);
  const int64_t tokens = RowCount(shape), channels = shape.Back(0);
  SSM_CHECK(tokens == clock.B * clock.T, "dropout of " + shape.ToString() + " by another clock");
  const int64_t words_per_token = (channels + 63) / 64;
  const T scale = static_cast<T>(1 / (1 - site.rate));
  const Ints mask = tape.NewInts(tokens * words_per_token);
  const Var<T> y = tape.New(shape);
  if (tape.Live()) {
    for (int64_t i = 0; i < tokens; ++i) {
      FillMask(site, site.row + i / clock.T, clock.pos[static_cast<size_t>(i)], channels,
               mask.data() + i * words_per_token);
    }
    ApplyMask(tokens, channels, mask.data(), words_per_token, scale, tape.value(x), tape.out(y),
              [](T& into, T value) { into = value; });
  }
  tape.Record("dropout", {x}, {y}, static_cast<double>(shape.size()), [=](Tape<T>& t) {
    if (T* gx = t.acc(x)) {
      ApplyMask(tokens, channels, mask.data(), words_per_token, scale, t.grad(y), gx,
                [](T& into, T value) { into += value; });
    }
  });
  return y;
}

#define SSM_INSTANTIATE(T) \
  template Var<T> ApplyDropout(Tape<T>&, Var<T>, const Clock&, const DropoutSite&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
