// Checks results against a straightforward serial computation.
#ifndef MPIACTOR_APPS_VCC_VERIFY_H_
#define MPIACTOR_APPS_VCC_VERIFY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "apps/vcc/data_table.h"

namespace mpiactor::vcc {

struct ReferencePair {
  double covariance = 0.0;  // NaN: undefined
  double correlation = 0.0;
  double scale = 0.0;  // product of the standard deviations, to compare differences with
};

// Of two columns, NaN where missing: takes the common observations aside, their means, then sums
// products of deviations, all in long double.
ReferencePair reference_pair(const double* x, const double* y, std::int64_t observations);

// `count` different variables in increasing order, all where `count` >= variables; the same for the
// same arguments.
std::vector<std::int32_t> draw_variables(std::int32_t variables, std::int32_t count,
                                         std::uint64_t seed);

// Difference to the reference that is still right: relative to the product of the standard
// deviations for a covariance, absolute for a correlation.
inline constexpr double kTolerance = 1e-12;

// Compares row after row.
class Verifier {
 public:
  // `table` must outlive this; `rows`: those to check, in increasing order.
  Verifier(const DataTable& table, std::vector<std::int32_t> rows);

  // Rows that are not to be checked are passed over.
  void check(std::int32_t row, const double* covariance, const double* correlation);

  std::int64_t rows() const { return static_cast<std::int64_t>(rows_.size()); }
  std::int64_t mismatches() const { return mismatches_; }            // rows that are wrong anywhere
  double largest_difference() const { return largest_difference_; }  // in units of kTolerance's
  const std::string& first() const { return first_; }  // says how the first one is wrong

 private:
  const DataTable& table_;
  std::vector<std::int32_t> rows_;
  std::int64_t mismatches_ = 0;
  double largest_difference_ = 0.0;
  std::string first_;
};

}  // namespace mpiactor::vcc

#endif  // MPIACTOR_APPS_VCC_VERIFY_H_
