// A data set as read from a file: variables observed together.
#ifndef MPIACTOR_APPS_VCC_DATA_TABLE_H_
#define MPIACTOR_APPS_VCC_DATA_TABLE_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace mpiactor::vcc {

// Bad input. The message starts with the file's name, and its line or offset where there is one.
class DataError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// `observations` x `variables` values, variable by variable (column-major); NaN: missing.
struct DataTable {
  std::int64_t observations = 0;
  std::int32_t variables = 0;
  std::vector<double> values;
  std::vector<std::string> names;  // of the variables; empty where the file has none

  double* column(std::int32_t variable) { return values.data() + offset(variable); }
  const double* column(std::int32_t variable) const { return values.data() + offset(variable); }

 private:
  std::size_t offset(std::int32_t variable) const {
    return static_cast<std::size_t>(variable) * static_cast<std::size_t>(observations);
  }
};

// Largest magnitude of a value: squares, summed over any number of observations, stay finite.
inline constexpr double kLargestValue = 1e140;

// Missing, or a number that can be worked with.
inline bool is_allowed(double value) {
  return std::isnan(value) || std::abs(value) <= kLargestValue;
}

// Throws DataError where there are fewer than two observations or no variable.
void check_shape(const std::string& name, std::int64_t observations, std::int64_t variables);

}  // namespace mpiactor::vcc

#endif  // MPIACTOR_APPS_VCC_DATA_TABLE_H_
