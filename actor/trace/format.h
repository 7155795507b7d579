// The trace file: docs/tracing.md describes it for readers.
//
// A file is one or more sections, each a header, its call sites and its records. While a program
// runs, every rank writes a file of one section; merged, the sections of all ranks lie one behind
// the other.
#ifndef MPIACTOR_ACTOR_TRACE_FORMAT_H_
#define MPIACTOR_ACTOR_TRACE_FORMAT_H_

#include <bit>
#include <cstddef>
#include <cstdint>

namespace mpiactor::trace {

static_assert(std::endian::native == std::endian::little, "the trace format is little-endian");

inline constexpr char kMagic[8] = {'M', 'P', 'I', 'A', 'C', 'T', 'R', 'C'};
inline constexpr std::uint32_t kFormatVersion = 3;

// A rank's clock beside rank 0's at one moment: rank 0's clock = local_ns + offset_ns, give or take
// uncertainty_ns. All 0 where it was not compared.
struct ClockReading {
  std::int64_t local_ns = 0;
  std::int64_t offset_ns = 0;
  std::int64_t uncertainty_ns = 0;
};

enum class SectionState : std::uint32_t {
  kOpen = 0,    // the rank is running, or was killed
  kClosed = 1,  // complete: `records` records follow
};

struct SectionHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t header_bytes;
  std::uint32_t record_bytes;
  SectionState state;
  std::uint32_t ranks;  // of the job
  std::uint32_t rank;
  std::uint32_t node;            // node that the rank is on, pretended ones included
  std::uint32_t clock_is_rank0;  // 1: reads the same clock as rank 0
  std::uint64_t job;             // equal in all sections of a run
  std::uint64_t claimed;         // calls recorded so far, lost ones included
  std::uint64_t capacity;        // records that the ring holds
  std::uint64_t records;         // that follow this header; kClosed only
  ClockReading start;
  ClockReading end;  // kClosed only
  std::int64_t start_realtime_ns;
  char host[64];
  char leader[16];  // MPIACTOR_LEADER
  char program[64];
  char version_text[32];  // of the runtime
  std::uint32_t call_site_bytes;
  std::uint32_t call_site_room;  // slots behind this header; the records come behind them
  std::uint32_t call_sites;      // of them used
  char reserved[196];
};
static_assert(sizeof(SectionHeader) == 512);

// Where in a program a collective is called.
struct CallSite {
  std::uint64_t offset;         // of the return address in the module, as addr2line counts
  std::uint64_t module_bytes;   // size of the module's file
  std::int64_t module_time_ns;  // and when it was changed, ns since 1970
  char module[384];             // its path, of a long one the end; ended by 0 where there is room
  char symbol[104];             // nearest one that the dynamic linker knows; may be empty
};
static_assert(sizeof(CallSite) == 512);

enum class Path : std::uint8_t { kPassed = 0, kHybrid = 1 };

// One collective call of one rank. Times: nanoseconds of the rank's monotonic clock; 0: did not
// happen.
struct Record {
  std::int64_t arrival_ns;
  std::int64_t led_ns;         // found that it leads its node
  std::int64_t first_byte_ns;  // first and last byte of the message, see docs/tracing.md
  std::int64_t last_byte_ns;
  std::int64_t exit_ns;
  std::uint64_t bytes;
  std::uint64_t communicator;  // equal on its ranks, and of no other communicator
  std::uint64_t sequence;      // of the communicator's calls, from 0
  std::int32_t root;           // rank in the communicator; -1: none
  std::uint32_t comm_ranks;
  std::uint32_t comm_rank;
  Path path;
  std::uint8_t stamp;       // kWholeRecord once all else is written
  std::uint16_t call_site;  // number in the section's list, from 1; 0: unknown
  char operation[24];       // "MPI_Bcast", ended by 0 where there is room
  char algorithm[24];       // between nodes; empty where this rank does not know it
};
static_assert(sizeof(Record) == 128);

inline constexpr std::uint8_t kWholeRecord = 0xa5;

}  // namespace mpiactor::trace

#endif  // MPIACTOR_ACTOR_TRACE_FORMAT_H_
