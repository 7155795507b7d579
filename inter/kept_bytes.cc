#include "inter/kept_bytes.h"

#include <atomic>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "inter/lasting.h"

namespace mpiactor::inter {
namespace {

struct Block {
  std::unique_ptr<std::byte[]> data;
  std::uint64_t capacity = 0;
};

constinit std::atomic<bool> keeps_any{true};

// Of one thread, the latest last.
class Store {
 public:
  // A block that holds `bytes` and is not much longer; one without data where there is none.
  Block take(std::uint64_t bytes) {
    for (std::size_t i = blocks_.size(); i-- > 0;) {
      if (blocks_[i].capacity < bytes || blocks_[i].capacity / kMostTooLong > bytes) continue;
      Block found = std::move(blocks_[i]);
      blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(i));
      kept_bytes_ -= found.capacity;
      return found;
    }
    return {};
  }

  void keep(Block block) {
    if (block.capacity > KeptBytes::kMostKeptBytes) return;
    while (kept_bytes_ + block.capacity > KeptBytes::kMostKeptBytes) {
      kept_bytes_ -= blocks_.front().capacity;
      blocks_.erase(blocks_.begin());
    }
    const std::uint64_t capacity = block.capacity;
    blocks_.push_back(std::move(block));
    kept_bytes_ += capacity;
  }

  void clear() { *this = Store(); }

  std::uint64_t kept_bytes() const { return kept_bytes_; }

 private:
  static constexpr std::uint64_t kMostTooLong = 4;

  std::vector<Block> blocks_;
  std::uint64_t kept_bytes_ = 0;
};

struct EndOfThread {
  explicit EndOfThread(Store& used) : store(used) {}
  ~EndOfThread() { store.clear(); }
  Store& store;
};

// Exit handlers may need it when the thread's variables have been destroyed. What is kept then
// stays.
Store& store() {
  thread_local Lasting<Store> of_thread;
  thread_local const EndOfThread end(*of_thread);
  return *of_thread;
}

}  // namespace

void KeptBytes::keep(bool keeps) { keeps_any = keeps; }

std::uint64_t KeptBytes::kept_bytes() { return store().kept_bytes(); }

KeptBytes::KeptBytes(std::uint64_t bytes) : bytes_(bytes), capacity_(bytes) {
  if (bytes == 0) return;
  if (bytes >= kLeastBytes && keeps_any) {
    if (Block kept = store().take(bytes); kept.data) {
      capacity_ = kept.capacity;
      data_ = kept.data.release();
      return;
    }
  }
  data_ = std::make_unique_for_overwrite<std::byte[]>(bytes).release();
}

KeptBytes::~KeptBytes() {
  Block block{std::unique_ptr<std::byte[]>(data_), capacity_};
  if (!block.data || capacity_ < kLeastBytes || !keeps_any) return;
  try {
    store().keep(std::move(block));
  } catch (const std::bad_alloc&) {  // is freed in place of being kept
  }
}

}  // namespace mpiactor::inter
