// What the MPI library lacks: MPI 4's names where it is older, whose programs then have no large
// counts.
#ifndef MPIACTOR_TESTS_DIFFERENTIAL_MPI_NAMES_H_
#define MPIACTOR_TESTS_DIFFERENTIAL_MPI_NAMES_H_

#include <mpi.h>

#ifdef OPEN_MPI
inline constexpr bool kIsOpenMpi = true;
#else
inline constexpr bool kIsOpenMpi = false;
#endif

#if MPI_VERSION >= 4

inline constexpr bool kHasMpi4 = true;

// By its four names.
#define DIFFERENTIAL_NAMES(way, name, ...)                                                  \
  ((way).profiled ? ((way).large ? PMPI_##name##_c(__VA_ARGS__) : PMPI_##name(__VA_ARGS__)) \
                  : ((way).large ? MPI_##name##_c(__VA_ARGS__) : MPI_##name(__VA_ARGS__)))
#define DIFFERENTIAL_INIT_NAMES(way, name, ...)                                              \
  ((way).profiled                                                                            \
       ? ((way).large ? PMPI_##name##_init_c(__VA_ARGS__) : PMPI_##name##_init(__VA_ARGS__)) \
       : ((way).large ? MPI_##name##_init_c(__VA_ARGS__) : MPI_##name##_init(__VA_ARGS__)))

#else  // Open MPI

#include <cstdlib>

inline constexpr bool kHasMpi4 = false;

#define DIFFERENTIAL_NAMES(way, name, ...) \
  ((way).profiled ? PMPI_##name(__VA_ARGS__) : MPI_##name(__VA_ARGS__))
#if OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define DIFFERENTIAL_INIT_NAMES(way, name, ...) \
  ((way).profiled ? PMPIX_##name##_init(__VA_ARGS__) : MPIX_##name##_init(__VA_ARGS__))
#define MPI_Barrier_init MPIX_Barrier_init
#define PMPI_Barrier_init PMPIX_Barrier_init
#else
#define DIFFERENTIAL_INIT_NAMES(way, name, ...) \
  ((way).profiled ? PMPI_##name##_init(__VA_ARGS__) : MPI_##name##_init(__VA_ARGS__))
#endif

// In branches that are not taken.
template <typename... Arguments>
int missing(const Arguments&...) {
  std::abort();
}
#define MPI_Comm_create_from_group missing
#define MPI_Comm_idup_with_info missing
#define MPI_Op_create_c missing
#define MPI_Type_contiguous_c missing
#define MPI_Type_create_hindexed_c missing
#define MPI_Type_create_hvector_c missing
#define MPI_Type_create_resized_c missing
#define MPI_Type_create_struct_c missing
#define MPI_Type_indexed_c missing
#define MPI_Type_vector_c missing
#define MPI_Type_size_c MPI_Type_size_x

#endif

#endif  // MPIACTOR_TESTS_DIFFERENTIAL_MPI_NAMES_H_
