// Datatypes with one signature and different layouts in memory. Where each byte of an element lies
// is computed beside the MPI type, so that no pack or unpack of the MPI library is needed to know
// what a buffer must hold.
#ifndef MPIACTOR_TESTS_DIFFERENTIAL_LAYOUT_H_
#define MPIACTOR_TESTS_DIFFERENTIAL_LAYOUT_H_

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tests/differential/random.h"

namespace differential {

// A range of bytes of an element, counted from its origin.
struct Piece {
  std::ptrdiff_t at = 0;
  std::ptrdiff_t bytes = 0;
};

// Frees a committed type with its last user; predefined types are left alone.
class OwnedType {
 public:
  OwnedType() = default;
  static OwnedType predefined(MPI_Datatype type);
  static OwnedType made(MPI_Datatype type);  // commits it
  MPI_Datatype get() const { return type_ ? *type_ : MPI_DATATYPE_NULL; }
  void release() { type_.reset(); }

 private:
  std::shared_ptr<MPI_Datatype> type_;
};

struct Layout {
  OwnedType type;
  std::vector<Piece> pieces;  // in the order of the packed bytes; neighbours are joined
  std::ptrdiff_t extent = 0;
  std::ptrdiff_t lower = 0;  // first byte of an element's data
  std::ptrdiff_t upper = 0;  // behind the last one
  std::ptrdiff_t bytes = 0;  // packed
  std::string text;

  bool has_gaps() const { return pieces.size() != 1 || bytes != extent || lower != 0; }
};

// What a signature repeats: a predefined type, or several in a row.
enum class Unit { kByte, kShort, kInt, kLong, kDouble, kMixed };
constexpr int kUnits = 6;
int unit_bytes(Unit unit);

Layout predefined_layout(MPI_Datatype type, std::ptrdiff_t bytes, std::string text);

// A type of `units` units (at least one), made in a random way. `large_counts`: also by the
// constructors with large counts.
Layout random_layout(Unit unit, int units, Random& random, bool large_counts);

// The same element `times` times at `address`, to be passed with MPI_BOTTOM.
Layout absolute_layout(const Layout& element, const void* address, int times);

}  // namespace differential

#endif  // MPIACTOR_TESTS_DIFFERENTIAL_LAYOUT_H_
