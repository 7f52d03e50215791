#include "ssm/base/errors.h"
#include "ssm/models/sequence_model.h"

namespace ssm {

template <Scalar T>
PreparedValues<T>::PreparedValues(const SequenceModel<T>& model, Mode mode)
    : model_(&model), tape_(mode) {}

template <Scalar T>
void PreparedValues<T>::Compute(ParamView<T> params, int64_t longest, T dt_scale) {
  tape_.Reset();
  tape_.SetParams(params);
  values_ = tape_.NewVars(model_->PreparedCount());
  model_->Prepare(tape_, longest, dt_scale, values_);
}

template <Scalar T>
Prepared<T> PreparedValues<T>::Bind(Tape<T>& tape, std::vector<Array<T>>* grads) const {
  const Prepared<T> bound = tape.NewVars(static_cast<int64_t>(values_.size()));
  for (size_t i = 0; i < values_.size(); ++i) {
    T* grad = grads != nullptr ? (*grads)[i].data() : nullptr;
    bound[i] = tape.Bind(tape_.shape(values_[i]), tape_.value(values_[i]), grad);
  }
  return bound;
}

template <Scalar T>
void PreparedValues<T>::MakeGrads(std::vector<Array<T>>& grads) const {
  grads.resize(values_.size());
  for (size_t i = 0; i < values_.size(); ++i) {
    grads[i].Resize(tape_.shape(values_[i]));
    grads[i].Fill(0);
  }
}

template <Scalar T>
void PreparedValues<T>::Backward(std::span<std::vector<Array<T>>> shards) {
  for (const std::vector<Array<T>>& grads : shards) {
    SSM_CHECK(grads.size() == values_.size(), "a shard's prepared gradients were not made");
    for (size_t i = 0; i < values_.size(); ++i) tape_.Seed(values_[i], grads[i].data());
  }
  tape_.Backward();
}

template class PreparedValues<float>;
template class PreparedValues<double>;

}  // namespace ssm
