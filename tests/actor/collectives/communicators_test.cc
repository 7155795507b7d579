// Communicators of all kinds: created and freed in numbers without leaving anything, of one rank,
// between groups, used by several threads at once; a fast root and a slow member; counts beyond 2
// GiB of address space are left to bcast_large_test.
#include <dirent.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/actor/collectives/mpi_check.h"

namespace {

using mpiactor::testing::hybrid_calls;

int world_rank, world_size;

int count_lines_with(const char* file, const char* text) {
  std::ifstream in(file);
  int count = 0;
  for (std::string line; std::getline(in, line);) count += line.find(text) != std::string::npos;
  return count;
}

int open_descriptors() {
  int count = 0;
  DIR* directory = opendir("/proc/self/fd");
  while (readdir(directory)) ++count;
  closedir(directory);
  return count;
}

int runtime_mappings() { return count_lines_with("/proc/self/maps", "/dev/shm/#"); }

void broadcast_some(MPI_Comm comm, int times, int salt) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int i = 0; i < times; ++i) {
    const int root = (i + salt) % size;
    int values[100];
    for (int& value : values) value = rank == root ? i * 1000 + salt : -1;
    MPI_Bcast(values, 100, MPI_INT, root, comm);
    for (const int value : values) CHECK_EQUAL(value, i * 1000 + salt, "");
    std::vector<int> many(5000, rank == root ? i + salt : -1);
    MPI_Bcast(many.data(), 5000, MPI_INT, root, comm);
    for (const int value : many) CHECK_EQUAL(value, i + salt, "");
  }
}

void created_and_freed_in_a_row(int how_many) {
  broadcast_some(MPI_COMM_WORLD, 3, 0);
  const int mappings = runtime_mappings();
  const int descriptors = open_descriptors();
  const long before = hybrid_calls();
  for (int i = 0; i < how_many; ++i) {
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, i % 3 == 0 ? world_rank % 2 : 0,
                   i % 2 ? world_rank : -world_rank, &comm);
    broadcast_some(comm, 2, i);
    MPI_Comm_free(&comm);
  }
  constexpr int kMostKept = 32;  // for later communicators
  CHECK(runtime_mappings() <= mappings + kMostKept, "segments still mapped");
  CHECK_EQUAL(open_descriptors(), descriptors, "open descriptors");
  if (before >= 0 && world_size > 2) CHECK(hybrid_calls() - before >= how_many, "hybrid calls");
}

void many_alive(int how_many) {
  std::vector<MPI_Comm> comms(static_cast<std::size_t>(how_many));
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (std::size_t i = 0; i < comms.size(); ++i) broadcast_some(comms[i], 2, static_cast<int>(i));
  for (std::size_t i = comms.size(); i-- > 0;) broadcast_some(comms[i], 1, static_cast<int>(i));
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

void of_one_rank() {
  int value = 5;
  MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_SELF);
  CHECK_EQUAL(value, 5, "");
}

void between_groups() {
  if (world_size < 2) return;
  MPI_Comm half, inter;
  const int side = world_rank % 2;
  MPI_Comm_split(MPI_COMM_WORLD, side, world_rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 7, &inter);
  for (int i = 0; i < 5; ++i) {
    int value = world_rank == 0 ? 40 + i : -1;
    const int root = side == 1 ? 0 : (world_rank == 0 ? MPI_ROOT : MPI_PROC_NULL);
    MPI_Bcast(&value, 1, MPI_INT, root, inter);
    if (side == 1) CHECK_EQUAL(value, 40 + i, "");
  }
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

void in_several_threads(int threads) {
  std::vector<MPI_Comm> comms(static_cast<std::size_t>(threads));
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::vector<std::thread> running;
  for (std::size_t t = 0; t < comms.size(); ++t) {
    running.emplace_back([&comms, t] { broadcast_some(comms[t], 40, static_cast<int>(t) * 7); });
  }
  for (std::thread& thread : running) thread.join();
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

// A root far ahead of a sleeping member: memory stays bounded, nothing is lost.
void fast_root_slow_member() {
  constexpr int kCalls = 5000;
  for (int i = 0; i < kCalls; ++i) {
    long value = world_rank == 0 ? i : -1;
    if (world_rank == world_size - 1 && i % 1000 == 500) usleep(100000);
    MPI_Bcast(&value, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    CHECK_EQUAL(value, static_cast<long>(i), "");
  }
}

// A rank that has begun a rendezvous send waits in a broadcast; the receiver comes to the broadcast
// only afterwards. The waiting rank must let the MPI library work.
void progress_while_waiting() {
  if (world_size < 2) return;
  constexpr int kBytes = 8 << 20;
  std::vector<char> data(kBytes, 'x');
  for (int round = 0; round < 3; ++round) {
    int token = round;
    const int last = world_size - 1;
    MPI_Request request = MPI_REQUEST_NULL;
    if (world_rank == last)
      MPI_Isend(data.data(), kBytes, MPI_BYTE, 0, 9, MPI_COMM_WORLD, &request);
    if (world_rank == 0) {
      usleep(20000);  // the others wait in the broadcast already
      std::vector<char> received(kBytes);
      MPI_Recv(received.data(), kBytes, MPI_BYTE, last, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK_EQUAL(received[kBytes - 1], 'x', "");
    }
    MPI_Bcast(&token, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_EQUAL(token, round, "");
  }
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  of_one_rank();
  created_and_freed_in_a_row(500);
  many_alive(60);
  between_groups();
  if (provided == MPI_THREAD_MULTIPLE) in_several_threads(4);
  fast_root_slow_member();
  progress_while_waiting();
  MPI_Finalize();
  return 0;
}
