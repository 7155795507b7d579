// Static variables that are never destroyed: programs may call MPI from exit handlers, when other
// statics are gone.
#ifndef MPIACTOR_INTER_LASTING_H_
#define MPIACTOR_INTER_LASTING_H_

#include <cstddef>
#include <new>
#include <utility>

namespace mpiactor::inter {

// For variables in functions, which are made when they are needed first:
//   static Lasting<Table> table(read_table());
//   return *table;
template <typename T>
class Lasting {
 public:
  template <typename... Arguments>
  explicit Lasting(Arguments&&... arguments) {
    new (memory_) T(std::forward<Arguments>(arguments)...);
  }
  Lasting(const Lasting&) = delete;
  Lasting& operator=(const Lasting&) = delete;

  T& operator*() { return *std::launder(reinterpret_cast<T*>(memory_)); }

 private:
  alignas(T) std::byte memory_[sizeof(T)];
};

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_LASTING_H_
