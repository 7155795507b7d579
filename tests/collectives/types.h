// Datatypes of every shape: families of forms that have one signature and different layouts in
// memory.
#ifndef MPIACTOR_TESTS_COLLECTIVES_TYPES_H_
#define MPIACTOR_TESTS_COLLECTIVES_TYPES_H_

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/collectives/harness.h"

namespace mpiactor::testing {

// A layout. `per_unit` elements of `type` hold one unit of the family's signature, so n units in
// one form can be received as n units in another.
struct Form {
  std::string name;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int per_unit = 1;
  MPI_Aint extent = 0;
  MPI_Aint true_lower = 0;  // first byte that belongs to an element, from its origin
  MPI_Aint true_upper = 0;  // behind its last one

  int count(int units) const { return units * per_unit; }
};

// Most blocks are such as go by single copy: 16 to 400 KiB, without gaps.
inline bool blocks_are_long = false;

struct Family {
  std::string name;
  std::size_t unit_bytes = 0;  // packed
  std::vector<Form> forms;

  const Form& random_form(Random& random) const {
    if (blocks_are_long && !random.one_in(16)) return forms[0];
    return forms[static_cast<std::size_t>(random.below(static_cast<int>(forms.size())))];
  }
};

Form make_form(std::string name, MPI_Datatype type, int per_unit = 1);

// Made once; freed with the object, before MPI ends.
class TypeZoo {
 public:
  TypeZoo();
  ~TypeZoo();
  TypeZoo(const TypeZoo&) = delete;
  TypeZoo& operator=(const TypeZoo&) = delete;

  const Family& random_family(Random& random) const {
    return families_[static_cast<std::size_t>(random.below(static_cast<int>(families_.size())))];
  }

 private:
  std::vector<Family> families_;
  std::vector<MPI_Datatype> made_;
};

// Units for a block: none, one, few, odd, about the limits at which algorithms change (2 KiB, 16
// KiB, 64 KiB, 256 KiB), and now and then a large one; all `blocks` blocks of a call together have
// about `most_bytes` at most.
int random_units(Random& random, std::size_t unit_bytes, int blocks,
                 std::size_t most_bytes = std::size_t{4} << 20);

}  // namespace mpiactor::testing

#endif  // MPIACTOR_TESTS_COLLECTIVES_TYPES_H_
