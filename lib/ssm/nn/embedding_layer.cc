#include "ssm/nn/embedding_layer.h"

#include "ssm/autograd/ops/embedding.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/rows.h"
#include "ssm/nn/init.h"

namespace ssm {
namespace {

constexpr double kDeviation = 0.02;

}  // namespace

EmbeddingLayer::EmbeddingLayer(ParameterBuilder parameters, const std::vector<Field>& fields,
                               int64_t channels) {
  for (const Field& field : fields) {
    SSM_CHECK(field.vocabulary >= 1, "token field " + field.name + " has an empty vocabulary");
    tables_.push_back(
        parameters.Scope(field.name)
            .Add("weight", {field.vocabulary, channels}, Normal(0, kDeviation), "default", false));
    names_.push_back(field.name);
  }
}

template <Scalar T>
Var<T> EmbeddingLayer::Apply(Tape<T>& tape, const Clock& clock,
                             std::span<const int64_t> ids) const {
  const std::span<Var<T>> tables = tape.NewVars(fields());
  for (size_t f = 0; f < tables.size(); ++f) tables[f] = tape.Use(tables_[f]);
  return Embedding(tape, clock, ids, std::span<const Var<T>>(tables),
                   std::span<const std::string>(names_));
}

template <Scalar T>
void EmbeddingLayer::AddRows(const ParamView<T>& params, int64_t rows, const int64_t* ids,
                             T* y) const {
  const int64_t n = tables_.empty() ? 0 : tables_[0].shape[1];
  for (int64_t i = 0; i < rows; ++i) {
    for (size_t f = 0; f < tables_.size(); ++f) {
      const int64_t id = *ids++, vocabulary = tables_[f].shape[0];
      if (id < 0 || id >= vocabulary) ThrowBadTokenId(i, -1, names_[f], id, vocabulary);
      kernels::Axpy(n, T{1}, params.values + tables_[f].offset + id * n, y + i * n);
    }
  }
}

#define SSM_INSTANTIATE(T)                                                                       \
  template Var<T> EmbeddingLayer::Apply(Tape<T>&, const Clock&, std::span<const int64_t>) const; \
  template void EmbeddingLayer::AddRows(const ParamView<T>&, int64_t, const int64_t*, T*) const;
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
