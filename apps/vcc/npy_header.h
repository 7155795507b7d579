// The header of NumPy's array files.
#ifndef MPIACTOR_APPS_VCC_NPY_HEADER_H_
#define MPIACTOR_APPS_VCC_NPY_HEADER_H_

#include <cstdint>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

namespace mpiactor::vcc {

inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

struct NpyHeader {
  std::string descr;  // such as "<f8"
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
  std::int64_t data_offset = 0;  // bytes from the start of the file to the first entry
};

// Reads magic, version and dictionary; leaves `input` at the first entry. Throws DataError with
// file and offset.
NpyHeader read_npy_header(std::istream& input, const std::string& name);

// A header of format 1.0, magic included, for a matrix of `<f8` in C order.
std::string npy_header(std::int64_t rows, std::int64_t columns);

}  // namespace mpiactor::vcc

#endif  // MPIACTOR_APPS_VCC_NPY_HEADER_H_
