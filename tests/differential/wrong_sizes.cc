// Calls of programs that are wrong in a way that the runtime's docs/errors.md calls recoverable,
// each followed by right ones. The MPI library alone may do otherwise: --wrong-sizes asks for them.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "tests/differential/program.h"

namespace differential {

namespace {

using Words = std::vector<std::int32_t>;
constexpr std::int32_t kGuard = -77;

struct Sizes {
  int given;
  int room;
};

Words words_of(const Step& step, int from, int count) {
  Words words;
  for (int i = 0; i < count; ++i)
    words.push_back(static_cast<std::int32_t>(
        mix(key_of({step.key, static_cast<std::uint64_t>(from)}) + static_cast<std::uint64_t>(i)) >>
        33));
  return words;
}

void expect_class(const Step& step, int error, int wanted) {
  int error_class = MPI_SUCCESS;
  if (error != MPI_SUCCESS) MPI_Error_class(error, &error_class);
  if (error_class != wanted)
    fail(where(step), fmt::format("error class {}, not {}", error_class, wanted));
}

void expect_words(const Step& step, const Words& got, int begin, const Words& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::int32_t word = got[static_cast<std::size_t>(begin) + i];
    if (word != expected[i])
      fail(where(step),
           fmt::format("word {} is {}, not {}", begin + static_cast<int>(i), word, expected[i]));
  }
}

void expect_guards(const Step& step, const Words& got, int begin, int end) {
  expect_words(step, got, begin, Words(static_cast<std::size_t>(end - begin), kGuard));
}

// Some ranks have less room than the root sends.
void wrong_bcast(Step& step, MPI_Comm comm, int rank, int size, const Sizes& sizes, int root) {
  const bool all = step.shared.one_in(2);
  const int short_one = step.shared.below(size);
  const bool is_short = rank != root && (all || rank == short_one);
  const int count = is_short ? sizes.room : sizes.given;
  Words words(static_cast<std::size_t>(sizes.given), kGuard);
  const Words sent = words_of(step, root, sizes.given);
  if (rank == root) words = sent;
  expect_class(step, MPI_Bcast(words.data(), count, MPI_INT, root, comm),
               is_short ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
  expect_words(step, words, 0, Words(sent.begin(), sent.begin() + count));
  if (is_short) expect_guards(step, words, sizes.room, sizes.given);
}

void wrong_gather(Step& step, MPI_Comm comm, int rank, int size, const Sizes& sizes, int root,
                  bool by_gatherv) {
  const Words mine = words_of(step, rank, sizes.given);
  const auto n = static_cast<std::size_t>(size);
  const int stride = by_gatherv ? sizes.given : sizes.room;
  Words all(n * static_cast<std::size_t>(sizes.given), kGuard);
  const std::vector<int> counts(n, sizes.room);
  std::vector<int> places;
  for (int i = 0; i < size; ++i) places.push_back(i * stride);
  const int error = by_gatherv ? MPI_Gatherv(mine.data(), sizes.given, MPI_INT, all.data(),
                                             counts.data(), places.data(), MPI_INT, root, comm)
                               : MPI_Gather(mine.data(), sizes.given, MPI_INT, all.data(),
                                            sizes.room, MPI_INT, root, comm);
  expect_class(step, error, rank == root ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
  if (rank != root) return;
  if (!by_gatherv) return expect_guards(step, all, size * sizes.room, static_cast<int>(all.size()));
  for (int i = 0; i < size; ++i)
    expect_guards(step, all, i * stride + sizes.room, (i + 1) * stride);
}

void wrong_scatterv(Step& step, MPI_Comm comm, int rank, int size, const Sizes& sizes, int root) {
  const auto n = static_cast<std::size_t>(size);
  Words all;
  std::vector<int> places;
  for (int i = 0; i < size; ++i) {
    const Words block = words_of(step, i, sizes.given);
    all.insert(all.end(), block.begin(), block.end());
    places.push_back(i * sizes.given);
  }
  const std::vector<int> counts(n, sizes.given);
  Words mine(static_cast<std::size_t>(sizes.given), kGuard);
  const bool all_short = step.shared.one_in(2);
  const int short_one = step.shared.below(size);
  // Between nodes the call is the MPI library's, whose root sends nothing after an error of its own.
  const bool is_short = rank != root && (all_short || rank == short_one);
  const int room = is_short ? sizes.room : sizes.given;
  expect_class(step,
               MPI_Scatterv(all.data(), counts.data(), places.data(), MPI_INT, mine.data(), room,
                            MPI_INT, root, comm),
               is_short ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
  if (!is_short) expect_words(step, mine, 0, words_of(step, rank, sizes.given));
  expect_guards(step, mine, room, sizes.given);
}

void wrong_alltoallv(Step& step, MPI_Comm comm, int rank, int size, const Sizes& sizes) {
  const auto n = static_cast<std::size_t>(size);
  const Words out = words_of(step, rank, size * sizes.given);
  Words in(n * static_cast<std::size_t>(sizes.given), kGuard);
  std::vector<int> places;
  for (int i = 0; i < size; ++i) places.push_back(i * sizes.given);
  const std::vector<int> given(n, sizes.given);
  const std::vector<int> taken(n, sizes.room);
  expect_class(step,
               MPI_Alltoallv(out.data(), given.data(), places.data(), MPI_INT, in.data(),
                             taken.data(), places.data(), MPI_INT, comm),
               MPI_ERR_TRUNCATE);
  for (int i = 0; i < size; ++i)
    expect_guards(step, in, i * sizes.given + sizes.room, (i + 1) * sizes.given);
}

void right_calls(Step& step, MPI_Comm comm, int rank, int size, int count) {
  for (int root = 0; root < std::min(size, 3); ++root) {
    Words words = words_of(step, root + 100, count);
    const Words expected = words;
    if (rank != root) words.assign(words.size(), kGuard);
    expect_class(step, MPI_Bcast(words.data(), count, MPI_INT, root, comm), MPI_SUCCESS);
    expect_words(step, words, 0, expected);
    std::int64_t sum = rank;
    expect_class(step, MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT64_T, MPI_SUM, comm),
                 MPI_SUCCESS);
    if (sum != size * (size - 1) / 2)
      fail(where(step), fmt::format("an allreduce after wrong sizes gave {}", sum));
  }
}

}  // namespace

void call_with_wrong_sizes(Step& step, const Communicator& on) {
  // Differences that are no multiple of 509 bytes (docs/errors.md).
  static constexpr std::array<Sizes, 5> kSizes = {
      {{10, 1}, {100, 60}, {500, 300}, {3000, 2500}, {20000, 10000}}};
  const int kind = step.shared.below(5);
  const int short_ones = 3;  // of kSizes: what a gather may get wrong between nodes
  const Sizes sizes =
      kSizes[static_cast<std::size_t>(step.shared.below(kind == 4 ? short_ones : 5))];
  const int root = step.shared.below(on.size());
  static constexpr std::array<const char*, 5> kNames = {"Bcast", "Gatherv", "Scatterv", "Alltoallv",
                                                        "Gather"};
  step.text = fmt::format("{} of {} ints into {}, root {}, on a copy of {} ({} ranks)",
                          kNames[static_cast<std::size_t>(kind)], sizes.given, sizes.room, root,
                          on.made, on.size());
  enter(step.thread, where(step));
  if (step.options.print && on.rank == 0) std::printf("%s\n", where(step).c_str());
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(on.comm, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  if (step.shared.one_in(2)) right_calls(step, comm, on.rank, on.size(), sizes.given);
  for (int i = 0; i < 2; ++i) {
    switch (kind) {
      case 0:
        wrong_bcast(step, comm, on.rank, on.size(), sizes, root);
        break;
      case 1:
      case 4:
        wrong_gather(step, comm, on.rank, on.size(), sizes, root, kind == 1);
        break;
      case 2:
        wrong_scatterv(step, comm, on.rank, on.size(), sizes, root);
        break;
      default:
        wrong_alltoallv(step, comm, on.rank, on.size(), sizes);
    }
    right_calls(step, comm, on.rank, on.size(), sizes.given);
  }
  MPI_Comm_free(&comm);
}

}  // namespace differential
