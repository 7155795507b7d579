// Pushed messages, by those who look for them instead of waiting.
#ifndef MPIACTOR_INTER_PUSHED_H_
#define MPIACTOR_INTER_PUSHED_H_

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <optional>

#include "inter/kept_bytes.h"
#include "inter/messages.h"

namespace mpiactor::inter {

// One of request `number` that has come to this process; nothing where there is none. Throws
// std::runtime_error where an MPI call fails, as pass_on() does.
std::optional<KeptBytes> take_pushed(MPI_Comm comm, std::uint64_t number);

PushHeader header_of(const KeptBytes& pushed);

// Sends it on to `rank` of `comm`; `pause` is called until that has it or need not be waited for.
void pass_on(const KeptBytes& pushed, MPI_Comm comm, std::uint64_t number, int rank,
             const std::function<void()>& pause);

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_PUSHED_H_
