// One collective call of one rank as data: what a program passes by every argument, whatever MPI
// makes of it. So one rank's arguments can be made odd before the call is made.
#ifndef MPIACTOR_TESTS_COLLECTIVES_ODD_CALL_H_
#define MPIACTOR_TESTS_COLLECTIVES_ODD_CALL_H_

#include <mpi.h>

#include <array>
#include <cstdint>
#include <vector>

namespace mpiactor::testing {

enum class Entry : unsigned {
  kBarrier,
  kBcast,
  kReduce,
  kAllreduce,
  kReduceScatter,
  kReduceScatterBlock,
  kAllgather,
  kAllgatherv,
  kGather,
  kGatherv,
  kScatter,
  kScatterv,
  kAlltoall,
  kAlltoallv,
  kIbarrier,
  kIbcast,
  kIreduce,
  kIallreduce,
  kIreduceScatter,
  kIreduceScatterBlock,
  kIallgather,
  kIallgatherv,
  kIgather,
  kIscatter,
  kIalltoall,
  kBcastInit,
  kAllreduceInit,
};
inline constexpr std::array<const char*, 27> kEntryNames = {
    "barrier",         "bcast",
    "reduce",          "allreduce",
    "reduce_scatter",  "reduce_scatter_block",
    "allgather",       "allgatherv",
    "gather",          "gatherv",
    "scatter",         "scatterv",
    "alltoall",        "alltoallv",
    "ibarrier",        "ibcast",
    "ireduce",         "iallreduce",
    "ireduce_scatter", "ireduce_scatter_block",
    "iallgather",      "iallgatherv",
    "igather",         "iscatter",
    "ialltoall",       "bcast_init",
    "allreduce_init"};

// Sets of entries.
template <typename... Entries>
constexpr std::uint32_t entries(Entries... each) {
  return ((1U << static_cast<unsigned>(each)) | ...);
}
constexpr bool contains(std::uint32_t set, Entry entry) { return (set & entries(entry)) != 0; }

inline constexpr std::uint32_t kBarriers = entries(Entry::kBarrier, Entry::kIbarrier);
inline constexpr std::uint32_t kBcasts = entries(Entry::kBcast, Entry::kIbcast, Entry::kBcastInit);
inline constexpr std::uint32_t kReduces = entries(Entry::kReduce, Entry::kIreduce);
inline constexpr std::uint32_t kAllreduces =
    entries(Entry::kAllreduce, Entry::kIallreduce, Entry::kAllreduceInit);
inline constexpr std::uint32_t kReduceScatters =
    entries(Entry::kReduceScatter, Entry::kReduceScatterBlock, Entry::kIreduceScatter,
            Entry::kIreduceScatterBlock);
// With a count for each rank.
inline constexpr std::uint32_t kCountedShares =
    entries(Entry::kReduceScatter, Entry::kIreduceScatter);
inline constexpr std::uint32_t kReductions = kReduces | kAllreduces | kReduceScatters;
inline constexpr std::uint32_t kAllgathers =
    entries(Entry::kAllgather, Entry::kAllgatherv, Entry::kIallgather, Entry::kIallgatherv);
inline constexpr std::uint32_t kGathers = entries(Entry::kGather, Entry::kGatherv, Entry::kIgather);
inline constexpr std::uint32_t kScatters =
    entries(Entry::kScatter, Entry::kScatterv, Entry::kIscatter);
inline constexpr std::uint32_t kAlltoalls =
    entries(Entry::kAlltoall, Entry::kAlltoallv, Entry::kIalltoall);
// Blocks of a type on either side.
inline constexpr std::uint32_t kTwoSided = kAllgathers | kGathers | kScatters | kAlltoalls;
inline constexpr std::uint32_t kRooted = kBcasts | kReduces | kGathers | kScatters;
inline constexpr std::uint32_t kVariable = entries(
    Entry::kAllgatherv, Entry::kGatherv, Entry::kScatterv, Entry::kAlltoallv, Entry::kIallgatherv);

// A buffer and what lies in it. Of a broadcast `receive` is the buffer; of a reduction `send` has
// count and type.
struct Side {
  void* buffer = nullptr;
  MPI_Count count = 0;
  MPI_Datatype type = MPI_INT;
  std::vector<MPI_Count> counts;  // of every rank, where there is an array
  std::vector<MPI_Aint> places;
  enum class Arrays { kRight, kNull, kJunk } arrays = Arrays::kRight;
};

struct OddCall {
  Entry entry = Entry::kBarrier;
  Side send;
  Side receive;
  MPI_Op op = MPI_SUM;
  int root = 0;
  bool is_large = false;  // the _c binding

  OddCall() = default;
  ~OddCall() {
    for (MPI_Datatype& type : made) MPI_Type_free(&type);
  }
  OddCall(const OddCall&) = delete;
  OddCall& operator=(const OddCall&) = delete;

  // Commits a type that lives as long as the call.
  MPI_Datatype keep(MPI_Datatype type) {
    MPI_Type_commit(&type);
    made.push_back(type);
    return type;
  }
  std::vector<MPI_Datatype> made;
};

// A pointer that nobody may follow.
inline void* junk_pointer() { return reinterpret_cast<void*>(std::uintptr_t{0x10}); }

// Makes the call, by its PMPI_ name if `by_library`, and completes it; returns what it returned.
// Persistent ones are started twice.
int perform(const OddCall& call, MPI_Comm comm, bool by_library);

}  // namespace mpiactor::testing

#endif  // MPIACTOR_TESTS_COLLECTIVES_ODD_CALL_H_
