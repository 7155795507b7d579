// One rank of four ends in a broadcast from rank 0: dying HOW WHEN ROLE LABEL
//
//   HOW    kill | segv | abort | exit (without MPI_Finalize)
//   WHEN   before the call, in it, or after it, while the others go on
//   ROLE   leader | follower of node 1 (with MPIACTOR_NODES=2): whether rank 2 arrives first there;
//          deputy: rank 1, which waits for the root and sends for it, while node 1 has not come;
//          late: rank 1, a node of its own (MPIACTOR_NODES=4, MPIACTOR_BCAST=chain), past which
//          those below it have been served
//
// "dying stay collective|message LABEL": nobody dies; all wait for rank 0, which comes 3 s late,
// and then for a rank that never comes, in a broadcast or in a receive. LABEL: nothing; tells this
// job's processes from others.
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int kVictim = 2;
constexpr int kNeighbour = 3;
constexpr int kBytes = 100000;

void end_by(const std::string& how) {
  if (how == "kill") kill(getpid(), SIGKILL);
  if (how == "segv") raise(SIGSEGV);
  if (how == "abort") std::abort();
  // With exit handlers, but not beside a main thread that is in the MPI library.
  if (how == "exit" && getpid() == gettid()) std::exit(3);
  if (how == "exit") _exit(3);
}

void broadcast(std::vector<char>& buffer, int root) {
  MPI_Bcast(buffer.data(), kBytes, MPI_BYTE, root, MPI_COMM_WORLD);
}

// So that the communicator has its container.
void warm_up(std::vector<char>& buffer) {
  for (int call = 0; call < 5; ++call) broadcast(buffer, call % 4);
}

void die_late(int rank, const std::string& how, const std::string& when,
              std::vector<char>& buffer) {
  constexpr int kLate = 1;
  constexpr int kLast = 3;
  std::thread assassin;
  if (rank == kLate) {
    // It does not come before the last one has left.
    MPI_Recv(nullptr, 0, MPI_BYTE, kLast, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (when == "before") end_by(how);
    if (when == "in") {
      assassin = std::thread([&] {
        usleep(1000);
        end_by(how);
      });
    }
  }
  broadcast(buffer, 0);
  if (rank == kLast) {
    std::puts("served past the late node");
    std::fflush(stdout);
    MPI_Send(nullptr, 0, MPI_BYTE, kLate, 0, MPI_COMM_WORLD);
  }
  if (rank == kLate && when == "after") end_by(how);
  for (int call = 0; call < 100; ++call) broadcast(buffer, call % 4);
  if (assassin.joinable()) assassin.join();
}

void die(int rank, const std::string& how, const std::string& when, const std::string& role,
         std::vector<char>& buffer) {
  constexpr useconds_t kLateUs = 50000;
  if (role == "deputy") {
    constexpr int kDeputy = 1;
    std::thread assassin;
    if (rank == 0) usleep(kLateUs);
    if (rank >= kVictim) usleep(6 * kLateUs);
    if (rank == kDeputy && when == "before") end_by(how);
    if (rank == kDeputy && when == "in") {
      assassin = std::thread([&] {
        usleep(3 * kLateUs);
        end_by(how);
      });
    }
    broadcast(buffer, 0);
    if (rank == 0) std::puts("the root has left"), std::fflush(stdout);
    if (rank == kDeputy && when == "after") end_by(how);
    for (int call = 0; call < 100; ++call) broadcast(buffer, call % 4);
    if (assassin.joinable()) assassin.join();
    return;
  }
  if (rank == kVictim && when == "before") end_by(how);
  if (rank == 0) usleep(4 * kLateUs);
  if (rank == (role == "leader" ? kNeighbour : kVictim)) usleep(kLateUs);
  std::thread assassin;
  if (rank == kVictim && when == "in") {
    assassin = std::thread([&] {
      usleep(2 * kLateUs);
      end_by(how);
    });
  }
  broadcast(buffer, 0);
  if (rank == kVictim && when == "after") end_by(how);
  for (int call = 0; call < 100; ++call) broadcast(buffer, call % 4);
  if (assassin.joinable()) assassin.join();
}

void stay(int rank, const std::string& where, std::vector<char>& buffer) {
  if (rank == 0) sleep(3);
  broadcast(buffer, 0);
  const int absent = 1;
  if (where == "collective") {
    if (rank == absent) pause();
    broadcast(buffer, absent);
  } else {
    MPI_Recv(buffer.data(), kBytes, MPI_BYTE, absent, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 64;
  const std::string how = argv[1];
  const std::string when = argv[2];
  const std::string role = argv[3];
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<char> buffer(kBytes);
  warm_up(buffer);
  if (how == "stay") {
    stay(rank, when, buffer);
  } else if (role == "late") {
    die_late(rank, how, when, buffer);
  } else {
    die(rank, how, when, role, buffer);
  }
  MPI_Finalize();
  std::puts("dying: nobody died");
  return 0;
}
