// Memory as a tape's arena gives it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <new>

namespace ssm::test {

/// n elements from 0 on, 64-byte aligned.
template <class T>
class Aligned {
 public:
  explicit Aligned(int64_t n)
      : size_(static_cast<size_t>(n)),
        data_(static_cast<T*>(::operator new (size_ * sizeof(T) + 1, std::align_val_t{64}))) {
    std::fill_n(data_, size_, T{0});
  }
  ~Aligned() { ::operator delete (data_, std::align_val_t{64}); }
  Aligned(const Aligned&) = delete;
  Aligned& operator=(const Aligned&) = delete;

  T* data() { return data_; }
  const T* data() const { return data_; }
  size_t size() const { return size_; }
  T& operator[](size_t i) { return data_[i]; }

 private:
  size_t size_;
  T* data_;
};

}  // namespace ssm::test
