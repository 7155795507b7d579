// Random sequences of collectives whose results every rank can work out alone, so that nothing but
// the collectives themselves keeps the ranks together.
#ifndef MPIACTOR_TESTS_COLLECTIVES_SEQUENCE_H_
#define MPIACTOR_TESTS_COLLECTIVES_SEQUENCE_H_

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "tests/collectives/harness.h"

namespace mpiactor::testing {

using Word = std::uint64_t;
using Words = std::vector<Word>;

// Word `index` of what rank `rank` brings into a call known by `call`.
inline Word word_of(Word call, int rank, int index) {
  Word z = call + 0x9e3779b97f4a7c15 * static_cast<Word>(rank + 1) +
           0xd1342543de82ef95 * static_cast<Word>(index);
  return (z ^ (z >> 29)) * 0xbf58476d1ce4e5b9;
}

// `count` words from `first` on.
Words words_of(Word call, int rank, int count, int first = 0);
// Sums over ranks first_rank <= rank < end_rank, modulo 2^64.
Words sums_of(Word call, int first_rank, int end_rank, int count, int first = 0);
// Appends.
void append(Words& to, const Words& words);
// Fails the case where they differ.
void check_words(const Words& got, const Words& expected, const Case& at);

// A few words, mostly; now and then some 10,000.
int random_count(Random& random);

// One of the blocking collectives that the runtime takes over; checks its result.
void blocking_call(Case& at);

// One that the runtime passes on, on the same communicator: Alltoallw, Scan, Exscan.
void passed_on_call(Case& at);

// Some nonblocking or persistent collectives that are under way while a blocking one runs.
void overlapping_calls(Case& at);

// Collectives between the two halves of a group, and between neighbours on a ring of all of it.
class OtherCommunicators {
 public:
  explicit OtherCommunicators(const Group& group);  // collective
  ~OtherCommunicators();
  OtherCommunicators(const OtherCommunicators&) = delete;
  OtherCommunicators& operator=(const OtherCommunicators&) = delete;

  void inter_communicator_call(Case& at);  // nothing where the group is too small
  void neighbourhood_call(Case& at);

 private:
  Group ring_;
  MPI_Comm half_ = MPI_COMM_NULL;
  MPI_Comm between_ = MPI_COMM_NULL;
};

}  // namespace mpiactor::testing

#endif  // MPIACTOR_TESTS_COLLECTIVES_SEQUENCE_H_
