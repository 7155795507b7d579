// A buffer whose place in a page is known, since copies depend on it.
#ifndef MPIACTOR_BENCH_PAGE_BUFFER_H_
#define MPIACTOR_BENCH_PAGE_BUFFER_H_

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace mpiactor::bench {

inline constexpr int kPageBytes = 4096;
// Where malloc()'s long arrays begin, behind the beginning of a page.
inline constexpr int kUsualOffsetBytes = 16;

class PageBuffer {
 public:
  // Begins `offset_bytes` behind the beginning of a page. Written once, with zeros, so that no
  // timed call meets a page for the first time.
  PageBuffer(std::size_t bytes, int offset_bytes)
      : offset_(static_cast<std::size_t>(offset_bytes)) {
    const std::size_t room = (offset_ + bytes) / kPageBytes * kPageBytes + kPageBytes;
    pages_.reset(static_cast<std::byte*>(std::aligned_alloc(kPageBytes, room)));
    if (!pages_) throw std::bad_alloc();
    std::memset(pages_.get(), 0, room);
  }

  std::byte* get() const { return pages_.get() + offset_; }

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };

  std::size_t offset_;
  std::unique_ptr<std::byte[], Free> pages_;
};

}  // namespace mpiactor::bench

#endif  // MPIACTOR_BENCH_PAGE_BUFFER_H_
