// Puts a function with MPI's types behind an exported one (entries.h).
#ifndef MPIACTOR_ACTOR_INTERPOSE_ENTRY_H_
#define MPIACTOR_ACTOR_INTERPOSE_ENTRY_H_

#include <mpi.h>

#include <type_traits>

#include "actor/abi/handles.h"
#include "actor/interpose/entries.h"
#include "actor/interpose/guard.h"

namespace mpiactor::interpose {

static_assert(sizeof(MPI_Comm) <= sizeof(long) && sizeof(MPI_Count) == sizeof(long));

template <typename Argument>
struct Wide {
  using Type = long;
  // The upper half of a register that holds an int is undefined.
  static Argument narrow(long value) { return static_cast<Argument>(value); }
};
template <Handle T>
struct Wide<T> {
  using Type = long;
  static T narrow(long value) { return reinterpret_cast<T>(value); }
};
template <typename Pointee>
requires(!Handle<Pointee*>) struct Wide<Pointee*> {
  using Type = std::conditional_t<std::is_const_v<Pointee>, const void*, void*>;
  static Pointee* narrow(Type value) { return static_cast<Pointee*>(value); }
};

template <typename Name, auto kFunction>
struct Widened;
template <typename Name, typename Result, typename... Arguments, Result (*kFunction)(Arguments...)>
struct Widened<Name, kFunction> {
  using Signature = Result(typename Wide<Arguments>::Type...);
  static Result call(typename Wide<Arguments>::Type... arguments) {
    return guard(Name::kText, [&] { return kFunction(Wide<Arguments>::narrow(arguments)...); });
  }
};

}  // namespace mpiactor::interpose

// At global scope: exported `name` calls `...`, a function in mpiactor::interpose.
#define MPIACTOR_ENTRY(name, ...)                                                         \
  namespace mpiactor::interpose {                                                         \
  struct name##_tag {                                                                     \
    static constexpr const char* kText = #name;                                           \
  };                                                                                      \
  using name##_entry = Widened<name##_tag, &__VA_ARGS__>;                                 \
  template <>                                                                             \
  name##_entry::Signature* const EntryOf<name##_tag, name##_entry::Signature>::function = \
      &name##_entry::call;                                                                \
  }                                                                                       \
  static_assert(true)

// The same for a collective and its form for large counts, of a template of the type of counts.
#define MPIACTOR_ENTRIES(name, function) \
  MPIACTOR_ENTRY(name, function<int>);   \
  MPIACTOR_ENTRY(name##_c, function<MPI_Count>)

// Calls the MPI library's function, the one for large counts where `Count` is MPI_Count.
#define MPIACTOR_LIBRARY(Count, name, ...)            \
  [&] {                                               \
    if constexpr (std::is_same_v<Count, MPI_Count>) { \
      return PMPI_##name##_c(__VA_ARGS__);            \
    } else {                                          \
      return PMPI_##name(__VA_ARGS__);                \
    }                                                 \
  }

#endif  // MPIACTOR_ACTOR_INTERPOSE_ENTRY_H_
