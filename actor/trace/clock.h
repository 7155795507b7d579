// The clock of the trace, and how it stands to rank 0's.
#ifndef MPIACTOR_ACTOR_TRACE_CLOCK_H_
#define MPIACTOR_ACTOR_TRACE_CLOCK_H_

#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "actor/trace/format.h"

namespace mpiactor::trace {

// CLOCK_MONOTONIC, nanoseconds.
std::int64_t now_ns();

// Processes with equal texts read the same CLOCK_MONOTONIC: boot and time namespace.
std::string clock_identity();

// FNV-1a.
std::uint64_t hash_of(std::string_view text);

// A question and its answer: the asker's clock before and after, the answerer's in between.
struct ClockExchange {
  std::int64_t before_ns = 0;
  std::int64_t answer_ns = 0;
  std::int64_t after_ns = 0;
};

// From the quickest exchange, in which the answer is known best to lie in the middle. At least one.
ClockReading estimate_offset(std::span<const ClockExchange> exchanges);

// Collective over `comm`: where this rank's clock stands. One rank of each clock exchanges messages
// with rank 0, for all that read it. `is_rank0` is set where the clock is rank 0's own.
ClockReading read_against_rank0(MPI_Comm comm, bool& is_rank0);

}  // namespace mpiactor::trace

#endif  // MPIACTOR_ACTOR_TRACE_CLOCK_H_
