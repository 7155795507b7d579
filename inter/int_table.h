// Numbers that several processes know: first in memory of this process, then, where there is
// memory that they share, there once for all of them.
#ifndef MPIACTOR_INTER_INT_TABLE_H_
#define MPIACTOR_INTER_INT_TABLE_H_

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace mpiactor::inter {

class IntTable {
 public:
  IntTable() = default;
  explicit IntTable(std::vector<int> values)
      : own_(std::move(values)), data_(own_.data()), size_(own_.size()) {}
  IntTable(IntTable&& other) noexcept { *this = std::move(other); }
  IntTable& operator=(IntTable&& other) noexcept {
    own_ = std::move(other.own_);  // keeps its place
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  int operator[](std::size_t i) const { return data_[i]; }
  const int* data() const { return data_; }
  const int* begin() const { return data_; }
  const int* end() const { return data_ + size_; }

  // From now on the numbers lie at `memory`, which has room for size() and outlives the table; this
  // process's own memory is given back. `writes`: puts them there; else somebody has done so, or
  // will before they are read. Returns what follows them.
  int* move_to(int* memory, bool writes) {
    if (writes) std::copy(begin(), end(), memory);
    std::vector<int>().swap(own_);
    data_ = memory;
    return memory + size_;
  }

 private:
  std::vector<int> own_;
  const int* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_INT_TABLE_H_
