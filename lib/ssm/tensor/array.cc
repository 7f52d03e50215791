#include "ssm/tensor/array.h"

#include <algorithm>
#include <new>

namespace ssm {
namespace {

constexpr std::align_val_t kAlignment{64};

template <class E>
E* Allocate(int64_t size) {
  return static_cast<E*>(
      ::operator new(static_cast<size_t>(std::max<int64_t>(size, 1)) * sizeof(E), kAlignment));
}

}  // namespace

template <class E>
void Array<E>::Free::operator()(E* data) const {
  ::operator delete(data, kAlignment);
}

template <class E>
Array<E>::Array(const Shape& shape)
    : shape_(shape), size_(shape.size()), capacity_(size_), data_(Allocate<E>(size_)) {
  std::fill_n(data_.get(), size_, E{0});
}

template <class E>
Array<E> Array<E>::Clone() const {
  Array copy(shape_);
  std::copy_n(data(), size_, copy.data());
  return copy;
}

template <class E>
void Array<E>::Resize(const Shape& shape) {
  if (shape.size() > capacity_) {
    *this = Array(shape);
  } else {
    shape_ = shape;
    size_ = shape.size();
  }
}

template <class E>
void Array<E>::Fill(E value) {
  std::fill_n(data(), size_, value);
}

template <class To, class From>
Array<To> Cast(const Array<From>& from) {
  Array<To> to(from.shape());
  std::transform(from.data(), from.data() + from.size(), to.data(),
                 [](From value) { return static_cast<To>(value); });
  return to;
}

template class Array<float>;
template class Array<double>;
template class Array<int64_t>;
template Array<float> Cast(const Array<int64_t>&);
template Array<double> Cast(const Array<int64_t>&);
template Array<float> Cast(const Array<double>&);
template Array<double> Cast(const Array<float>&);
template Array<float> Cast(const Array<float>&);
template Array<double> Cast(const Array<double>&);

}  // namespace ssm
