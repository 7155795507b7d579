#include "actor/trace/communicators.h"

#include <atomic>
#include <memory>
#include <utility>

#include "actor/comm/agreement.h"
#include "actor/comm/ending.h"
#include "actor/comm/world_ranks.h"

namespace mpiactor::trace {
namespace {

int keyval = MPI_KEYVAL_INVALID;
// MPI_COMM_SELF gets no attribute: programs use it while the library deletes its attributes.
CommIdentity* identity_of_self = nullptr;
std::uint64_t own_world_rank = 0;
std::atomic<std::uint64_t> named{0};  // communicators whose rank 0 this process is

int drop(MPI_Comm, int, void* identity, void*) {
  delete static_cast<CommIdentity*>(identity);
  return MPI_SUCCESS;
}

}  // namespace

CommIdentity* identify(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL || Ending::is_of(comm) || keyval == MPI_KEYVAL_INVALID) return nullptr;
  if (comm == MPI_COMM_SELF) return identity_of_self;
  void* known = nullptr;
  int found = 0;
  if (PMPI_Comm_get_attr(comm, keyval, &known, &found) != MPI_SUCCESS) return nullptr;
  if (found) return static_cast<CommIdentity*>(known);
  int is_inter = 0;
  if (PMPI_Comm_test_inter(comm, &is_inter) != MPI_SUCCESS || is_inter) return nullptr;
  // Processes of another job may not be traced: nothing may be agreed with them.
  std::unique_ptr<CommIdentity> fresh;
  if (!world_ranks_of(comm).empty()) fresh = make_identity(comm);
  if (PMPI_Comm_set_attr(comm, keyval, fresh.get()) != MPI_SUCCESS) return nullptr;
  return fresh.release();
}

std::unique_ptr<CommIdentity> make_identity(MPI_Comm comm) {
  auto fresh = std::make_unique<CommIdentity>();
  PMPI_Comm_size(comm, &fresh->ranks);
  PMPI_Comm_rank(comm, &fresh->rank);
  if (fresh->rank == 0) fresh->id = own_world_rank << 32 | named++;
  Agreement(comm).share(&fresh->id, sizeof fresh->id);
  return fresh;
}

void forget(MPI_Comm comm) {
  if (keyval == MPI_KEYVAL_INVALID) return;
  void* known = nullptr;
  int found = 0;
  if (PMPI_Comm_get_attr(comm, keyval, &known, &found) == MPI_SUCCESS && found) {
    PMPI_Comm_delete_attr(comm, keyval);
  }
}

void initialise_identities(int world_rank) {
  own_world_rank = static_cast<std::uint64_t>(world_rank);
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drop, &keyval, nullptr);
  identity_of_self = make_identity(MPI_COMM_SELF).release();
}

void finalise_identities() {
  if (keyval != MPI_KEYVAL_INVALID) PMPI_Comm_free_keyval(&keyval);
  delete std::exchange(identity_of_self, nullptr);
}

}  // namespace mpiactor::trace
