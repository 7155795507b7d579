// See actor/abi/handles.h. Open MPI's handles are addresses: predefined types are known by a table.
#ifndef MPIACTOR_ACTOR_ABI_OPENMPI_HANDLES_H_
#define MPIACTOR_ACTOR_ABI_OPENMPI_HANDLES_H_

#include <mpi.h>

#include <array>
#include <climits>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mpiactor {

template <typename T>
concept Handle = std::same_as<T, MPI_Comm> || std::same_as<T, MPI_Datatype> ||
    std::same_as<T, MPI_Op> || std::same_as<T, MPI_Info>;

inline constexpr std::size_t kTypeNumbers = 256;

// A number is a place in the table.
struct TypeTable {
  struct Row {
    MPI_Datatype type{};
    std::uint64_t bytes = 0;
    bool is_builtin = false;
  };

  TypeTable();

  static std::size_t next(std::size_t number) { return (number + 1) % kTypeNumbers; }
  static std::size_t first(MPI_Datatype type) {
    constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;
    return (reinterpret_cast<std::uint64_t>(type) * kGolden) >> 56;
  }
  void add(MPI_Datatype type, bool is_builtin);

  std::array<Row, kTypeNumbers + 1> rows;  // the last one stays empty
};

// From the first use on, after MPI_Init.
inline const TypeTable& type_table() {
  static const TypeTable table;
  return table;
}

inline std::size_t type_number(MPI_Datatype type) {
  const auto& rows = type_table().rows;
  std::size_t number = TypeTable::first(type);
  while (rows[number].type != type) {
    if (!rows[number].type) return kTypeNumbers;
    number = TypeTable::next(number);
  }
  return number;
}

inline bool is_builtin(MPI_Datatype type) {
  return type_table().rows[type_number(type)].is_builtin;
}

inline std::uint64_t builtin_bytes(MPI_Datatype type) {
  return type_table().rows[type_number(type)].bytes;
}

std::size_t operation_number(MPI_Op op);

// Its MPI_Comm_idup has nonblocking collectives on the communicator, at moments of each rank's own:
// none of the runtime's may be among them. Its blocking ones give way by themselves.
inline constexpr bool kAgreesBlocking = true;

inline constexpr std::string_view kAbi = "Open MPI's ABI";
inline constexpr std::string_view kLibraries[] = {"Open MPI"};
inline constexpr const char* kLauncherConnection = "";  // another launcher may have one

inline bool is_predefined(MPI_Errhandler handler) {
  return handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_RETURN ||
         handler == mpiactor::abi::address_of<"ompi_mpi_errors_abort">();
}

inline constexpr int kMisplacedError = MPI_ERR_ARG;
inline constexpr bool kTakesEmptyInPlace = false;

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_ABI_OPENMPI_HANDLES_H_
