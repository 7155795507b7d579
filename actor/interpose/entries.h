// From the exported functions (entries.cc, which knows no MPI type) to the runtime's.
//
// Exported functions have register-wide integers for handles and counts, and untyped pointers:
// handles are 32-bit integers in MPICH and pointers elsewhere, and calls must pass through unharmed
// on any MPI library. The runtime's functions have the MPI types of the ABI for which it is built;
// entry.h connects the two.
#ifndef MPIACTOR_ACTOR_INTERPOSE_ENTRIES_H_
#define MPIACTOR_ACTOR_INTERPOSE_ENTRIES_H_

namespace mpiactor::interpose {

// The runtime's function behind an exported one, of the same register-wide signature: a signature
// that differs leaves a symbol undefined. `Name`: a tag of the exported function.
template <typename Name, typename Signature>
struct EntryOf {
  static Signature* const function;
};

}  // namespace mpiactor::interpose

#define MPIACTOR_ENTRY_TAG(name)  \
  namespace mpiactor::interpose { \
  struct name##_tag;              \
  }                               \
  static_assert(true)

#endif  // MPIACTOR_ACTOR_INTERPOSE_ENTRIES_H_
