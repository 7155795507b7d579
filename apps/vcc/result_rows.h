// Consecutive rows of the covariance and the correlation matrix, in memory of this rank.
#ifndef MPIACTOR_APPS_VCC_RESULT_ROWS_H_
#define MPIACTOR_APPS_VCC_RESULT_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace mpiactor::vcc {

// Rows begin .. end - 1 of `variables` columns each. NaN: undefined, or not there yet.
class ResultRows {
 public:
  ResultRows(std::int32_t begin, std::int32_t end, std::int32_t variables)
      : begin_(begin),
        end_(end),
        variables_(variables),
        covariance_(entries(begin, end, variables), std::numeric_limits<double>::quiet_NaN()),
        correlation_(covariance_) {}

  // Bytes that the constructor takes.
  static double bytes(std::int32_t rows, std::int32_t variables) {
    return 2.0 * sizeof(double) * static_cast<double>(rows) * static_cast<double>(variables);
  }

  std::int32_t begin() const { return begin_; }
  std::int32_t end() const { return end_; }
  std::int32_t count() const { return end_ - begin_; }
  std::int32_t variables() const { return variables_; }

  // `row` counts in the whole matrix.
  double* covariance(std::int32_t row) { return &covariance_[offset(row)]; }
  const double* covariance(std::int32_t row) const { return &covariance_[offset(row)]; }
  double* correlation(std::int32_t row) { return &correlation_[offset(row)]; }
  const double* correlation(std::int32_t row) const { return &correlation_[offset(row)]; }

 private:
  static std::size_t entries(std::int32_t begin, std::int32_t end, std::int32_t variables) {
    return static_cast<std::size_t>(end - begin) * static_cast<std::size_t>(variables);
  }
  std::size_t offset(std::int32_t row) const { return entries(begin_, row, variables_); }

  std::int32_t begin_;
  std::int32_t end_;
  std::int32_t variables_;
  std::vector<double> covariance_;
  std::vector<double> correlation_;
};

}  // namespace mpiactor::vcc

#endif  // MPIACTOR_APPS_VCC_RESULT_ROWS_H_
