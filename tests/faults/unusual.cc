// Programs that do unusual things between checked collectives: unusual KIND [ARGUMENTS]
//
//   plain                      nothing; MPI_Init and MPI_Finalize are called where nobody has
//   fork exec|exit|stay        a child that runs another program, ends by exit(), lives on a while
//   session alone|first|last   MPI_Session_init without MPI_Init, before it, after it (MPI 4)
//   session apart              MPI_Init between other collectives of a session on each rank
//   session pending            a session's communicator is freed with receives, then MPI_Init
//   descriptors RANK LEFT      a rank has so many file descriptors left (RANK -1: all ranks)
//   memory RANK KB             a rank may map so much more, until its container is made
//   file-length KB             no file may be longer, on any rank
//   umask                      of 0777
//   other-launcher             MPICH's variable names a socket of the program's, which is closed
//   full                       /dev/shm is filled up: for a /dev/shm of its own
// Rank 0 prints "unusual: wrong=0"; exits with 1 where values were wrong.
#include <fcntl.h>
#include <mpi.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace {

int wrong = 0;

void broadcast(MPI_Comm comm, int count, int root, int value) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::vector<int> words(static_cast<std::size_t>(count), rank == root ? value : -1);
  MPI_Bcast(words.data(), count, MPI_INT, root, comm);
  for (const int word : words) wrong += word != value;
}

void sum(MPI_Comm comm, int count, int value) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  std::vector<int> words(static_cast<std::size_t>(count), rank + value);
  MPI_Allreduce(MPI_IN_PLACE, words.data(), count, MPI_INT, MPI_SUM, comm);
  for (const int word : words) wrong += word != ranks * (ranks - 1) / 2 + ranks * value;
}

// Inline, held and long ones from every root.
void collectives(MPI_Comm comm) {
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  for (int round = 0; round < ranks; ++round) {
    for (const int count : {1, 300, 100000}) {
      broadcast(comm, count, round, round + 7);
      sum(comm, count, round);
    }
    MPI_Barrier(comm);
  }
}

void fork_child(const std::string& kind) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    if (kind == "exec") {
      execl("/bin/true", "true", static_cast<char*>(nullptr));
      _exit(9);
    }
    if (kind == "stay") usleep(300000);
    std::exit(0);
  }
  collectives(MPI_COMM_WORLD);
  int status = -1;
  waitpid(child, &status, 0);
  if (status != 0) {
    std::fprintf(stderr, "unusual: the child ended with status %d\n", status);
    ++wrong;
  }
}

#if MPI_VERSION >= 4
// A communicator of all processes, from a session.
MPI_Comm begin_session(MPI_Session* session) {
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, session);
  MPI_Group group;
  MPI_Group_from_session_pset(*session, "mpi://WORLD", &group);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_create_from_group(group, "unusual", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Group_free(&group);
  return comm;
}

// Receives on a session's communicator that is freed; what they could take is the runtime's.
void run_pending() {
  MPI_Session session;
  MPI_Comm comm = begin_session(&session);
  constexpr int kReceives = 64;
  constexpr int kBytes = 1 << 16;
  std::vector<std::vector<char>> memory(kReceives, std::vector<char>(kBytes));
  std::vector<MPI_Request> receives(kReceives);
  for (int i = 0; i < kReceives; ++i) {
    MPI_Irecv(memory[static_cast<std::size_t>(i)].data(), kBytes, MPI_BYTE, MPI_ANY_SOURCE,
              MPI_ANY_TAG, comm, &receives[static_cast<std::size_t>(i)]);
  }
  MPI_Comm_free(&comm);
  MPI_Init(nullptr, nullptr);
  collectives(MPI_COMM_WORLD);
  for (MPI_Request& receive : receives) {
    int has_come = 0;
    MPI_Test(&receive, &has_come, MPI_STATUS_IGNORE);
    wrong += has_come;
    if (has_come) continue;
    MPI_Cancel(&receive);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
  }
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Reduce(rank == 0 ? MPI_IN_PLACE : &wrong, &wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) std::printf("unusual: wrong=%d\n", wrong);
  MPI_Finalize();
  MPI_Session_finalize(&session);  // MPICH 4.2 crashes in MPI_Finalize after it
}

void run_session(const std::string& kind) {
  if (kind == "pending") return run_pending();
  if (kind == "last") {
    MPI_Init(nullptr, nullptr);
    collectives(MPI_COMM_WORLD);
  }
  MPI_Session session;
  MPI_Comm comm = begin_session(&session);
  collectives(comm);
  if (kind == "apart") {
    int own = 0;
    MPI_Comm_rank(comm, &own);
    if (own != 0) MPI_Init(nullptr, nullptr);
    broadcast(comm, 1, 0, 5);
    if (own == 0) MPI_Init(nullptr, nullptr);
  }
  if (kind == "first") MPI_Init(nullptr, nullptr);
  if (kind != "alone") {
    collectives(comm);
    collectives(MPI_COMM_WORLD);
    collectives(comm);
    MPI_Finalize();
    collectives(comm);
  }
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Reduce(rank == 0 ? MPI_IN_PLACE : &wrong, &wrong, 1, MPI_INT, MPI_SUM, 0, comm);
  if (rank == 0) std::printf("unusual: wrong=%d\n", wrong);
  MPI_Comm_disconnect(&comm);
  MPI_Session_finalize(&session);
}
#else
void run_session(const std::string&) { wrong = 1; }
#endif

void limit(__rlimit_resource resource, rlim_t most) {
  rlimit both;
  getrlimit(resource, &both);
  both.rlim_cur = most;
  setrlimit(resource, &both);
}

void use_up_descriptors(int left) {
  limit(RLIMIT_NOFILE, 256);
  std::vector<int> all;
  for (int copy = dup(STDIN_FILENO); copy >= 0; copy = dup(STDIN_FILENO)) all.push_back(copy);
  for (int i = 0; i < left && i < static_cast<int>(all.size()); ++i) {
    close(all[all.size() - 1 - static_cast<std::size_t>(i)]);
  }
}

void limit_memory(int more_kb) {
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  limit(RLIMIT_AS,
        pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + static_cast<rlim_t>(more_kb) * 1024);
}

void fill_shared_memory() {
  const int file = open("/dev/shm/filler", O_WRONLY | O_CREAT, 0600);
  const std::vector<char> block(4096);
  while (write(file, block.data(), block.size()) > 0) {
  }
  close(file);
}

// As in a job of Open MPI that a rank of MPICH has started.
int begin_other_launcher() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return -1;
  setenv("PMI_FD", std::to_string(ends[0]).c_str(), 1);
  return ends[1];
}

void end_other_launcher(int end) {
  collectives(MPI_COMM_WORLD);
  close(end);
  // The last rank comes when the others have looked.
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank == ranks - 1) usleep(2'500'000);
}

void prepare(const std::string& kind, int rank, int first, int second) {
  const bool is_meant = first == rank || first < 0;
  if (kind == "descriptors" && is_meant) use_up_descriptors(second);
  if (kind == "memory") {
    if (is_meant) limit_memory(second);
    for (int call = 0; call < 3; ++call) broadcast(MPI_COMM_WORLD, 1, 0, call);
    limit(RLIMIT_AS, RLIM_INFINITY);
  }
  if (kind == "file-length") {
    signal(SIGXFSZ, SIG_DFL);
    limit(RLIMIT_FSIZE, static_cast<rlim_t>(first) * 1024);
  }
  if (kind == "umask") umask(0777);
  if (kind == "full") {
    if (rank == 0) fill_shared_memory();
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

void run_with_init(const std::string& kind, const std::string& first, int second) {
  const int other_launcher = kind == "other-launcher" ? begin_other_launcher() : -1;
  // Twice, as a program and its library do.
  for (int i = 0; i < 2; ++i) {
    int is_there = 0;
    MPI_Initialized(&is_there);
    if (!is_there) MPI_Init(nullptr, nullptr);
  }
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (kind == "fork") {
    collectives(MPI_COMM_WORLD);
    for (int i = 0; i < 2; ++i) fork_child(first);
  } else if (kind == "other-launcher") {
    end_other_launcher(other_launcher);
  } else {
    prepare(kind, rank, std::atoi(first.c_str()), second);
  }
  collectives(MPI_COMM_WORLD);
  PMPI_Reduce(rank == 0 ? MPI_IN_PLACE : &wrong, &wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) std::printf("unusual: wrong=%d\n", wrong);
  for (int i = 0; i < 2; ++i) {
    int has_ended = 0;
    MPI_Finalized(&has_ended);
    if (!has_ended) MPI_Finalize();
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 64;
  const std::string kind = argv[1];
  const std::string first = argc > 2 ? argv[2] : "";
  const int second = argc > 3 ? std::atoi(argv[3]) : 0;
  if (kind == "session") {
    run_session(first);
  } else {
    run_with_init(kind, first, second);
  }
  return wrong != 0;
}
