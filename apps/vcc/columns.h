// Consecutive variables of a data set, in memory of this rank.
#ifndef MPIACTOR_APPS_VCC_COLUMNS_H_
#define MPIACTOR_APPS_VCC_COLUMNS_H_

#include <tbb/cache_aligned_allocator.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mpiactor::vcc {

// Numbers that columns are padded to a multiple of: those of a 64-byte cache line.
inline constexpr std::int64_t kLanes = 8;

inline constexpr std::int64_t padded(std::int64_t observations) {
  return (observations + kLanes - 1) / kLanes * kLanes;
}

// Columns first .. first + count - 1, one after the other, each `stride()` = padded(observations)
// numbers from a cache line on. What is missing, and the padding, is NaN.
class Columns {
 public:
  // All values missing. Throws std::bad_alloc.
  Columns(std::int32_t first, std::int32_t count, std::int64_t observations);

  // Bytes that the constructor takes.
  static double bytes(std::int32_t count, std::int64_t observations) {
    return static_cast<double>(count) * static_cast<double>(padded(observations)) * sizeof(double);
  }

  std::int32_t first() const { return first_; }
  std::int32_t count() const { return count_; }
  std::int32_t end() const { return first_ + count_; }
  std::int64_t observations() const { return observations_; }
  std::int64_t stride() const { return stride_; }

  // `variable` counts in the whole data set.
  double* column(std::int32_t variable) { return values_.data() + offset(variable); }
  const double* column(std::int32_t variable) const { return values_.data() + offset(variable); }

  // Values of a column that are not missing.
  std::int64_t present(std::int32_t variable) const;

 private:
  std::size_t offset(std::int32_t variable) const {
    return static_cast<std::size_t>((variable - first_) * stride_);
  }

  std::int32_t first_;
  std::int32_t count_;
  std::int64_t observations_;
  std::int64_t stride_;
  std::vector<double, tbb::cache_aligned_allocator<double>> values_;
};

}  // namespace mpiactor::vcc

#endif  // MPIACTOR_APPS_VCC_COLUMNS_H_
