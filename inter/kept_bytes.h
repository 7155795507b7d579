// Memory that calls need again and again.
#ifndef MPIACTOR_INTER_KEPT_BYTES_H_
#define MPIACTOR_INTER_KEPT_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <utility>

namespace mpiactor::inter {

// So many bytes, not initialised. Long blocks that a thread gives back are kept for its next ones:
// the C library returns them to the kernel, and fresh memory costs a page fault every 4 KiB.
class KeptBytes {
 public:
  // What a thread keeps at most. Enough for what the root of a reduce takes in from seven nodes at
  // a time.
  static constexpr std::uint64_t kMostKeptBytes = 2 << 20;
  // Shorter blocks are the C library's affair.
  static constexpr std::uint64_t kLeastBytes = 32 << 10;

  KeptBytes() = default;
  explicit KeptBytes(std::uint64_t bytes);
  ~KeptBytes();
  KeptBytes(KeptBytes&& other) noexcept { *this = std::move(other); }
  KeptBytes& operator=(KeptBytes&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  std::uint64_t size() const { return bytes_; }

  // Whether this process keeps any, by default yes. For the time before the first block.
  static void keep(bool keeps);
  // What this thread keeps now.
  static std::uint64_t kept_bytes();

 private:
  std::byte* data_ = nullptr;
  std::uint64_t bytes_ = 0;
  std::uint64_t capacity_ = 0;
};

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_KEPT_BYTES_H_
