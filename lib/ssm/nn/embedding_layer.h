// The sum of one table row for each id field of a token.
#pragma once

#include "ssm/autograd/clock.h"
#include "ssm/nn/parameters.h"

namespace ssm {

/// Tables NAME.weight [vocabulary, D], N(0, 0.02), no weight decay; one for each field.
class EmbeddingLayer {
 public:
  struct Field {
    std::string name;
    int64_t vocabulary = 0;
  };
  EmbeddingLayer() = default;
  EmbeddingLayer(ParameterBuilder parameters, const std::vector<Field>& fields, int64_t channels);

  /// Of the first field.
  const Param& table() const { return tables_.front(); }
  int64_t fields() const { return static_cast<int64_t>(tables_.size()); }

  /// ids [B, T, F] -> [B, T, D]; see ops/embedding.h. @throws Error(kBadData) on an id out of
  /// range.
  template <Scalar T>
  Var<T> Apply(Tape<T>& tape, const Clock& clock, std::span<const int64_t> ids) const;
  /// y [rows, D] += the same for one token a row, for steppers; allocates nothing.
  template <Scalar T>
  void AddRows(const ParamView<T>& params, int64_t rows, const int64_t* ids, T* y) const;

 private:
  std::vector<Param> tables_;
  std::vector<std::string> names_;
};

}  // namespace ssm
