// More living communicators than the runtime may have private ones, up to as many as the MPI
// library has: many_communicators_test [--threads] MOST. Groups are shared (copies), or differ
// (splits).
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string_view>
#include <vector>

namespace {

int world_rank = 0;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "many_communicators_test: rank %d: %s\n", world_rank, what);
  std::exit(1);  // the launcher ends the others
}

struct Member {
  explicit Member(MPI_Comm own) : comm(own) {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
  }
  void check_sum(int salt) const {
    long word = rank + salt;
    MPI_Allreduce(MPI_IN_PLACE, &word, 1, MPI_LONG, MPI_SUM, comm);
    if (word != long{ranks} * (ranks - 1) / 2 + long{ranks} * salt) fail("wrong sum");
  }
  void check_broadcast(int count, int root, int value) const {
    static std::vector<int> words;
    words.assign(static_cast<std::size_t>(count), rank == root ? value : -1);
    MPI_Bcast(words.data(), count, MPI_INT, root, comm);
    if (std::count(words.begin(), words.end(), value) != count) fail("wrong broadcast");
  }
  MPI_Comm comm;
  int rank = 0;
  int ranks = 0;
};

constexpr int kCount = 64 * 1024 / sizeof(int);

void use(const Member& member, int number) {
  member.check_sum(number);  // the first call on a communicator is the MPI library's
  member.check_sum(-number);
  member.check_broadcast(kCount, number % member.ranks, number);
}

MPI_Comm copy(int) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  return comm;
}

// The world, or one of two halves of it, in an order that depends on `number`.
MPI_Comm split(int number) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int colour = number % 3 == 2 ? world_rank / ((ranks + 1) / 2) : 0;
  std::mt19937 random(static_cast<unsigned>(1000 * number + world_rank));
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, colour, static_cast<int>(random() % 1000), &comm);
  return comm;
}

// `most` living ones; some die in random order and others are born, and all are used again.
template <typename Make>
void live_together(Make make, int most, std::mt19937& random) {
  std::vector<Member> members;
  for (int number = 0; number < most; ++number) {
    members.emplace_back(make(number));
    use(members.back(), number);
  }
  for (int round = 0; round < 2; ++round) {
    std::shuffle(members.begin(), members.end(), random);
    for (int i = 0; i < most / 8; ++i) {
      MPI_Comm_free(&members.back().comm);
      members.pop_back();
    }
    for (int i = 0; i < most / 8; ++i) {
      members.emplace_back(make(i));
      use(members.back(), i);
    }
    for (const Member& member : members) member.check_broadcast(10, round, round);
  }
  std::shuffle(members.begin(), members.end(), random);
  for (Member& member : members) MPI_Comm_free(&member.comm);
}

// Communicators of one group in turns: the roots run ahead, so that messages of one number are
// under way on all of them.
void take_turns() {
  constexpr int kComms = 5;
  std::vector<Member> members;
  for (int i = 0; i < kComms; ++i) members.emplace_back(copy(i));
  for (const Member& member : members) use(member, 1);
  for (int round = 0; round < 250; ++round) {
    const int root = round % 100 < 80 ? 0 : round % members[0].ranks;
    if (round % 50 == 7 && world_rank == round % members[0].ranks) usleep(3000);
    for (int i = 0; i < kComms; ++i) {
      const Member& member = members[static_cast<std::size_t>((round + i) % kComms)];
      member.check_broadcast(round % 10 == 3 ? kCount : 3, root, 1000 * round + i);
    }
    if (round % 25 == 24) members[static_cast<std::size_t>(round % kComms)].check_sum(round);
  }
  for (Member& member : members) MPI_Comm_free(&member.comm);
}

// As many as the MPI library makes: the program, not the runtime, has the last ones.
void use_all(int at_least) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  std::vector<Member> members;
  for (int number = 0;; ++number) {
    MPI_Comm comm;
    if (MPI_Comm_dup(MPI_COMM_WORLD, &comm) != MPI_SUCCESS) break;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
    members.emplace_back(comm);
    // The last ones get their turn when no communicator is left.
    if (number % 2 == 0 || number < at_least - 200) use(members.back(), number);
  }
  const int made = static_cast<int>(members.size());
  if (made < at_least) fail("the MPI library has too few communicators left");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  for (int number = 0; number < made; number += 7) {
    use(members[static_cast<std::size_t>(number)], number);
  }
  for (int number = std::max(0, made - 300); number < made; ++number) {
    use(members[static_cast<std::size_t>(number)], number);
  }
  // Every place that comes free is found again.
  for (Member& member : members) MPI_Comm_free(&member.comm);
  members.clear();
  for (int number = 0; number < 40; ++number) {
    members.emplace_back(split(number));
    use(members.back(), number);
  }
  for (Member& member : members) MPI_Comm_free(&member.comm);
}

}  // namespace

int main(int argc, char** argv) {
  const bool threads = argc > 1 && argv[1] == std::string_view("--threads");
  int provided = 0;
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  const int most = std::atoi(argv[argc - 1]);
  unsigned seed = std::random_device()();
  PMPI_Bcast(&seed, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
  if (world_rank == 0) std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  take_turns();
  live_together(copy, most, random);
  live_together(split, most, random);
  // Of 2,048 contexts one in twenty is the runtime's.
  if (!threads) use_all(1945);
  MPI_Finalize();
  return 0;
}
