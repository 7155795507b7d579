#include "sim/simgrid/completions.h"

#include <stdexcept>
#include <utility>

#include "sim/simgrid/passive_tests.h"

namespace mpiactor::sim {

// Ranks are threads of one process that take turns: a variable would be everybody's.
Completions::Completions() { smpi_process_set_user_data(this); }
Completions::~Completions() { smpi_process_set_user_data(nullptr); }

Completions& Completions::current() {
  return *static_cast<Completions*>(smpi_process_get_user_data());
}

bool Completions::test(MPI_Request* request, MPI_Status* status) {
  if (request != completed_) {
    tested_.push_back(request);
    return false;
  }
  completed_ = nullptr;
  *request = MPI_REQUEST_NULL;  // the wait has freed it
  if (status != MPI_STATUS_IGNORE) *status = status_;
  return true;
}

void Completions::wait() {
  if (tested_.empty()) throw std::logic_error("a rank waits for nothing");
  handles_.clear();
  for (const MPI_Request* request : tested_) handles_.push_back(*request);
  int index = MPI_UNDEFINED;
  PMPI_Waitany(static_cast<int>(handles_.size()), handles_.data(), &index, &status_);
  completed_ = tested_.at(static_cast<std::size_t>(index));
}

int passive_test(MPI_Request* request, int* flag, MPI_Status* status) {
  *flag = Completions::current().test(request, status);
  return MPI_SUCCESS;
}

int passive_testall(int count, MPI_Request* requests, int* flag, MPI_Status*) {
  *flag = 1;
  for (int i = 0; i < count; ++i) {
    if (requests[i] == MPI_REQUEST_NULL) continue;
    if (!Completions::current().test(&requests[i], MPI_STATUS_IGNORE)) *flag = 0;
  }
  return MPI_SUCCESS;
}

int passive_testsome(int count, MPI_Request* requests, int* completed, int* indices,
                     MPI_Status* statuses) {
  *completed = 0;
  for (int i = 0; i < count; ++i) {
    if (!Completions::current().test(&requests[i], &statuses[*completed])) continue;
    indices[(*completed)++] = i;
  }
  return MPI_SUCCESS;
}

}  // namespace mpiactor::sim
