// Scatters and gathers in which some ranks believe in another size than the root: MPI_ERR_TRUNCATE
// where there is too little room, what fits everywhere, and right calls afterwards. Argument: how
// many wrong ones. Blocks are as short as errors.md wants them.
#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "tests/actor/collectives/mpi_check.h"

namespace {

constexpr std::uint8_t kGuard = 0xa5;
constexpr std::size_t kMostScattered = 64 << 10;  // by all ranks together

const std::size_t most_gathered = std::getenv("MPIACTOR_NODES") ? 4096 : 256 << 10;

int rank = 0;
int ranks = 0;
MPI_Comm comm = MPI_COMM_NULL;

int class_of(int error) {
  int error_class = MPI_SUCCESS;
  if (error != MPI_SUCCESS) MPI_Error_class(error, &error_class);
  return error_class;
}

std::uint8_t value(int call, int to, std::size_t i) {
  return static_cast<std::uint8_t>(call * 31 + to * 7 + static_cast<int>(i) * 11);
}

std::string describe(const char* operation, int call, int root,
                     const std::vector<std::size_t>& sizes) {
  std::string text = std::string(operation) + " " + std::to_string(call) + ", root " +
                     std::to_string(root) + ", sizes";
  for (const std::size_t size : sizes) text += " " + std::to_string(size);
  return text;
}

void scatter(int call, int root, const std::vector<std::size_t>& sizes) {
  const std::size_t room = sizes[static_cast<std::size_t>(rank)];
  const std::size_t given = sizes[static_cast<std::size_t>(root)];
  const std::string text = describe("scatter", call, root, sizes);
  std::vector<std::uint8_t> all;
  if (rank == root) {
    for (int to = 0; to < ranks; ++to) {
      for (std::size_t i = 0; i < given; ++i) all.push_back(value(call, to, i));
    }
  }
  std::vector<std::uint8_t> mine(room + 64, kGuard);
  const int error = MPI_Scatter(all.data(), static_cast<int>(given), MPI_BYTE, mine.data(),
                                static_cast<int>(room), MPI_BYTE, root, comm);
  CHECK_EQUAL(class_of(error), given > room ? MPI_ERR_TRUNCATE : MPI_SUCCESS, text);
  const std::size_t got = std::min(given, room);
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const std::uint8_t expected = i < got ? value(call, rank, i) : kGuard;
    if (mine[i] != expected) {
      CHECK_EQUAL(int{mine[i]}, int{expected}, "byte " + std::to_string(i) + ", " + text);
    }
  }
}

void gather(int call, int root, const std::vector<std::size_t>& sizes) {
  const std::size_t mine_bytes = sizes[static_cast<std::size_t>(rank)];
  const std::size_t room = sizes[static_cast<std::size_t>(root)];
  const std::string text = describe("gather", call, root, sizes);
  std::vector<std::uint8_t> mine;
  for (std::size_t i = 0; i < mine_bytes; ++i) mine.push_back(value(call, rank, i));
  std::vector<std::uint8_t> all;
  if (rank == root) all.assign(room * static_cast<std::size_t>(ranks) + 64, kGuard);
  const int error = MPI_Gather(mine.data(), static_cast<int>(mine_bytes), MPI_BYTE, all.data(),
                               static_cast<int>(room), MPI_BYTE, root, comm);
  const bool is_cut_off =
      rank == root && std::ranges::any_of(sizes, [&](std::size_t size) { return size > room; });
  CHECK_EQUAL(class_of(error), is_cut_off ? MPI_ERR_TRUNCATE : MPI_SUCCESS, text);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto from = static_cast<int>(i / room);
    const std::size_t at = i % room;
    const bool is_given = from < ranks && at < sizes[static_cast<std::size_t>(from)];
    const std::uint8_t expected = is_given ? value(call, from, at) : kGuard;
    if (all[i] != expected) {
      CHECK_EQUAL(int{all[i]}, int{expected}, "byte " + std::to_string(i) + ", " + text);
    }
  }
}

void run(std::mt19937_64& shared, int wrong_calls) {
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  std::vector<std::size_t> sizes(static_cast<std::size_t>(ranks), 8);
  for (int i = 0; i < 2; ++i) scatter(0, 0, sizes), gather(0, 0, sizes);
  const long handled_before = mpiactor::testing::hybrid_calls();
  const std::size_t most_scattered = kMostScattered / static_cast<std::size_t>(ranks);
  const auto pick = [&] {
    constexpr std::size_t kSizes[] = {4,    8,      100,    400,    509,    1018,   2500,
                                      4000, 16'000, 16'400, 32'000, 64'000, 150'000};
    return kSizes[shared() % std::size(kSizes)];
  };
  const auto call_one = [&](int number, int root) {
    const bool scatters = shared() % 2 == 0;
    for (std::size_t& size : sizes) {
      size = std::min(size, scatters ? most_scattered : most_gathered);
    }
    if (scatters) {
      scatter(number, root, sizes);
    } else {
      gather(number, root, sizes);
    }
  };
  int call = 0;
  for (int wrong = 0; wrong < wrong_calls; ++wrong) {
    const int root = static_cast<int>(shared() % static_cast<unsigned>(ranks));
    sizes.assign(sizes.size(), pick());
    const unsigned others = shared() % 4 == 0 ? static_cast<unsigned>(ranks) - 1 : 1;
    for (unsigned i = 0; i < others; ++i) {
      const int other =
          (root + 1 + static_cast<int>(shared() % (static_cast<unsigned>(ranks) - 1))) % ranks;
      sizes[static_cast<std::size_t>(other)] = pick();
    }
    call_one(++call, root);
    const int right_calls = wrong + 1 == wrong_calls ? 70 : static_cast<int>(shared() % 3);
    for (int right = 0; right < right_calls; ++right) {
      sizes.assign(sizes.size(), 1 + shared() % 40'000);
      call_one(++call, static_cast<int>(shared() % static_cast<unsigned>(ranks)));
    }
  }
  if (handled_before >= 0) {
    CHECK_EQUAL(mpiactor::testing::hybrid_calls() - handled_before, static_cast<long>(call),
                "calls handled by the runtime");
  }
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int wrong_calls = argc > 1 ? std::atoi(argv[1]) : 40;
  std::mt19937_64 shared(mpiactor::testing::agreed_seed());
  mpiactor::testing::under_each_leader([&] { run(shared, wrong_calls); });
  MPI_Finalize();
  return 0;
}
