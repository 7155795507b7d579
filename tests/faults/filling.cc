// Reductions of long vectors before and after /dev/shm has been filled up to the quarter that the
// runtime leaves free. Only for a /dev/shm of its own.
#include <fcntl.h>
#include <mpi.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

int rank = 0;
int size = 0;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "rank %d: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

void reduce(int elements, bool blocking) {
  std::vector<double> send(static_cast<std::size_t>(elements));
  std::vector<double> recv(send.size());
  for (std::size_t i = 0; i < send.size(); ++i) send[i] = rank + static_cast<double>(i);
  if (blocking) {
    MPI_Allreduce(send.data(), recv.data(), elements, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  } else {
    MPI_Request request;
    MPI_Iallreduce(send.data(), recv.data(), elements, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD,
                   &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  for (std::size_t i = 0; i < recv.size(); ++i) {
    if (recv[i] != size * static_cast<double>(i) + size * (size - 1) / 2.0) fail("a wrong sum");
  }
}

void fill() {
  const char* const name = "/dev/shm/filling";
  const int file = open(name, O_CREAT | O_RDWR, 0600);
  unlink(name);
  struct statvfs space {};
  statvfs("/dev/shm", &space);
  const auto quarter = space.f_blocks / 4;
  if (space.f_bavail <= quarter) return;
  const auto bytes = static_cast<off_t>((space.f_bavail - quarter) * space.f_frsize);
  if (posix_fallocate(file, 0, bytes) != 0) fail("cannot fill /dev/shm");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const bool blocking = argc < 2;
  // A vector in one block gets memory for itself.
  reduce(8, true);
  reduce(32 << 10, true);
  if (rank == 0) fill();
  MPI_Barrier(MPI_COMM_WORLD);
  for (int call = 0; call < 3; ++call) reduce(512 << 10, blocking);
  if (rank == 0) std::puts("all right");
  MPI_Finalize();
  return 0;
}
