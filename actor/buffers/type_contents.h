// What a derived type was made of.
#ifndef MPIACTOR_ACTOR_BUFFERS_TYPE_CONTENTS_H_
#define MPIACTOR_ACTOR_BUFFERS_TYPE_CONTENTS_H_

#include <mpi.h>

#include <cstddef>
#include <vector>

namespace mpiactor {

// Of a predefined type, also of one that MPI_Type_create_f90_real and the like give, the combiner
// alone. Types of large-count constructors are known to the `_c` functions alone.
class TypeContents {
 public:
  explicit TypeContents(MPI_Datatype type);
  ~TypeContents();
  TypeContents(const TypeContents&) = delete;
  TypeContents& operator=(const TypeContents&) = delete;

  // Without a look at what the type was made of.
  static int combiner_of(MPI_Datatype type);
  static bool is_predefined(int combiner);

  int combiner() const { return combiner_; }
  // Those that it was made of, in their order.
  const std::vector<MPI_Datatype>& types() const { return types_; }
  // Whether the type has nothing of part `i`.
  bool is_empty(std::size_t i) const;

 private:
  int combiner_ = 0;
  std::vector<int> integers_;
  std::vector<MPI_Count> larges_;
  std::vector<MPI_Datatype> types_;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_BUFFERS_TYPE_CONTENTS_H_
