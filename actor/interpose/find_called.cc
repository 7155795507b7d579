#include <string_view>

#include "actor/abi/without_large_counts.h"
#include "actor/interpose/modules.h"

namespace mpiactor::interpose {
namespace {

struct Function {
  std::string_view name;
  void* address;
};

#define MPIACTOR_MADE(name) \
  { #name, reinterpret_cast < void*>(&abi::without_large_counts::name) }

const Function kMade[] = {
    MPIACTOR_MADE(PMPI_Isend_c),
    MPIACTOR_MADE(PMPI_Issend_c),
    MPIACTOR_MADE(PMPI_Recv_init_c),
    MPIACTOR_MADE(PMPI_Imrecv_c),
    MPIACTOR_MADE(PMPI_Sendrecv_c),
    MPIACTOR_MADE(PMPI_Get_count_c),
    MPIACTOR_MADE(PMPI_Type_get_envelope_c),
    MPIACTOR_MADE(PMPI_Type_get_contents_c),
};

}  // namespace

void* find_called(const char* name) {
  if (void* const symbol = find_symbol(name)) return symbol;
  for (const Function& function : kMade) {
    if (function.name == name) return function.address;
  }
  return nullptr;
}

}  // namespace mpiactor::interpose
