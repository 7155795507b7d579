#include <string_view>

#include "actor/abi/without_large_counts.h"
#include "actor/interpose/modules.h"

namespace mpiactor::interpose {

void* find_called(const char* name) {
  if (void* const symbol = find_symbol(name)) return symbol;
#define MPIACTOR_MADE(made)                                           \
  if (std::string_view(name) == #made) {                              \
    return reinterpret_cast<void*>(&abi::without_large_counts::made); \
  }
  MPIACTOR_MADE(PMPI_Isend_c)
  MPIACTOR_MADE(PMPI_Issend_c)
  MPIACTOR_MADE(PMPI_Recv_init_c)
  MPIACTOR_MADE(PMPI_Imrecv_c)
  MPIACTOR_MADE(PMPI_Sendrecv_c)
  MPIACTOR_MADE(PMPI_Get_count_c)
  MPIACTOR_MADE(PMPI_Type_get_envelope_c)
  MPIACTOR_MADE(PMPI_Type_get_contents_c)
#undef MPIACTOR_MADE
  return nullptr;
}

}  // namespace mpiactor::interpose
