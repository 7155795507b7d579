// The machine that the simulator models: one JSON file, see sim/machines/.
#ifndef MPIACTOR_SIM_MACHINE_H_
#define MPIACTOR_SIM_MACHINE_H_

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace mpiactor::sim {

// A machine file, shape, algorithm or other argument that cannot be used. The text names what,
// where, the value and what is allowed.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Times in picoseconds; integers keep runs identical everywhere.
using Picoseconds = std::uint64_t;

inline constexpr Picoseconds kPicosecondsPerNanosecond = 1'000;
inline constexpr Picoseconds kPicosecondsPerMicrosecond = 1'000'000;

// Of a node; Tofu has four, TofuD six.
inline constexpr std::size_t kMostInterfaces = 6;

enum class NetworkKind {
  kTorus,   // six directed links per node, dimension-ordered routes over the shape of the plan
  kSwitch,  // one link per node and direction into a switch without contention of its own
};

// Rates in MB/s, MB = 10^6 bytes.
//
// The time of a message over h links, nothing else in its way:
//   send_overhead + h * hop + wire_latency + bytes / link_mbps + receive_overhead.
// The send overhead occupies the node's processor (messages of one node queue for it), the bytes
// occupy one interface and the injection path of the sender, every link of the route, and one
// interface and the path of the receiver. The other terms delay, but occupy nothing.
struct Machine {
  std::string name;
  std::string description;

  NetworkKind network = NetworkKind::kTorus;
  double link_mbps = 0;
  Picoseconds hop_ps = 0;

  int interfaces = 0;    // messages that a node sends at once; as many that it receives
  double path_mbps = 0;  // between all interfaces and memory, per direction

  Picoseconds send_overhead_ps = 0;
  Picoseconds receive_overhead_ps = 0;
  Picoseconds wire_latency_ps = 0;
  // From entering the collective call to the first operation.
  Picoseconds startup_ps = 0;
  // Once per operation that is too long to be pushed: from both sides being there to the first
  // segment.
  Picoseconds rendezvous_ps = 0;
  // Longest operation that is pushed without waiting for the receiver: grows with the distance
  // from 1 to 40 hops [K-MPI], constant beyond.
  std::uint64_t eager_bytes_1_hop = 0;
  std::uint64_t eager_bytes_40_hops = 0;

  double reduce_mbps = 0;  // combining two buffers, all operations of a node together
  double copy_mbps = 0;    // one rank copying out of its node's staging
  double memory_mbps = 0;  // all ranks of a node copying at once

  int window = 0;  // outstanding segments per operation where the caller names none
  std::uint64_t segment_bytes = 0;  // likewise

  // A hop count of 0 counts as 1.
  std::uint64_t eager_limit_bytes(int hops) const;
  // Latency of a message without bytes over `hops` links.
  Picoseconds latency_ps(int hops) const;
  // Of each of so many ranks that copy at once from their node's staging; 0 where there are none.
  double copy_ps_per_byte(int ranks) const;
};

// `origin` names the text in errors. Throws InputError.
Machine parse_machine(std::string_view json_text, const std::string& origin);

// `name` is a built-in machine ("k") or a path that ends in .json. Throws InputError.
Machine load_machine(const std::string& name);

// Built-in names, sorted.
std::vector<std::string> machine_names();

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_MACHINE_H_
