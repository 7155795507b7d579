// Broadcasts, gathers, gathervs and alltoallvs on one node whose blocks are written, or read, in
// another rank's own memory: the taker first, the giver first, gaps, too little room, a block that
// is in place. The arguments are MPIACTOR_SINGLE_COPY and the number of calls.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/actor/collectives/mpi_check.h"

extern "C" long mpiactor_single_copy_calls() __attribute__((weak));

namespace {

constexpr int kGuard = -1;
constexpr std::size_t kBehind = 50;  // ints behind a buffer that must stay as they are

int rank, ranks;

enum class Kind { kBcast, kIbcast, kGather, kIgather, kGatherv, kAlltoallv };
constexpr const char* kNames[] = {"bcast", "ibcast", "gather", "igather", "gatherv", "alltoallv"};

// The same on all ranks.
struct Case {
  int call;
  Kind kind;
  int root;
  std::vector<int> ints;  // of each rank's block
  bool has_gaps;          // of the takers' buffers
  bool is_too_short;      // likewise
  bool is_in_place;       // the root's own block, or all blocks of an alltoallv
  int late;               // rank; `ranks`: nobody, -1: all at random
  int late_us;

  std::string text() const {
    std::string text =
        "call " + std::to_string(call) + ": " + kNames[static_cast<std::size_t>(kind)] + ", root " +
        std::to_string(root) + (has_gaps ? ", gaps" : "") + (is_too_short ? ", too short" : "") +
        (is_in_place ? ", in place" : "") + ", late " + std::to_string(late) + ", ints";
    for (const int of_rank : ints) text += " " + std::to_string(of_rank);
    return text;
  }
};

int value(const Case& c, int from, int to, int i) {
  return c.call * 7919 + from * 104729 + to * 1299709 + i;
}

std::vector<int> block(const Case& c, int from, int to) {
  std::vector<int> block(static_cast<std::size_t>(c.ints[static_cast<std::size_t>(from)]));
  for (std::size_t i = 0; i < block.size(); ++i) block[i] = value(c, from, to, static_cast<int>(i));
  return block;
}

int class_of(int error) {
  int error_class = MPI_SUCCESS;
  if (error != MPI_SUCCESS) MPI_Error_class(error, &error_class);
  return error_class;
}

// Where a rank takes blocks: one behind the other, each of its room.
class Taken {
 public:
  Taken(const Case& c, const std::vector<int>& from) : case_(c), from_(from) {
    int total = 0;
    for (const int rank_from : from) {
      const int ints = c.ints[static_cast<std::size_t>(rank_from)];
      rooms.push_back(c.is_too_short ? ints - ints / 3 : ints);
      places.push_back(total);
      total += rooms.back();
    }
    stride_ = c.has_gaps ? 2 : 1;
    memory.assign(static_cast<std::size_t>(total) * static_cast<std::size_t>(stride_) + kBehind,
                  kGuard);
    if (stride_ == 1) return;
    MPI_Type_create_resized(MPI_INT, 0, stride_ * static_cast<int>(sizeof(int)), &type);
    MPI_Type_commit(&type);
  }
  Taken(const Taken&) = delete;
  ~Taken() {
    if (stride_ > 1) MPI_Type_free(&type);
  }

  void check() const {
    std::vector<int> expected(memory.size(), kGuard);
    std::size_t at = 0;
    for (std::size_t k = 0; k < from_.size(); ++k) {
      const std::vector<int> sent = block(case_, from_[k], rank_of_taker());
      for (int i = 0; i < rooms[k]; ++i, at += static_cast<std::size_t>(stride_)) {
        expected[at] = sent[static_cast<std::size_t>(i)];
      }
    }
    const auto [wrong, right] = std::mismatch(memory.begin(), memory.end(), expected.begin());
    if (wrong == memory.end()) return;
    CHECK_EQUAL(*wrong, *right, case_.text() + ", at " + std::to_string(wrong - memory.begin()));
  }

  std::vector<int> memory;
  std::vector<int> rooms;
  std::vector<int> places;
  MPI_Datatype type = MPI_INT;

 private:
  // A broadcast has one message for all.
  int rank_of_taker() const {
    return case_.kind == Kind::kBcast || case_.kind == Kind::kIbcast ? 0 : rank;
  }

  const Case& case_;
  std::vector<int> from_;
  int stride_;
};

std::vector<int> all_ranks() {
  std::vector<int> all;
  for (int r = 0; r < ranks; ++r) all.push_back(r);
  return all;
}

void expect_error(const Case& c, int error) {
  CHECK_EQUAL(class_of(error), c.is_too_short ? MPI_ERR_TRUNCATE : MPI_SUCCESS, c.text());
}

void bcast(const Case& c) {
  const auto call = [&](void* buffer, int count, MPI_Datatype type) {
    if (c.kind == Kind::kBcast) return MPI_Bcast(buffer, count, type, c.root, MPI_COMM_WORLD);
    MPI_Request request;
    MPI_Ibcast(buffer, count, type, c.root, MPI_COMM_WORLD, &request);
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
  };
  if (rank == c.root) {
    std::vector<int> given = block(c, c.root, 0);
    CHECK_EQUAL(call(given.data(), static_cast<int>(given.size()), MPI_INT), MPI_SUCCESS, c.text());
    given.assign(given.size(), -2);  // at once: nobody reads any more
    return;
  }
  Taken taken(c, {c.root});
  expect_error(c, call(taken.memory.data(), taken.rooms[0], taken.type));
  taken.check();
}

void gather(const Case& c) {
  std::vector<int> given = block(c, rank, c.root);
  const int count = static_cast<int>(given.size());
  const auto call = [&](const void* own, void* all, MPI_Datatype type) {
    if (c.kind == Kind::kGather)
      return MPI_Gather(own, count, MPI_INT, all, count, type, c.root, MPI_COMM_WORLD);
    MPI_Request request;
    MPI_Igather(own, count, MPI_INT, all, count, type, c.root, MPI_COMM_WORLD, &request);
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
  };
  if (rank != c.root) {
    CHECK_EQUAL(call(given.data(), nullptr, MPI_INT), MPI_SUCCESS, c.text());
    given.assign(given.size(), -2);
    return;
  }
  Taken taken(c, all_ranks());
  if (c.is_in_place && !c.has_gaps)
    std::copy(given.begin(), given.end(), taken.memory.begin() + taken.places[std::size_t(rank)]);
  const bool in_place = c.is_in_place && !c.has_gaps;
  CHECK_EQUAL(call(in_place ? MPI_IN_PLACE : given.data(), taken.memory.data(), taken.type),
              MPI_SUCCESS, c.text());
  taken.check();
}

void gatherv(const Case& c) {
  std::vector<int> given = block(c, rank, c.root);
  if (rank != c.root) {
    CHECK_EQUAL(MPI_Gatherv(given.data(), static_cast<int>(given.size()), MPI_INT, nullptr, nullptr,
                            nullptr, MPI_INT, c.root, MPI_COMM_WORLD),
                MPI_SUCCESS, c.text());
    given.assign(given.size(), -2);
    return;
  }
  Taken taken(c, all_ranks());
  expect_error(
      c, MPI_Gatherv(given.data(), static_cast<int>(given.size()), MPI_INT, taken.memory.data(),
                     taken.rooms.data(), taken.places.data(), taken.type, c.root, MPI_COMM_WORLD));
  taken.check();
}

// What a rank gives is as long as what it takes then.
void alltoallv_in_place(const Case& c) {
  Case equal = c;
  equal.ints.assign(equal.ints.size(), c.ints[0]);
  equal.is_too_short = false;
  Taken taken(equal, all_ranks());
  for (int to = 0; to < ranks; ++to) {
    const std::vector<int> given = block(equal, rank, to);
    for (std::size_t i = 0; i < given.size(); ++i) {
      const std::size_t at = static_cast<std::size_t>(taken.places[std::size_t(to)]) + i;
      taken.memory[at * (c.has_gaps ? 2 : 1)] = given[i];
    }
  }
  CHECK_EQUAL(MPI_Alltoallv(MPI_IN_PLACE, nullptr, nullptr, MPI_INT, taken.memory.data(),
                            taken.rooms.data(), taken.places.data(), taken.type, MPI_COMM_WORLD),
              MPI_SUCCESS, equal.text());
  taken.check();
}

void alltoallv(const Case& c) {
  if (c.is_in_place) {
    alltoallv_in_place(c);
    return;
  }
  std::vector<int> given;
  std::vector<int> counts;
  std::vector<int> places;
  for (int to = 0; to < ranks; ++to) {
    const std::vector<int> one = block(c, rank, to);
    counts.push_back(static_cast<int>(one.size()));
    places.push_back(static_cast<int>(given.size()));
    given.insert(given.end(), one.begin(), one.end());
  }
  Taken taken(c, all_ranks());
  expect_error(
      c, MPI_Alltoallv(given.data(), counts.data(), places.data(), MPI_INT, taken.memory.data(),
                       taken.rooms.data(), taken.places.data(), taken.type, MPI_COMM_WORLD));
  given.assign(given.size(), -2);
  taken.check();
}

Case draw(int call, std::mt19937& random) {
  const auto below = [&](int end) {
    return static_cast<int>(random() % static_cast<unsigned>(end));
  };
  Case c{};
  c.call = call;
  c.kind = static_cast<Kind>(below(6));
  c.root = below(ranks);
  const int longest = 4 << 10 << below(7);  // 16 KiB to 1 MiB
  c.ints.assign(static_cast<std::size_t>(ranks), longest);
  const bool differ = c.kind == Kind::kGatherv || c.kind == Kind::kAlltoallv;
  for (int r = 0; differ && r < ranks; ++r) {
    if (below(2) == 0) c.ints[static_cast<std::size_t>(r)] = below(longest + 1);
  }
  c.has_gaps = below(6) == 0;
  const bool may_be_short = c.kind == Kind::kBcast || differ;
  c.is_too_short = may_be_short && below(8) == 0;
  // What is cut off nowhere is no error.
  for (int& ints : c.ints) ints = c.is_too_short ? std::max(ints, 3) : ints;
  c.is_in_place = below(3) == 0;
  c.late = below(ranks + 2) - 1;
  c.late_us = below(3) == 0 ? 2000 : 100;
  return c;
}

void come(const Case& c) {
  if (c.late == rank) usleep(static_cast<unsigned>(c.late_us));
  if (c.late == -1) usleep(static_cast<unsigned>(rand() % c.late_us));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  CHECK(argc == 3 && mpiactor_single_copy_calls,
        "usage: auto|off CALLS, with the runtime preloaded");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Barrier(MPI_COMM_WORLD);  // the call before the container
  std::mt19937 random(static_cast<unsigned>(mpiactor::testing::agreed_seed()));
  srand(static_cast<unsigned>(rank));
  for (int call = 0; call < std::atoi(argv[2]); ++call) {
    const Case c = draw(call, random);
    if (call % 3 != 0) MPI_Barrier(MPI_COMM_WORLD);
    come(c);
    switch (c.kind) {
      case Kind::kBcast:
      case Kind::kIbcast:
        bcast(c);
        break;
      case Kind::kGather:
      case Kind::kIgather:
        gather(c);
        break;
      case Kind::kGatherv:
        gatherv(c);
        break;
      case Kind::kAlltoallv:
        alltoallv(c);
        break;
    }
  }
  long single_copies = mpiactor_single_copy_calls();
  MPI_Allreduce(MPI_IN_PLACE, &single_copies, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  const bool is_off = std::string_view(argv[1]) == "off";
  CHECK(is_off ? single_copies == 0 : single_copies > std::atoi(argv[2]) / 8,
        std::to_string(single_copies) + " calls by single copy");
  MPI_Finalize();
  return 0;
}
