// Buffers in the memory of a GPU: where one rank has one, all leave the call to the MPI library.
#ifndef MPIACTOR_ACTOR_COLLECTIVES_DEVICE_AGREEMENT_H_
#define MPIACTOR_ACTOR_COLLECTIVES_DEVICE_AGREEMENT_H_

#include <mpi.h>

#include <optional>
#include <tuple>

#include "actor/buffers/message.h"
#include "actor/buffers/rank_blocks.h"
#include "actor/collectives/collectives.h"
#include "actor/container/container.h"
#include "actor/container/world.h"
#include "actor/device_memory/device_memory.h"

namespace mpiactor {

// Whether the first byte of a buffer lies there. Of an empty one it does not.
inline bool is_on_device(const Message& message) { return is_on_device(message.first_byte()); }
inline bool is_on_device(const RankBlocks& blocks) { return is_on_device(blocks.first_byte()); }
inline bool is_on_device(const std::optional<RankBlocks>& blocks) {
  return blocks && is_on_device(*blocks);
}
inline bool is_on_device(const Vector& vector) {
  return is_on_device(vector.send) || is_on_device(vector.recv);
}

// Whether `mine` is true on any rank; the same answer on all. Collective over the container's
// communicator, `comm`, like the call that it precedes.
bool is_true_on_any_rank(Container& container, MPI_Comm comm, bool mine);

// Whether any rank has a buffer there, of those that the call reads or writes on it (`buffers`,
// from std::tie()). Asks nobody where no rank could have one.
template <typename... Buffers>
bool has_any_rank_on_device(Container& container, MPI_Comm comm,
                            const std::tuple<Buffers&...>& buffers) {
  if (sizeof...(Buffers) == 0 || !world()->device_memory) return false;
  const bool mine =
      std::apply([](const auto&... buffer) { return (is_on_device(buffer) || ...); }, buffers);
  return is_true_on_any_rank(container, comm, mine);
}

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_DEVICE_AGREEMENT_H_
