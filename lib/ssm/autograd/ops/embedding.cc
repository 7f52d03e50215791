#include "ssm/autograd/ops/embedding.h"

#include <algorithm>

#include "ssm/base/errors.h"
#include "ssm/kernels/rows.h"

namespace ssm {

void ThrowBadTokenId(int64_t row, int64_t step, const std::string& field, int64_t id,
                     int64_t vocabulary) {
  const std::string at = step < 0 ? "" : ", step " + std::to_string(step);
  Fail(ExitCode::kBadData, "row " + std::to_string(row) + at + ": token field " + field +
                               " has id " + std::to_string(id) + ", allowed is 0 to " +
                               std::to_string(vocabulary - 1));
}

template <Scalar T>
Var<T> Embedding(Tape<T>& tape, const Clock& clock, std::span<const int64_t> ids,
                 std::span<const Var<T>> tables, std::span<const std::string> names) {
  SSM_CHECK(!tables.empty(), "an embedding needs a table");
  const int64_t tokens = clock.B * clock.T, n = tape.shape(tables[0]).Back(0);
  const size_t fields = tables.size();
  const Ints pos = clock.pos;
  const Var<T> y = tape.New({clock.B, clock.T, n});
  const std::span<Var<T>> kept = tape.NewVars(static_cast<int64_t>(fields));
  std::copy(tables.begin(), tables.end(), kept.begin());
  for (int64_t i = 0; tape.Live() && i < tokens; ++i) {
    T* row = tape.out(y) + i * n;
    std::fill_n(row, n, T{0});
    if (pos[static_cast<size_t>(i)] < 0) continue;
    for (size_t f = 0; f < fields; ++f) {
      const int64_t id = ids[static_cast<size_t>(i) * fields + f];
      const int64_t vocabulary = tape.shape(tables[f])[0];
      if (id < 0 || id >= vocabulary) {
        const std::string name = f < names.size() ? names[f] : std::to_string(f);
        ThrowBadTokenId(i / clock.T, i % clock.T, name, id, vocabulary);
      }
      kernels::Axpy(n, T{1}, tape.value(tables[f]) + id * n, row);
    }
  }
  const double flops = static_cast<double>(tokens * n) * static_cast<double>(fields);
  tape.Record("embedding", std::span<const Var<T>>(kept), std::span<const Var<T>>(&y, 1), flops,
              [=](Tape<T>& t) {
                const T* gy = t.grad(y);
                for (size_t f = 0; f < fields; ++f) {
                  T* table = t.acc(kept[f]);
                  for (int64_t i = 0; table != nullptr && i < tokens; ++i) {
                    if (pos[static_cast<size_t>(i)] < 0) continue;
                    const int64_t id = ids[static_cast<size_t>(i) * fields + f];
                    kernels::Axpy(n, T{1}, gy + i * n, table + id * n);
                  }
                }
              });
  return y;
}

#define SSM_INSTANTIATE(T)                                                    \
  template Var<T> Embedding(Tape<T>&, const Clock&, std::span<const int64_t>, \
                            std::span<const Var<T>>, std::span<const std::string>);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
