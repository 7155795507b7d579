// Ordinary arguments, and odd ones that have to do with buffers.
#include "tests/collectives/odd_kinds.h"

#include <numeric>

namespace mpiactor::testing {
namespace {

using Arrays = Side::Arrays;

// What `from` gives to `to`: differs by pair of ranks where MPI lets it.
MPI_Count block_words(const Place& place, Blocks blocks, int from, int to) {
  if (blocks == Blocks::kNone) return 0;
  if (blocks == Blocks::kNoneOfOdd &&
      (place.odd == kAllRanks || from == place.odd || to == place.odd)) {
    return 0;
  }
  return place.words + 4 * ((from + to) % place.size);
}

void lay_out(Side& side) {
  side.places.assign(side.counts.size(), 0);
  std::exclusive_scan(side.counts.begin(), side.counts.end(), side.places.begin(), MPI_Aint{0});
}

template <typename Words>
void make_array(Side& side, const Place& place, Words words) {
  side.counts.clear();
  for (int rank = 0; rank < place.size; ++rank) side.counts.push_back(words(rank));
  lay_out(side);
}

// A dummy is whatever stands where MPI does not look on this rank.
void no_dummy(Side& side) {
  side = Side{};
  side.type = MPI_DATATYPE_NULL;
  side.arrays = Arrays::kNull;
}
void junk_dummy(Side& side) {
  side = Side{};
  side.buffer = junk_pointer();
  side.count = -7;
  side.type = static_cast<MPI_Datatype>(0x5bad5bad);
  side.arrays = Arrays::kJunk;
}
// Of calls with a root, on another rank.
Side& dummy_of(OddCall& call) { return contains(kScatters, call.entry) ? call.send : call.receive; }
Side& other_of(OddCall& call) { return contains(kScatters, call.entry) ? call.receive : call.send; }

// In place: what of the one side is left unread. Reductions and broadcasts have one type for both.
Side& replaced_side(OddCall& call) {
  return contains(kScatters, call.entry) ? call.receive : call.send;
}
void go_in_place(OddCall& call) {
  Side& side = replaced_side(call);
  if (contains(kTwoSided, call.entry)) no_dummy(side);
  side.buffer = MPI_IN_PLACE;
}
void go_in_place_with_junk(OddCall& call) {
  Side& side = replaced_side(call);
  if (contains(kTwoSided, call.entry)) junk_dummy(side);
  side.buffer = MPI_IN_PLACE;
}

// A side without bytes.
void name_nowhere(OddCall& call, void* buffer) {
  call.send.buffer = buffer;
  call.receive.buffer = buffer;
}

// Of a call in which this rank gives nothing, and takes nothing where ranks take different blocks:
// the sides of which the MPI library reads no byte here.
std::vector<Side*> empty_sides(OddCall& call) {
  switch (call.entry) {
    case Entry::kAllgatherv:
    case Entry::kIallgatherv:
    case Entry::kGatherv:
      return {&call.send};
    case Entry::kScatterv:
    case Entry::kReduceScatter:
    case Entry::kIreduceScatter:
      return {&call.receive};
    default:
      return {&call.send, &call.receive};
  }
}

constexpr std::uint32_t kOneBlockEmpty = kVariable | kCountedShares;

MPI_Datatype empty_type(OddCall& call) {
  MPI_Datatype type;
  MPI_Type_contiguous(0, MPI_INT, &type);
  return call.keep(type);
}

// Two halves of one buffer, given by displacements.
void use_two_halves(OddCall& call) {
  MPI_Aint all = 0;
  for (const MPI_Count count : call.receive.counts) all += count;
  for (MPI_Aint& place : call.send.places) place += all;
  call.send.buffer = call.receive.buffer;
}

// An int of every two, or one that is `ints` behind the address.
MPI_Datatype spaced_int(OddCall& call, MPI_Aint ints, MPI_Aint extent_ints) {
  const int one = 1;
  const MPI_Aint displacement = ints * static_cast<MPI_Aint>(sizeof(int));
  MPI_Datatype place;
  MPI_Type_create_hindexed(1, &one, &displacement, MPI_INT, &place);
  MPI_Datatype type;
  MPI_Type_create_resized(place, 0, extent_ints * static_cast<MPI_Aint>(sizeof(int)), &type);
  MPI_Type_free(&place);
  return call.keep(type);
}

MPI_Aint words_of(const Side& side, int blocks) {
  if (side.counts.empty()) return side.count * blocks;
  return std::accumulate(side.counts.begin(), side.counts.end(), MPI_Aint{0});
}

// Both sides are read on this rank.
constexpr std::uint32_t kEverywhereTwoSided = kAllgathers | kAlltoalls;
constexpr std::uint32_t kRootTwoSided = kGathers | kScatters;

void share_address(OddCall& call, const Place& place) {
  const int blocks = contains(kGathers | kAllgathers, call.entry) ? place.size
                     : contains(kScatters, call.entry)            ? 1
                                                                  : place.size;
  call.send.type = spaced_int(call, words_of(call.receive, blocks), 1);
  call.send.buffer = call.receive.buffer;
}

void interleave(OddCall& call, const Place&) {
  call.send.type = spaced_int(call, 1, 2);
  call.receive.type = spaced_int(call, 0, 2);
  call.send.buffer = call.receive.buffer;
}

// What the MPI library calls aliased: both sides begin at one address and have one type. Of blocks
// in a buffer: this rank's.
void alias(OddCall& call, const Place& place) {
  Side& blocks = contains(kScatters, call.entry) ? call.send : call.receive;
  Side& one = contains(kScatters, call.entry) ? call.receive : call.send;
  const auto rank = static_cast<std::size_t>(place.rank);
  MPI_Aint words = 0;
  if (contains(kAllgathers | kRootTwoSided, call.entry)) {
    words = blocks.counts.empty() ? blocks.count * place.rank : blocks.places[rank];
  }
  one.buffer = static_cast<int*>(blocks.buffer) + words;
}

}  // namespace

void make_ordinary(OddCall& call, const Place& place, Blocks blocks, std::byte* memory) {
  Side& send = call.send;
  Side& receive = call.receive;
  send.buffer = memory + place.region;
  receive.buffer = memory + 3 * place.region;
  call.root = place.root;
  const MPI_Count words = blocks == Blocks::kNone ? 0 : place.words;
  send.count = words;
  receive.count = words;
  switch (call.entry) {
    case Entry::kReduceScatter:
    case Entry::kIreduceScatter:
      make_array(receive, place, [&](int rank) { return block_words(place, blocks, rank, rank); });
      break;
    case Entry::kAllgatherv:
    case Entry::kIallgatherv:
    case Entry::kGatherv:
      // `to` is nobody in particular.
      make_array(receive, place, [&](int rank) { return block_words(place, blocks, rank, rank); });
      send.count = receive.counts[static_cast<std::size_t>(place.rank)];
      break;
    case Entry::kScatterv:
      make_array(send, place, [&](int rank) { return block_words(place, blocks, rank, rank); });
      receive.count = send.counts[static_cast<std::size_t>(place.rank)];
      break;
    case Entry::kAlltoallv:
      make_array(send, place,
                 [&](int rank) { return block_words(place, blocks, place.rank, rank); });
      make_array(receive, place,
                 [&](int rank) { return block_words(place, blocks, rank, place.rank); });
      break;
    default:
      break;
  }
}

std::vector<Side*> significant_sides(OddCall& call, const Place& place) {
  if (contains(kBarriers, call.entry)) return {};
  if (contains(kBcasts, call.entry)) return {&call.receive};
  if (contains(kRooted, call.entry) && !place.is_root()) return {&other_of(call)};
  return {&call.send, &call.receive};
}

std::vector<Side*> chosen_sides(OddCall& call, const Place& place) {
  std::vector<Side*> sides = significant_sides(call, place);
  if (sides.size() == 2 && place.variant % 3 != 2) return {sides[place.variant % 3]};
  return sides;
}

void describe_by(Side& side, MPI_Datatype type, MPI_Count words) {
  side.type = type;
  side.count /= words;
  for (MPI_Count& count : side.counts) count /= words;
  for (MPI_Aint& place : side.places) place /= words;
}

std::vector<Kind> dummies() {
  constexpr std::uint32_t kDummies = kReduces | kGathers | kScatters;
  return {
      {"ordinary arguments", ~0U, Who::kAny, [](OddCall&, const Place&) {}},
      {"no dummies", kDummies, Who::kNonRoot,
       [](OddCall& call, const Place&) { no_dummy(dummy_of(call)); }},
      {"junk dummies", kDummies, Who::kNonRoot,
       [](OddCall& call, const Place&) { junk_dummy(dummy_of(call)); }},
      {"a dummy that aliases", kDummies, Who::kNonRoot,
       [](OddCall& call, const Place&) { dummy_of(call).buffer = other_of(call).buffer; }},
      // MPICH 4.0 itself takes MPI_IN_PLACE for an address in long reduces to other roots.
      {"in place at the root", kDummies, Who::kRoot,
       [](OddCall& call, const Place& place) {
         if (call.entry != Entry::kReduce || place.root == 0) go_in_place(call);
       }},
      {"in place at the root, junk beside it", kGathers | kScatters, Who::kRoot,
       [](OddCall& call, const Place&) { go_in_place_with_junk(call); }},
      {"in place", kAllreduces | kReduceScatters | kAllgathers | kAlltoalls, Who::kTogether,
       [](OddCall& call, const Place&) { go_in_place(call); }},
      {"in place, junk beside it on one rank", kAllgathers | kAlltoalls, Who::kAny,
       [](OddCall& call, const Place&) { go_in_place_with_junk(call); }, Blocks::kFull,
       [](OddCall& call, const Place&) { go_in_place(call); }},
      {"in place, one rank with nothing",
       entries(Entry::kAllgatherv, Entry::kIallgatherv, Entry::kAlltoallv), Who::kAny,
       [](OddCall&, const Place&) {}, Blocks::kNoneOfOdd,
       [](OddCall& call, const Place&) { go_in_place(call); }},
  };
}

std::vector<Kind> empty_blocks() {
  constexpr std::uint32_t kTyped = kBcasts | kTwoSided;
  return {
      {"all empty, no buffers", kTyped | kReductions, Who::kAny,
       [](OddCall& call, const Place&) { name_nowhere(call, nullptr); }, Blocks::kNone},
      {"all empty, junk pointers", kTyped, Who::kAny,
       [](OddCall& call, const Place&) { name_nowhere(call, junk_pointer()); }, Blocks::kNone},
      {"all empty, one buffer", kTyped, Who::kAny,
       [](OddCall& call, const Place&) { call.send.buffer = call.receive.buffer; }, Blocks::kNone},
      {"all empty, another type", kTyped, Who::kAny,
       [](OddCall& call, const Place& place) {
         for (Side* side : chosen_sides(call, place)) side->type = MPI_DOUBLE;
       },
       Blocks::kNone},
      // MPICH 4.0 returns at once on ranks whose count is zero, and sends on others.
      {"all empty, elements without bytes", kTyped, Who::kTogether,
       [](OddCall& call, const Place& place) {
         for (Side* side : significant_sides(call, place)) {
           side->type = empty_type(call);
           side->count = 5;
           for (MPI_Count& count : side->counts) count = 3;
         }
       },
       Blocks::kNone},
      {"nothing of one rank", kOneBlockEmpty, Who::kAny, [](OddCall&, const Place&) {},
       Blocks::kNoneOfOdd},
      {"nothing of one rank, no buffer", kOneBlockEmpty & ~kCountedShares, Who::kAny,
       [](OddCall& call, const Place&) {
         for (Side* side : empty_sides(call)) side->buffer = nullptr;
       },
       Blocks::kNoneOfOdd},
      {"nothing of one rank, junk pointer", kOneBlockEmpty, Who::kAny,
       [](OddCall& call, const Place&) {
         for (Side* side : empty_sides(call)) side->buffer = junk_pointer();
       },
       Blocks::kNoneOfOdd},
#ifndef OPEN_MPI
      // MPI allows it at the root alone; MPICH takes no notice of an empty buffer's address.
      {"nothing of one rank, in place", entries(Entry::kGatherv, Entry::kScatterv), Who::kNonRoot,
       [](OddCall& call, const Place&) {
         for (Side* side : empty_sides(call)) side->buffer = MPI_IN_PLACE;
       },
       Blocks::kNoneOfOdd},
      {"nothing of all, in place", kGathers | kScatters, Who::kNonRoot,
       [](OddCall& call, const Place&) {
         (contains(kScatters, call.entry) ? call.receive : call.send).buffer = MPI_IN_PLACE;
       },
       Blocks::kNone},
#endif
      {"nothing of one rank, another type", kVariable, Who::kAny,
       [](OddCall& call, const Place&) {
         for (Side* side : empty_sides(call)) side->type = MPI_DOUBLE;
       },
       Blocks::kNoneOfOdd},
      {"nothing of one rank, elements without bytes",
       entries(Entry::kAllgatherv, Entry::kIallgatherv), Who::kAny,
       [](OddCall& call, const Place&) {
         for (Side* side : empty_sides(call)) {
           side->type = empty_type(call);
           side->count = 5;
         }
       },
       Blocks::kNoneOfOdd},
      {"nothing of one rank, junk displacement", kVariable, Who::kAny,
       [](OddCall&, const Place&) {}, Blocks::kNoneOfOdd,
       [](OddCall& call, const Place&) {
         for (Side* side : {&call.send, &call.receive}) {
           for (std::size_t i = 0; i < side->counts.size(); ++i) {
             if (side->counts[i] == 0) side->places[i] = -1234567;
           }
         }
       }},
  };
}

std::vector<Kind> shared_buffers() {
  return {
      {"nothing of one rank, the dummy is the other buffer", kVariable, Who::kAny,
       [](OddCall& call, const Place&) {
         *(contains(kScatters, call.entry) ? &call.receive.buffer : &call.send.buffer) =
             contains(kScatters, call.entry) ? call.send.buffer : call.receive.buffer;
       },
       Blocks::kNoneOfOdd},
      {"nothing of one rank, the dummy is its place in the other buffer", kVariable & ~kAlltoalls,
       Who::kAny, alias, Blocks::kNoneOfOdd},
      {"halves of one buffer", entries(Entry::kAlltoallv), Who::kAny,
       [](OddCall& call, const Place&) { use_two_halves(call); }},
      {"halves of one buffer, nothing of one rank", entries(Entry::kAlltoallv), Who::kAny,
       [](OddCall&, const Place&) {}, Blocks::kNoneOfOdd,
       [](OddCall& call, const Place&) { use_two_halves(call); }},
      {"two types over one address", kEverywhereTwoSided, Who::kAny, share_address},
      {"two types over one address at the root", kRootTwoSided, Who::kRoot, share_address},
      {"interleaved blocks", kEverywhereTwoSided, Who::kAny, interleave},
      {"interleaved blocks at the root", kRootTwoSided, Who::kRoot, interleave},
      {"refused aliases",
       kAllreduces | kReduceScatters | kAllgathers | entries(Entry::kAlltoall, Entry::kIalltoall),
       Who::kTogether, alias, Blocks::kFull, nullptr, true},
  };
}

}  // namespace mpiactor::testing
