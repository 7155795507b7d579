// Odd arguments that have to do with types: absolute addresses, bounds, large counts, one signature
// in many layouts.
#include <array>

#include "tests/collectives/odd_kinds.h"

namespace mpiactor::testing {
namespace {

constexpr MPI_Aint kInt = sizeof(int);

// An int at the side's address, from MPI_BOTTOM.
void name_by_words(OddCall& call, Side& side) {
  MPI_Aint address = 0;
  MPI_Get_address(side.buffer, &address);
  const int one = 1;
  MPI_Datatype type;
  MPI_Type_create_hindexed(1, &one, &address, MPI_INT, &type);
  side.type = call.keep(type);
  side.buffer = MPI_BOTTOM;
}

// A whole block in two parts, each at its absolute address.
void name_by_blocks(OddCall& call, Side& side) {
  MPI_Aint address = 0;
  MPI_Get_address(side.buffer, &address);
  const int half = static_cast<int>(side.count) / 2;
  const std::array<int, 2> counts = {half, static_cast<int>(side.count) - half};
  const std::array<MPI_Aint, 2> addresses = {address, address + half * kInt};
  const std::array<MPI_Datatype, 2> types = {MPI_INT, MPI_INT};
  MPI_Datatype type;
  MPI_Type_create_struct(2, counts.data(), addresses.data(), types.data(), &type);
  side.type = call.keep(type);
  side.buffer = MPI_BOTTOM;
  side.count = 1;
}

void name_absolutely(OddCall& call, Side& side) {
  if (side.counts.empty() && side.count > 0) {
    name_by_blocks(call, side);
  } else {
    name_by_words(call, side);
  }
}

// Types of four ints; `freed` are parts that nobody names again.
using Make = MPI_Datatype (*)();

MPI_Datatype free_part(MPI_Datatype& part, MPI_Datatype whole) {
  MPI_Type_free(&part);
  return whole;
}

MPI_Datatype with_gap() {
  MPI_Datatype type;
  MPI_Type_vector(2, 2, 3, MPI_INT, &type);
  return type;
}

MPI_Datatype run() {
  MPI_Datatype type;
  MPI_Type_contiguous(4, MPI_INT, &type);
  return type;
}

MPI_Datatype resized() {
  MPI_Datatype part = run();
  MPI_Datatype type;
  MPI_Type_create_resized(part, -2 * kInt, 6 * kInt, &type);
  return free_part(part, type);
}

MPI_Datatype from_below() {
  constexpr std::array<int, 2> kCounts = {2, 2};
  constexpr std::array<MPI_Aint, 2> kPlaces = {-2 * kInt, 0};
  MPI_Datatype type;
  MPI_Type_create_hindexed(2, kCounts.data(), kPlaces.data(), MPI_INT, &type);
  return type;
}

MPI_Datatype last_part_first() {
  constexpr std::array<int, 2> kCounts = {2, 2};
  constexpr std::array<MPI_Aint, 2> kPlaces = {0, -3 * kInt};
  MPI_Datatype type;
  MPI_Type_create_hindexed(2, kCounts.data(), kPlaces.data(), MPI_INT, &type);
  return type;
}

MPI_Datatype structure() {
  constexpr std::array<int, 4> kCounts = {1, 0, 1, 2};
  constexpr std::array<MPI_Aint, 4> kPlaces = {0, kInt, 2 * kInt, 4 * kInt};
  constexpr std::array<MPI_Datatype, 4> kTypes = {MPI_INT, MPI_DOUBLE, MPI_INT, MPI_INT};
  MPI_Datatype type;
  MPI_Type_create_struct(4, kCounts.data(), kPlaces.data(), kTypes.data(), &type);
  return type;
}

MPI_Datatype with_empty_part() {
  MPI_Datatype part;
  MPI_Type_contiguous(0, MPI_INT, &part);
  const std::array<int, 2> counts = {3, 4};
  const std::array<MPI_Aint, 2> places = {0, 0};
  const std::array<MPI_Datatype, 2> types = {part, MPI_INT};
  MPI_Datatype type;
  MPI_Type_create_struct(2, counts.data(), places.data(), types.data(), &type);
  return free_part(part, type);
}

MPI_Datatype copy_of_vector() {
  MPI_Datatype part = with_gap();
  MPI_Datatype type;
  MPI_Type_dup(part, &type);
  return free_part(part, type);
}

MPI_Datatype corner() {
  constexpr std::array<int, 2> kWhole = {3, 3};
  constexpr std::array<int, 2> kPart = {2, 2};
  constexpr std::array<int, 2> kStart = {0, 1};
  MPI_Datatype part;
  MPI_Type_create_subarray(2, kWhole.data(), kPart.data(), kStart.data(), MPI_ORDER_C, MPI_INT,
                           &part);
  MPI_Datatype type;  // its extent is the whole array's
  MPI_Type_create_resized(part, 0, 6 * kInt, &type);
  return free_part(part, type);
}

MPI_Datatype large_run() {
  MPI_Datatype type;
  MPI_Type_contiguous_c(4, MPI_INT, &type);
  return type;
}

MPI_Datatype large_run_of_plain() {
  MPI_Datatype part;
  MPI_Type_contiguous(2, MPI_INT, &part);
  MPI_Datatype type;
  MPI_Type_contiguous_c(2, part, &type);
  return free_part(part, type);
}

MPI_Datatype plain_run_of_large() {
  MPI_Datatype part;
  MPI_Type_contiguous_c(2, MPI_INT, &part);
  MPI_Datatype type;
  MPI_Type_contiguous(2, part, &type);
  return free_part(part, type);
}

MPI_Datatype copy_of_large() {
  MPI_Datatype part = large_run();
  MPI_Datatype type;
  MPI_Type_dup(part, &type);
  return free_part(part, type);
}

MPI_Datatype large_vector() {
  MPI_Datatype part;
  MPI_Type_contiguous_c(2, MPI_INT, &part);
  MPI_Datatype type;
  MPI_Type_vector_c(2, 1, 2, part, &type);
  return free_part(part, type);
}

MPI_Datatype large_structure() {
  MPI_Datatype part;
  MPI_Type_vector_c(2, 1, 2, MPI_INT, &part);
  const std::array<MPI_Count, 2> counts = {1, 2};
  const std::array<MPI_Count, 2> places = {0, 4 * kInt};
  const std::array<MPI_Datatype, 2> types = {part, MPI_INT};
  MPI_Datatype type;
  MPI_Type_create_struct_c(2, counts.data(), places.data(), types.data(), &type);
  return free_part(part, type);
}

MPI_Datatype large_resized() {
  MPI_Datatype part = large_run_of_plain();
  MPI_Datatype type;
  MPI_Type_create_resized_c(part, -kInt, 5 * kInt, &type);
  return free_part(part, type);
}

template <Make make>
void use(OddCall& call, const Place& place) {
  for (Side* side : chosen_sides(call, place)) describe_by(*side, call.keep(make()), 4);
}

// A user's operation on whatever holds pairs of ints.
void add_pairs(void* in, void* in_out, int* count, MPI_Datatype*) {
  const auto* from = static_cast<const int*>(in);
  auto* to = static_cast<int*>(in_out);
  for (int i = 0; i < 2 * *count; ++i) to[i] += from[i];
}

void add_ints(void* in, void* in_out, int* count, MPI_Datatype*) {
  const auto* from = static_cast<const int*>(in);
  auto* to = static_cast<int*>(in_out);
  for (int i = 0; i < *count; ++i) to[i] += from[i];
}

MPI_Op int_sum() {
  static const MPI_Op op = [] {
    MPI_Op made = MPI_OP_NULL;
    MPI_Op_create(add_ints, 1, &made);
    return made;
  }();
  return op;
}

// Types with the type map of an int.
MPI_Datatype run_of_one() {
  MPI_Datatype type;
  MPI_Type_contiguous(1, MPI_INT, &type);
  return type;
}

MPI_Datatype copy_of_int() {
  MPI_Datatype type;
  MPI_Type_dup(MPI_INT, &type);
  return type;
}

MPI_Datatype structure_of_one() {
  constexpr std::array<int, 3> kCounts = {0, 1, 0};
  constexpr std::array<MPI_Aint, 3> kPlaces = {8, 0, 0};
  constexpr std::array<MPI_Datatype, 3> kTypes = {MPI_FLOAT, MPI_INT, MPI_DOUBLE};
  MPI_Datatype type;
  MPI_Type_create_struct(3, kCounts.data(), kPlaces.data(), kTypes.data(), &type);
  return type;
}

MPI_Datatype large_structure_of_one() {
  constexpr std::array<MPI_Count, 2> kCounts = {0, 1};
  constexpr std::array<MPI_Count, 2> kPlaces = {4, 0};
  constexpr std::array<MPI_Datatype, 2> kTypes = {MPI_FLOAT, MPI_INT};
  MPI_Datatype part;
  MPI_Type_create_struct_c(2, kCounts.data(), kPlaces.data(), kTypes.data(), &part);
  MPI_Datatype type;
  MPI_Type_create_resized(part, 0, kInt, &type);
  return free_part(part, type);
}

MPI_Op pair_sum() {
  static const MPI_Op op = [] {
    MPI_Op made = MPI_OP_NULL;
    MPI_Op_create(add_pairs, 1, &made);
    return made;
  }();
  return op;
}

}  // namespace

std::vector<Kind> absolute_addresses() {
  constexpr std::uint32_t kTyped = kBcasts | kTwoSided;
  return {
      {"absolute addresses, word by word", kTyped, Who::kAny,
       [](OddCall& call, const Place& place) {
         for (Side* side : chosen_sides(call, place)) name_by_words(call, *side);
       }},
      {"absolute addresses", kTyped, Who::kAny,
       [](OddCall& call, const Place& place) {
         for (Side* side : chosen_sides(call, place)) name_absolutely(call, *side);
       }},
      {"absolute addresses on both sides", kTwoSided, Who::kAny,
       [](OddCall& call, const Place& place) {
         for (Side* side : significant_sides(call, place)) name_absolutely(call, *side);
       }},
      {"absolute addresses in place", kAllgathers | kAlltoalls, Who::kAny,
       [](OddCall& call, const Place&) { name_absolutely(call, call.receive); }, Blocks::kFull,
       [](OddCall& call, const Place&) { call.send.buffer = MPI_IN_PLACE; }},
      {"absolute addresses in place at the root", kGathers | kScatters, Who::kRoot,
       [](OddCall& call, const Place&) {
         const bool scatters = contains(kScatters, call.entry);
         name_absolutely(call, scatters ? call.send : call.receive);
         (scatters ? call.receive : call.send).buffer = MPI_IN_PLACE;
       }},
      {"absolute addresses of nothing", kTyped, Who::kAny,
       [](OddCall& call, const Place& place) {
         for (Side* side : significant_sides(call, place)) name_by_words(call, *side);
       },
       Blocks::kNone},
      {"absolute addresses, nothing of one rank", kVariable, Who::kAny,
       [](OddCall& call, const Place& place) {
         for (Side* side : significant_sides(call, place)) name_by_words(call, *side);
       },
       Blocks::kNoneOfOdd},
  };
}

std::vector<Kind> unusual_types() {
  constexpr std::uint32_t kTyped = kBcasts | kTwoSided;
  return {
      {"type with a gap", kTyped, Who::kAny, use<with_gap>},
      {"type of a run", kTyped, Who::kAny, use<run>},
      {"type resized downwards", kTyped, Who::kAny, use<resized>},
      {"type from below its address", kTyped, Who::kAny, use<from_below>},
      {"type with its last part first", kTyped, Who::kAny, use<last_part_first>},
      {"type of a structure", kTyped, Who::kAny, use<structure>},
      {"type with an empty part", kTyped, Who::kAny, use<with_empty_part>},
      {"copy of a vector type", kTyped, Who::kAny, use<copy_of_vector>},
      {"type of a subarray", kTyped, Who::kAny, use<corner>},
      {"large-count run", kTyped, Who::kAny, use<large_run>},
      {"large-count run of a plain one", kTyped, Who::kAny, use<large_run_of_plain>},
      {"plain run of a large-count one", kTyped, Who::kAny, use<plain_run_of_large>},
      {"copy of a large-count run", kTyped, Who::kAny, use<copy_of_large>},
      {"large-count vector", kTyped, Who::kAny, use<large_vector>},
      {"large-count structure", kTyped, Who::kAny, use<large_structure>},
      {"large-count resized", kTyped, Who::kAny, use<large_resized>},
      // One rank's type is a predefined one, or another handle with its type map.
      {"user's operation on what is an int", kReductions, Who::kAny,
       [](OddCall& call, const Place& place) {
         constexpr std::array<Make, 4> kInts = {run_of_one, copy_of_int, structure_of_one,
                                                large_structure_of_one};
         call.send.type = call.keep(kInts[place.variant / 2 % kInts.size()]());
       },
       Blocks::kFull, [](OddCall& call, const Place&) { call.op = int_sum(); }},
      // One rank's type is another handle, of the same layout.
      {"user's operation", kReductions, Who::kAny,
       [](OddCall& call, const Place&) {
         MPI_Datatype type;
         MPI_Type_vector(2, 1, 1, MPI_INT, &type);
         call.send.type = call.keep(type);
       },
       Blocks::kFull,
       [](OddCall& call, const Place&) {
         MPI_Datatype type;
         MPI_Type_contiguous(2, MPI_INT, &type);
         for (Side* side : {&call.send, &call.receive}) describe_by(*side, type, 2);
         call.send.type = call.keep(type);
         call.op = pair_sum();
       }},
  };
}

}  // namespace mpiactor::testing
