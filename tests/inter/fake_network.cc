#include "tests/inter/fake_network.h"

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <tuple>

namespace mpiactor::inter {
namespace {

FakeNetwork* network = nullptr;

// MPICH's requests are numbers; none of the fake ones may be MPI_REQUEST_NULL.
MPI_Request request_of(int index) { return static_cast<MPI_Request>(index); }
FakeNetwork::Transfer& transfer_of(MPI_Request request) {
  return network->transfer(static_cast<int>(request));
}

void tell(const FakeNetwork::Transfer& transfer, MPI_Status* status) {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = transfer.source;
  status->MPI_TAG = transfer.tag;
  status->count_lo = static_cast<int>(transfer.bytes);
  status->count_hi_and_cancelled = transfer.cancelled;
}

int post(bool is_send, bool synchronous, const void* data, int count, int peer, int tag,
         MPI_Request* request) {
  *request = request_of(network->post({.is_send = is_send,
                                       .synchronous = synchronous,
                                       .rank = network->rank(),
                                       .peer = peer,
                                       .tag = tag,
                                       .data = static_cast<std::byte*>(const_cast<void*>(data)),
                                       .bytes = static_cast<std::size_t>(count)}));
  return MPI_SUCCESS;
}

}  // namespace

FakeNetwork::FakeNetwork(unsigned seed) : random_(seed) { network = this; }
FakeNetwork::~FakeNetwork() { network = nullptr; }

int FakeNetwork::post(Transfer transfer) {
  transfers_.push_back(std::move(transfer));
  return static_cast<int>(transfers_.size() - 1);
}

FakeNetwork::Transfer* FakeNetwork::receive_for(const Transfer& send) {
  for (std::size_t i = first_open_; i < transfers_.size(); ++i) {
    Transfer& receive = transfers_[i];
    if (receive.is_send || receive.over || receive.rank != send.peer || receive.tag != send.tag)
      continue;
    if (receive.peer == MPI_ANY_SOURCE || receive.peer == send.rank) return &receive;
  }
  return nullptr;
}

int FakeNetwork::look_for(int tag) {
  for (std::size_t i = first_open_; i < transfers_.size(); ++i) {
    Transfer& send = transfers_[i];
    if (!send.is_send || send.matched || send.peer != rank_ || send.tag != tag || chance())
      continue;
    if (!send.over) send.taken.assign(send.data, send.data + send.bytes);
    send.matched = send.over = true;
    return static_cast<int>(i);
  }
  return -1;
}

bool FakeNetwork::may_end_at_once(Transfer& transfer) {
  if (transfer.is_send && !transfer.over) buffer(transfer);
  return transfer.over;
}

void FakeNetwork::buffer(Transfer& send) {
  if (!sends_end_early_ || send.synchronous || !chance()) return;
  send.taken.assign(send.data, send.data + send.bytes);
  send.over = true;
}

void FakeNetwork::deliver() {
  std::set<std::tuple<int, int, int>> waits;  // a message of this sender, receiver and tag does
  while (first_open_ < transfers_.size() && transfers_[first_open_].over &&
         (!transfers_[first_open_].is_send || transfers_[first_open_].matched)) {
    ++first_open_;
  }
  for (std::size_t i = first_open_; i < transfers_.size(); ++i) {
    Transfer& send = transfers_[i];
    if (!send.is_send || send.matched) continue;
    Transfer* const receive = receive_for(send);
    const std::tuple<int, int, int> lane{send.rank, send.peer, send.tag};
    if (!receive || waits.contains(lane) || chance()) {
      waits.insert(lane);
      // Short messages may be over for the sender before anybody has taken them.
      if (!send.over) buffer(send);
      continue;
    }
    if (send.bytes > receive->bytes) {
      std::fprintf(stderr, "fake network: %zu bytes for a receive of %zu\n", send.bytes,
                   receive->bytes);
      std::abort();
    }
    std::memcpy(receive->data, send.over ? send.taken.data() : send.data, send.bytes);
    receive->bytes = send.bytes;
    receive->source = send.rank;
    send.matched = send.over = receive->over = true;
  }
}

std::size_t FakeNetwork::unmatched() const {
  std::size_t count = 0;
  for (const Transfer& transfer : transfers_) {
    count += transfer.is_send ? !transfer.matched : !transfer.over;
  }
  return count;
}

extern "C" {

int PMPI_Isend(const void* data, int count, MPI_Datatype, int to, int tag, MPI_Comm,
               MPI_Request* request) {
  return post(true, false, data, count, to, tag, request);
}
int PMPI_Issend(const void* data, int count, MPI_Datatype, int to, int tag, MPI_Comm,
                MPI_Request* request) {
  return post(true, true, data, count, to, tag, request);
}
int PMPI_Irecv(void* data, int count, MPI_Datatype, int from, int tag, MPI_Comm,
               MPI_Request* request) {
  return post(false, false, data, count, from, tag, request);
}
int PMPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  *flag = 1;
  if (*request == MPI_REQUEST_NULL) return MPI_SUCCESS;
  const FakeNetwork::Transfer& transfer = transfer_of(*request);
  *flag = transfer.over;
  if (!transfer.over) return MPI_SUCCESS;
  tell(transfer, status);
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}
int PMPI_Request_get_status(MPI_Request request, int* flag, MPI_Status*) {
  *flag = network->may_end_at_once(transfer_of(request));
  return MPI_SUCCESS;
}
int PMPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status[]) {
  *flag = 1;
  for (int i = 0; i < count; ++i) *flag &= transfer_of(requests[i]).over;
  return MPI_SUCCESS;
}
int PMPI_Testsome(int count, MPI_Request requests[], int* completed, int indices[],
                  MPI_Status statuses[]) {
  *completed = 0;
  for (int i = 0; i < count; ++i) {
    const FakeNetwork::Transfer& transfer = transfer_of(requests[i]);
    if (!transfer.over) continue;
    for (int time = 0; time < network->times_ended() && *completed < count; ++time) {
      indices[*completed] = i;
      MPI_Status* const status =
          statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[*completed];
      tell(transfer, status);
      ++*completed;
    }
    requests[i] = MPI_REQUEST_NULL;
  }
  return MPI_SUCCESS;
}
int PMPI_Wait(MPI_Request* request, MPI_Status* status) {
  int flag = 0;
  for (PMPI_Test(request, &flag, status); !flag; PMPI_Test(request, &flag, status)) {
    network->deliver();
  }
  return MPI_SUCCESS;
}
int PMPI_Cancel(MPI_Request* request) {
  FakeNetwork::Transfer& transfer = transfer_of(*request);
  if (!transfer.over) transfer.over = transfer.cancelled = true;
  return MPI_SUCCESS;
}
int PMPI_Test_cancelled(const MPI_Status* status, int* flag) {
  *flag = status->count_hi_and_cancelled;
  return MPI_SUCCESS;
}
int PMPI_Get_count(const MPI_Status* status, MPI_Datatype, int* count) {
  *count = status->count_lo;
  return MPI_SUCCESS;
}
// From anybody.
int PMPI_Improbe(int, int tag, MPI_Comm, int* found, MPI_Message* message, MPI_Status* status) {
  const int send = network->look_for(tag);
  *found = send >= 0;
  if (!*found) return MPI_SUCCESS;
  *message = static_cast<MPI_Message>(send);
  tell(network->transfer(send), status);
  return MPI_SUCCESS;
}
int PMPI_Mrecv(void* data, int, MPI_Datatype, MPI_Message* message, MPI_Status*) {
  const FakeNetwork::Transfer& send = network->transfer(static_cast<int>(*message));
  std::memcpy(data, send.taken.empty() ? send.data : send.taken.data(), send.bytes);
  return MPI_SUCCESS;
}
int PMPI_Ibarrier(MPI_Comm, MPI_Request*) { std::abort(); }
// One network for all: tags tell their messages apart.
int PMPI_Comm_idup(MPI_Comm comm, MPI_Comm* copy, MPI_Request* request) {
  *copy = comm;
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}
int PMPI_Comm_free(MPI_Comm*) { return MPI_SUCCESS; }
int PMPI_Comm_set_errhandler(MPI_Comm, MPI_Errhandler) { return MPI_SUCCESS; }
int PMPI_Comm_group(MPI_Comm, MPI_Group*) { std::abort(); }
int PMPI_Group_free(MPI_Group*) { std::abort(); }
int PMPI_Group_translate_ranks(MPI_Group, int, const int[], MPI_Group, int[]) { std::abort(); }
int PMPI_Error_string(int, char* text, int* length) {
  *length = std::snprintf(text, MPI_MAX_ERROR_STRING, "an error of the fake network");
  return MPI_SUCCESS;
}

}  // extern "C"

}  // namespace mpiactor::inter
