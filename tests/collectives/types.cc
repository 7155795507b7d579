#include "tests/collectives/types.h"

#include <algorithm>
#include <array>
#include <utility>

namespace mpiactor::testing {

namespace {

// Makes committed types and remembers them.
class Maker {
 public:
  explicit Maker(std::vector<MPI_Datatype>& made) : made_(made) {}

  MPI_Datatype keep(MPI_Datatype type) {
    MPI_Type_commit(&type);
    made_.push_back(type);
    return type;
  }
  MPI_Datatype contiguous(int count, MPI_Datatype of) {
    MPI_Datatype type;
    MPI_Type_contiguous(count, of, &type);
    return keep(type);
  }
  MPI_Datatype vector(int blocks, int length, int stride, MPI_Datatype of) {
    MPI_Datatype type;
    MPI_Type_vector(blocks, length, stride, of, &type);
    return keep(type);
  }
  MPI_Datatype resized(MPI_Datatype of, MPI_Aint lower, MPI_Aint extent) {
    MPI_Datatype type;
    MPI_Type_create_resized(of, lower, extent, &type);
    return keep(type);
  }
  MPI_Datatype structure(std::vector<int> lengths, std::vector<MPI_Aint> at,
                         std::vector<MPI_Datatype> types) {
    MPI_Datatype type;
    MPI_Type_create_struct(static_cast<int>(lengths.size()), lengths.data(), at.data(),
                           types.data(), &type);
    return keep(type);
  }

 private:
  std::vector<MPI_Datatype>& made_;
};

// A unit: four ints.
Family integers(Maker& make) {
  const MPI_Datatype four = make.contiguous(4, MPI_INT);
  // As many ways lead from the outermost to the innermost as 2 has as its 40th power.
  MPI_Datatype nested = four;
  for (int depth = 0; depth < 40; ++depth) {
    nested = make.structure({1, 0}, {0, 0}, {nested, nested});
  }
  return {"4 int",
          16,
          {make_form("int", MPI_INT, 4), make_form("contiguous", four), make_form("nested", nested),
           make_form("vector with gaps", make.vector(2, 2, 3, MPI_INT)),
           make_form("resized", make.resized(four, 0, 24)),
           make_form("negative lower bound",
                     make.structure({2, 1, 1}, {-12, 0, 8}, {MPI_INT, MPI_INT, MPI_INT})),
           make_form("struct, last first", make.structure({1, 3}, {16, 0}, {MPI_INT, MPI_INT}))}};
}

// A unit: double, int, short, two chars. Sixteen bytes with no part across the middle: MPICH 4.0
// over UCX says "message truncated" where one of its fragments ends inside a number of a type with
// gaps.
Family mixed(Maker& make) {
  const std::vector<MPI_Datatype> parts = {MPI_DOUBLE, MPI_INT, MPI_SHORT, MPI_CHAR};
  const std::vector<int> lengths = {1, 1, 1, 2};
  const MPI_Datatype plain = make.structure(lengths, {0, 8, 12, 14}, parts);
  return {
      "double int short 2 char",
      16,
      {make_form("struct", plain), make_form("resized struct", make.resized(plain, -8, 40)),
       make_form("struct in another order", make.structure(lengths, {8, 0, 4, 20}, parts)),
       make_form("struct below its origin", make.structure(lengths, {-24, -16, -8, -2}, parts))}};
}

// A unit: three bytes.
Family bytes(Maker& make) {
  const MPI_Datatype three = make.contiguous(3, MPI_BYTE);
  return {"3 byte",
          3,
          {make_form("byte", MPI_BYTE, 3), make_form("contiguous", three),
           make_form("every other byte", make.vector(3, 1, 2, MPI_BYTE)),
#ifdef OPEN_MPI
           // Its MPI_Alltoallv (4.1) packs a rank's own block in parts of 256 KiB, and a unit that
           // is cut wrongly.
           make_form("every fourth byte", make.vector(3, 1, 4, MPI_BYTE))}};
#else
           make_form("resized", make.resized(three, -1, 5))}};
#endif
}

// A unit: two reals as Fortran chooses them, of a type that is predefined, but has no name.
Family chosen_reals(Maker& make) {
  MPI_Datatype real;
  MPI_Type_create_f90_real(15, MPI_UNDEFINED, &real);
  return {"2 chosen real",
          16,
          {make_form("real", real, 2), make_form("contiguous", make.contiguous(2, real)),
           make_form("vector with gaps", make.vector(2, 1, 2, real))}};
}

}  // namespace

Form make_form(std::string name, MPI_Datatype type, int per_unit) {
  Form form{std::move(name), type, per_unit, 0, 0, 0};
  MPI_Aint lower = 0;
  MPI_Aint true_extent = 0;
  MPI_Type_get_extent(type, &lower, &form.extent);
  MPI_Type_get_true_extent(type, &form.true_lower, &true_extent);
  form.true_upper = form.true_lower + true_extent;
  return form;
}

TypeZoo::TypeZoo() {
  Maker make(made_);
  families_ = {integers(make), mixed(make), bytes(make), chosen_reals(make)};
}

TypeZoo::~TypeZoo() {
  for (MPI_Datatype& type : made_) MPI_Type_free(&type);
}

int random_units(Random& random, std::size_t unit_bytes, int blocks, std::size_t most_bytes) {
  static constexpr std::array<std::size_t, 4> kLimits = {2048, 16384, 65536, 262144};
  std::size_t bytes = 0;
  if (blocks_are_long && !random.one_in(8)) {
    bytes = static_cast<std::size_t>((16 + random.below(384)) * 1024 + random.below(100));
    return static_cast<int>(bytes / unit_bytes);
  }
  switch (random.below(16)) {
    case 0:
      return 0;
    case 1:
    case 2:
      return 1;
    case 3:
    case 4:
    case 5:
      return 1 + 2 * random.below(20);
    case 6:
      bytes = static_cast<std::size_t>(random.below(40000));
      break;
    case 7:
      if (random.one_in(4)) {
        bytes = most_bytes / 2 +
                static_cast<std::size_t>(random.below(static_cast<int>(most_bytes / 2)));
        break;
      }
      [[fallthrough]];
    default: {
      // Small limits more often: they cost less.
      const int which = std::min({random.below(4), random.below(4), random.below(5)});
      bytes = kLimits[static_cast<std::size_t>(which)];
      if (random.one_in(3)) bytes /= static_cast<std::size_t>(blocks);
    }
  }
  bytes = std::min(bytes, most_bytes / static_cast<std::size_t>(blocks));
  return std::max(0, static_cast<int>(bytes / unit_bytes) - 1 + random.below(3));
}

}  // namespace mpiactor::testing
