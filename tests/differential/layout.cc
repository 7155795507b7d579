#include "tests/differential/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "tests/differential/mpi_names.h"

namespace differential {

namespace {

void append(std::vector<Piece>& pieces, const std::vector<Piece>& element, std::ptrdiff_t at) {
  for (const Piece& piece : element) {
    if (!pieces.empty() && pieces.back().at + pieces.back().bytes == piece.at + at) {
      pieces.back().bytes += piece.bytes;
    } else {
      pieces.push_back({piece.at + at, piece.bytes});
    }
  }
}

// Takes the extent from the MPI library, and compares what it says about size and true bounds.
Layout finish(MPI_Datatype type, std::vector<Piece> pieces, std::string text) {
  Layout layout;
  layout.type = OwnedType::made(type);
  layout.pieces = std::move(pieces);
  layout.text = std::move(text);
  layout.lower = layout.pieces.front().at;
  layout.upper = layout.lower;
  for (const Piece& piece : layout.pieces) {
    layout.lower = std::min(layout.lower, piece.at);
    layout.upper = std::max(layout.upper, piece.at + piece.bytes);
    layout.bytes += piece.bytes;
  }
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  MPI_Type_get_extent(type, &lower, &extent);
  layout.extent = extent;
  MPI_Count size = 0;
  MPI_Type_size_c(type, &size);
  MPI_Type_get_true_extent(type, &lower, &extent);
  if (size != layout.bytes || lower != layout.lower || lower + extent != layout.upper) {
    std::fprintf(stderr, "differential: the test itself is wrong about the type %s\n",
                 layout.text.c_str());
    std::abort();
  }
  return layout;
}

std::vector<Piece> repeated(const Layout& element, int blocks, int length, std::ptrdiff_t stride) {
  std::vector<Piece> pieces;
  for (int i = 0; i < blocks; ++i) {
    for (int j = 0; j < length; ++j)
      append(pieces, element.pieces, i * stride + j * element.extent);
  }
  return pieces;
}

// Makes types of `unit`; depth bounds how far they nest.
class Maker {
 public:
  Maker(Unit unit, Random& random, bool large_counts)
      : unit_(unit), random_(random), large_counts_(large_counts) {}

  Layout make(int units, int depth) {
    Layout layout = units == 1 || depth == 0 ? row(units) : by_constructor(units, depth);
    if (random_.one_in(5)) return resized(layout);
    if (random_.one_in(8)) return duplicate(layout);
    return layout;
  }

 private:
  bool large() { return large_counts_ && random_.one_in(3); }
  // Distances keep the unit's alignment.
  std::ptrdiff_t alignment() const { return unit_ == Unit::kMixed ? 8 : unit_bytes(unit_); }
  std::ptrdiff_t gap() { return random_.one_in(2) ? 0 : random_.between(1, 4) * alignment(); }

  Layout base() {
    switch (unit_) {
      case Unit::kByte:
        return predefined_layout(random_.one_in(2) ? MPI_BYTE : MPI_BYTE, 1, "byte");
      case Unit::kShort:
        return predefined_layout(MPI_SHORT, 2, "short");
      case Unit::kInt:
        return predefined_layout(MPI_INT, 4, "int");
      case Unit::kLong:
        return predefined_layout(MPI_LONG, 8, "long");
      case Unit::kDouble:
        return predefined_layout(MPI_DOUBLE, 8, "double");
      case Unit::kMixed:
        return mixed();
    }
    return {};
  }

  // Double, int, short, two chars: sixteen bytes, of which none is in two fragments of 16 n bytes.
  // MPICH 4.0 says "message truncated" where a fragment ends inside a number of a type with gaps.
  Layout mixed() {
    static constexpr std::array<std::array<MPI_Aint, 4>, 4> kPlaces = {
        {{0, 8, 12, 14}, {8, 0, 4, 20}, {-24, -16, -8, -2}, {0, 12, 8, 16}}};
    const std::array<int, 4> lengths = {1, 1, 1, 2};
    const std::array<MPI_Datatype, 4> types = {MPI_DOUBLE, MPI_INT, MPI_SHORT, MPI_CHAR};
    const auto which = static_cast<std::size_t>(random_.below(4));
    const auto& at = kPlaces[which];
    MPI_Datatype type = MPI_DATATYPE_NULL;
    if (large()) {
      const std::array<MPI_Count, 4> large_lengths = {1, 1, 1, 2};
      const std::vector<MPI_Count> large_at(at.begin(), at.end());
      MPI_Type_create_struct_c(4, large_lengths.data(), large_at.data(), types.data(), &type);
    } else {
      MPI_Type_create_struct(4, lengths.data(), at.data(), types.data(), &type);
    }
    std::vector<Piece> pieces;
    append(pieces, {{0, 8}}, at[0]);
    append(pieces, {{0, 4}}, at[1]);
    append(pieces, {{0, 2}}, at[2]);
    append(pieces, {{0, 2}}, at[3]);
    return finish(type, std::move(pieces), fmt::format("mixed{}", which));
  }

  Layout row(int units) {
    Layout of = base();
    return units == 1 ? of : contiguous(units, of);
  }

  Layout contiguous(int count, const Layout& of) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    if (large()) {
      MPI_Type_contiguous_c(count, of.type.get(), &type);
    } else {
      MPI_Type_contiguous(count, of.type.get(), &type);
    }
    return finish(type, repeated(of, 1, count, 0),
                  fmt::format("contiguous({}, {})", count, of.text));
  }

  Layout by_constructor(int units, int depth) {
    std::vector<int> divisors;
    for (int d = 2; d <= units; ++d)
      if (units % d == 0) divisors.push_back(d);
    const int factor = random_.pick(divisors);
    switch (random_.below(8)) {
      case 0:
        return row(units);
      case 1:
        return contiguous(factor, make(units / factor, depth - 1));
      case 2:
      case 3:
        return vector(factor, units / factor);
      case 4:
        return hvector(factor, make(units / factor, depth - 1));
      case 5:
      case 6:
        return units > 64 ? vector(factor, units / factor) : indexed(units);
      default:
        return structure(units, depth);
    }
  }

  Layout vector(int blocks, int length) {
    const Layout of = base();
    int stride = length + random_.below(4);
    // Open MPI 4.1 gives wrong bounds where blocks follow each other downwards.
    if (random_.one_in(6) && !(kIsOpenMpi && stride == length)) stride = -stride;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    if (large()) {
      MPI_Type_vector_c(blocks, length, stride, of.type.get(), &type);
    } else {
      MPI_Type_vector(blocks, length, stride, of.type.get(), &type);
    }
    return finish(type, repeated(of, blocks, length, stride * of.extent),
                  fmt::format("vector({}, {}, {}, {})", blocks, length, stride, of.text));
  }

  Layout hvector(int blocks, const Layout& of) {
    const std::ptrdiff_t stride = of.extent + gap();
    MPI_Datatype type = MPI_DATATYPE_NULL;
    if (large()) {
      MPI_Type_create_hvector_c(blocks, 1, stride, of.type.get(), &type);
    } else {
      MPI_Type_create_hvector(blocks, 1, stride, of.type.get(), &type);
    }
    return finish(type, repeated(of, blocks, 1, stride),
                  fmt::format("hvector({}, 1, {}, {})", blocks, stride, of.text));
  }

  // A sum of positive numbers.
  std::vector<int> parts_of(int units, int most_parts) {
    std::vector<int> parts;
    while (units > 0) {
      const bool last = static_cast<int>(parts.size()) + 1 == most_parts;
      parts.push_back(last ? units : random_.between(1, units));
      units -= parts.back();
    }
    return parts;
  }

  // Blocks of one length or of several, in any order in memory.
  Layout indexed(int units) {
    const Layout of = base();
    const std::vector<int> lengths = parts_of(units, 6);
    const auto n = static_cast<int>(lengths.size());
    std::vector<int> at(lengths.size());
    int next = random_.below(6) - 3;
    for (const int i : random_.permutation(n)) {
      at[static_cast<std::size_t>(i)] = next;
      next += lengths[static_cast<std::size_t>(i)] + random_.below(4);
    }
    std::vector<Piece> pieces;
    std::vector<MPI_Aint> at_bytes;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      at_bytes.push_back(at[i] * of.extent);
      append(pieces, repeated(of, 1, lengths[i], 0), at_bytes.back());
    }
    MPI_Datatype type = MPI_DATATYPE_NULL;
    const std::vector<MPI_Count> large_lengths(lengths.begin(), lengths.end());
    const std::vector<MPI_Count> large_at(at.begin(), at.end());
    if (std::count(lengths.begin(), lengths.end(), lengths[0]) == n && random_.one_in(2)) {
      MPI_Type_create_indexed_block(n, lengths[0], at.data(), of.type.get(), &type);
    } else if (large()) {
      MPI_Type_indexed_c(n, large_lengths.data(), large_at.data(), of.type.get(), &type);
    } else if (large()) {
      const std::vector<MPI_Count> large_at_bytes(at_bytes.begin(), at_bytes.end());
      MPI_Type_create_hindexed_c(n, large_lengths.data(), large_at_bytes.data(), of.type.get(),
                                 &type);
    } else if (random_.one_in(2)) {
      MPI_Type_create_hindexed(n, lengths.data(), at_bytes.data(), of.type.get(), &type);
    } else {
      MPI_Type_indexed(n, lengths.data(), at.data(), of.type.get(), &type);
    }
    return finish(type, std::move(pieces), fmt::format("indexed({} blocks, {})", n, of.text));
  }

  Layout structure(int units, int depth) {
    std::vector<Layout> parts;
    for (const int part : parts_of(units, 4)) parts.push_back(make(part, depth - 1));
    const auto n = static_cast<int>(parts.size());
    std::vector<MPI_Aint> at(parts.size());
    std::ptrdiff_t next = random_.between(-2, 2) * alignment();
    for (const int i : random_.permutation(n)) {
      const Layout& part = parts[static_cast<std::size_t>(i)];
      next += gap();
      at[static_cast<std::size_t>(i)] = next - part.lower;
      next += part.upper - part.lower;
    }
    std::vector<Piece> pieces;
    std::vector<MPI_Datatype> types;
    std::string text = "struct(";
    for (std::size_t i = 0; i < parts.size(); ++i) {
      append(pieces, parts[i].pieces, at[i]);
      types.push_back(parts[i].type.get());
      text += fmt::format("{}{} at {}", i == 0 ? "" : ", ", parts[i].text, at[i]);
    }
    const std::vector<int> lengths(parts.size(), 1);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_struct(n, lengths.data(), at.data(), types.data(), &type);
    Layout layout = finish(type, std::move(pieces), text + ")");
    // Bounds that a part was given may cut the struct short: elements in a row would overlap.
    if (layout.extent >= layout.upper - layout.lower) return layout;
    return resized(layout);
  }

  Layout resized(const Layout& of) {
    const std::ptrdiff_t lower = random_.between(-3, 3) * alignment();
    const std::ptrdiff_t data = of.upper - of.lower;
    const std::ptrdiff_t rounded = (data + alignment() - 1) / alignment() * alignment();
    const std::ptrdiff_t extent = rounded + gap();
    MPI_Datatype type = MPI_DATATYPE_NULL;
    if (large()) {
      MPI_Type_create_resized_c(of.type.get(), lower, extent, &type);
    } else {
      MPI_Type_create_resized(of.type.get(), lower, extent, &type);
    }
    return finish(type, of.pieces, fmt::format("resized({}, {}, {})", of.text, lower, extent));
  }

  Layout duplicate(const Layout& of) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_dup(of.type.get(), &type);
    return finish(type, of.pieces, "dup(" + of.text + ")");
  }

  Unit unit_;
  Random& random_;
  bool large_counts_;
};

}  // namespace

OwnedType OwnedType::predefined(MPI_Datatype type) {
  OwnedType owned;
  owned.type_ = std::make_shared<MPI_Datatype>(type);
  return owned;
}

OwnedType OwnedType::made(MPI_Datatype type) {
  MPI_Type_commit(&type);
  OwnedType owned;
  owned.type_ = std::shared_ptr<MPI_Datatype>(new MPI_Datatype(type), [](MPI_Datatype* made) {
    MPI_Type_free(made);
    delete made;
  });
  return owned;
}

int unit_bytes(Unit unit) {
  static constexpr std::array<int, kUnits> kBytes = {1, 2, 4, 8, 8, 16};
  return kBytes[static_cast<std::size_t>(unit)];
}

Layout predefined_layout(MPI_Datatype type, std::ptrdiff_t bytes, std::string text) {
  Layout layout;
  layout.type = OwnedType::predefined(type);
  layout.pieces = {{0, bytes}};
  layout.extent = layout.upper = layout.bytes = bytes;
  layout.text = std::move(text);
  return layout;
}

Layout random_layout(Unit unit, int units, Random& random, bool large_counts) {
  return Maker(unit, random, large_counts).make(units, 3);
}

Layout absolute_layout(const Layout& element, const void* address, int times) {
  MPI_Aint at = 0;
  MPI_Get_address(address, &at);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed(1, &times, &at, element.type.get(), &type);
  std::vector<Piece> pieces;
  append(pieces, repeated(element, 1, times, 0), at);
  return finish(type, std::move(pieces), "absolute(" + element.text + ")");
}

}  // namespace differential
