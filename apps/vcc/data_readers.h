// Data sets from files.
#ifndef MPIACTOR_APPS_VCC_DATA_READERS_H_
#define MPIACTOR_APPS_VCC_DATA_READERS_H_

#include <istream>
#include <string>

#include "apps/vcc/data_table.h"

namespace mpiactor::vcc {

// All throw DataError; `name` is the file's name in messages.

// Comma-separated values: a row an observation, a field a variable. A first row without any number
// names the variables. Missing: an empty field, NA or NaN. Blank lines are skipped.
DataTable read_csv(std::istream& input, const std::string& name);

// NumPy's array file, format 1 to 3: two dimensions, observations x variables, '<f8' or '<f4', C or
// Fortran order. `input` must be seekable.
DataTable read_npy(std::istream& input, const std::string& name);

// A file that starts with NumPy's magic or is named *.npy is read as such, any other as CSV.
DataTable read_data_file(const std::string& path);

}  // namespace mpiactor::vcc

#endif  // MPIACTOR_APPS_VCC_DATA_READERS_H_
