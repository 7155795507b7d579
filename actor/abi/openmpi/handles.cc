#include "actor/abi/openmpi/handles.h"

#include <algorithm>
#include <cstddef>

namespace mpiactor {

TypeTable::TypeTable() {
  for (const MPI_Datatype type : {MPI_CHAR,
                                  MPI_SIGNED_CHAR,
                                  MPI_UNSIGNED_CHAR,
                                  MPI_SHORT,
                                  MPI_UNSIGNED_SHORT,
                                  MPI_INT,
                                  MPI_UNSIGNED,
                                  MPI_LONG,
                                  MPI_UNSIGNED_LONG,
                                  MPI_LONG_LONG_INT,
                                  MPI_UNSIGNED_LONG_LONG,
                                  MPI_INT8_T,
                                  MPI_INT16_T,
                                  MPI_INT32_T,
                                  MPI_INT64_T,
                                  MPI_UINT8_T,
                                  MPI_UINT16_T,
                                  MPI_UINT32_T,
                                  MPI_UINT64_T,
                                  MPI_AINT,
                                  MPI_OFFSET,
                                  MPI_COUNT,
                                  MPI_BYTE,
                                  MPI_PACKED,
                                  MPI_WCHAR,
                                  MPI_C_BOOL,
                                  MPI_CXX_BOOL,
                                  MPI_FLOAT,
                                  MPI_DOUBLE,
                                  MPI_LONG_DOUBLE,
                                  MPI_C_FLOAT_COMPLEX,
                                  MPI_C_DOUBLE_COMPLEX,
                                  MPI_C_LONG_DOUBLE_COMPLEX,
                                  MPI_CXX_FLOAT_COMPLEX,
                                  MPI_CXX_DOUBLE_COMPLEX,
                                  MPI_CXX_LONG_DOUBLE_COMPLEX,
                                  MPI_INTEGER,
                                  MPI_INTEGER1,
                                  MPI_INTEGER2,
                                  MPI_INTEGER4,
                                  MPI_INTEGER8,
                                  MPI_CHARACTER,
                                  MPI_LOGICAL,
                                  MPI_REAL,
                                  MPI_REAL4,
                                  MPI_DOUBLE_PRECISION,
                                  MPI_REAL8,
                                  MPI_REAL16,
                                  MPI_COMPLEX,
                                  MPI_COMPLEX8,
                                  MPI_DOUBLE_COMPLEX,
                                  MPI_COMPLEX16,
                                  MPI_COMPLEX32,
                                  MPI_2INT,
                                  MPI_2INTEGER,
                                  MPI_2REAL,
                                  MPI_2DOUBLE_PRECISION}) {
    add(type, true);
  }
  for (const MPI_Datatype type :
       {MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_SHORT_INT, MPI_LONG_DOUBLE_INT}) {
    add(type, false);
  }
}

void TypeTable::add(MPI_Datatype type, bool is_builtin) {
  int bytes = 0;
  if (!type || PMPI_Type_size(type, &bytes) != MPI_SUCCESS || bytes == 0) return;
  std::size_t number = first(type);
  while (rows[number].type) number = next(number);
  rows[number] = {type, static_cast<std::uint64_t>(bytes), is_builtin};
}

std::size_t operation_number(MPI_Op op) {
  static const std::array kPredefined = {MPI_MAX,  MPI_MIN,  MPI_SUM,    MPI_PROD,
                                         MPI_LAND, MPI_BAND, MPI_LOR,    MPI_BOR,
                                         MPI_LXOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC};
  const auto found = std::find(kPredefined.begin(), kPredefined.end(), op);
  return static_cast<std::size_t>(found - kPredefined.begin());
}

}  // namespace mpiactor
