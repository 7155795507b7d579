// See actor/abi/handles.h. MPICH's handles are integers: two bits of kind, four of object, then
// what the kind makes of the rest.
#ifndef MPIACTOR_ACTOR_ABI_MPICH_HANDLES_H_
#define MPIACTOR_ACTOR_ABI_MPICH_HANDLES_H_

#include <mpi.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mpiactor {

static_assert(std::same_as<MPI_Comm, int> && std::same_as<MPI_Datatype, int> &&
              std::same_as<MPI_Op, int>);

template <typename T>
concept Handle = false;  // passed as other integers are

constexpr bool is_builtin(MPI_Datatype type) { return static_cast<unsigned>(type) >> 30 == 1; }

constexpr std::uint64_t builtin_bytes(MPI_Datatype type) {
  return static_cast<unsigned>(type) >> 8 & 0xff;
}

// Predefined types are 0x4c00SSNN (size, number), pairs with gaps or of two kinds 0x8c00000N.
inline constexpr std::size_t kTypeNumbers = 256 + 5;

constexpr std::size_t type_number(MPI_Datatype type) {
  constexpr unsigned kPairs = 0x8c000000;
  const unsigned word = static_cast<unsigned>(type);
  if ((word & 0xffff0000) == 0x4c000000) return word & 0xff;
  return word - kPairs < 5 ? 256 + (word - kPairs) : kTypeNumbers;
}

constexpr std::size_t operation_number(MPI_Op op) {
  constexpr unsigned kFirst = 0x58000001;
  static_assert(static_cast<unsigned>(MPI_MAX) == kFirst);
  return static_cast<unsigned>(op) - kFirst;
}

inline constexpr bool kAgreesBlocking = false;  // its blocking collectives keep the core

inline constexpr std::string_view kAbi = "the MPICH ABI";
inline constexpr std::string_view kLibraries[] = {"MPICH", "MVAPICH", "Intel(R) MPI"};
inline constexpr const char* kLauncherConnection = "PMI_FD";

constexpr bool is_predefined(MPI_Errhandler handler) {
  return handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_RETURN ||
         handler == MPI_ERRORS_ABORT;
}

inline constexpr int kMisplacedError = MPI_ERR_BUFFER;
inline constexpr bool kTakesEmptyInPlace = true;

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_ABI_MPICH_HANDLES_H_
