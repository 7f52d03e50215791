#include "ssm/verify/counting_new.h"

#include <atomic>
#include <cstdlib>
#include <new>

#include "ssm/verify/allocation_count.h"

namespace {

constinit std::atomic<int64_t> allocations{0};

void* TryAllocate(size_t size, size_t alignment) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  const size_t wanted = size == 0 ? 1 : size;
  if (alignment == 0) return std::malloc(wanted);
  return std::aligned_alloc(alignment, (wanted + alignment - 1) / alignment * alignment);
}

void* Allocate(size_t size, size_t alignment) {
  void* memory = TryAllocate(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

// Every form is replaced: a sanitizer's own array and nothrow forms would not match these deletes.
void* operator new(size_t size) { return Allocate(size, 0); }
void* operator new[](size_t size) { return Allocate(size, 0); }
void* operator new(size_t size, std::align_val_t alignment) {
  return Allocate(size, static_cast<size_t>(alignment));
}
void* operator new[](size_t size, std::align_val_t alignment) {
  return Allocate(size, static_cast<size_t>(alignment));
}
void* operator new(size_t size, const std::nothrow_t&) noexcept { return TryAllocate(size, 0); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return TryAllocate(size, 0); }
void* operator new(size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return TryAllocate(size, static_cast<size_t>(alignment));
}
void* operator new[](size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return TryAllocate(size, static_cast<size_t>(alignment));
}
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }

namespace ssm {

void CountAllocationsWithNew() {
  SetAllocationCounter(+[] { return allocations.load(std::memory_order_relaxed); });
}

}  // namespace ssm
