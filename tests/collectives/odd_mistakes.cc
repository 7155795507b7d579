// Wrong arguments of one rank, which the MPI library refuses before it sends anything.
#include "tests/collectives/odd_kinds.h"

namespace mpiactor::testing {
namespace {

constexpr std::uint32_t kTyped = kBcasts | kTwoSided;
constexpr std::uint32_t kHaveType = kTyped | kReductions;

// Reductions have one type.
std::vector<Side*> typed_sides(OddCall& call, const Place& place) {
  if (contains(kReductions, call.entry)) return {&call.send};
  return chosen_sides(call, place);
}

void use_negative_count(OddCall& call, const Place& place) {
  for (Side* side : chosen_sides(call, place)) {
    side->count = -1;
    if (!side->counts.empty()) side->counts[place.variant % side->counts.size()] = -1;
  }
}

void use_no_type(OddCall& call, const Place& place) {
  for (Side* side : typed_sides(call, place)) side->type = MPI_DATATYPE_NULL;
}

void use_uncommitted_type(OddCall& call, const Place& place) {
  MPI_Datatype type;
  MPI_Type_contiguous(1, MPI_INT, &type);
  call.made.push_back(type);
  for (Side* side : typed_sides(call, place)) side->type = type;
}

void alias_wholly(OddCall& call, const Place&) { call.receive.buffer = call.send.buffer; }

}  // namespace

std::vector<Kind> mistakes() {
  std::vector<Kind> all = {
      {"a negative count", kTyped, Who::kAny, use_negative_count},
      {"a negative count of a result", kCountedShares, Who::kAny,
       [](OddCall& call, const Place& place) {
         call.receive.counts[place.variant % call.receive.counts.size()] = -1;
       }},
      {"no type", kHaveType, Who::kAny, use_no_type},
      {"an uncommitted type", kHaveType, Who::kAny, use_uncommitted_type},
      {"a negative root", kRooted, Who::kAny, [](OddCall& call, const Place&) { call.root = -7; }},
      {"a root beyond the ranks", kRooted, Who::kAny,
       [](OddCall& call, const Place& place) { call.root = place.size; }},
      {"no operation", kReductions, Who::kAny,
       [](OddCall& call, const Place&) { call.op = MPI_OP_NULL; }},
      {"an operation that does not fit the type", kReductions, Who::kAny,
       [](OddCall& call, const Place&) {
         call.send.type = MPI_DOUBLE;
         call.op = MPI_BAND;
       }},
      {"no buffer", kTyped | kReductions, Who::kAny,
       [](OddCall& call, const Place& place) {
         for (Side* side : chosen_sides(call, place)) side->buffer = nullptr;
       }},
      {"in place where nothing may be", kAllgathers | kAlltoalls, Who::kAny,
       [](OddCall& call, const Place&) { call.receive.buffer = MPI_IN_PLACE; }},
      {"in place as the result", kAllreduces | kReduceScatters, Who::kAny,
       [](OddCall& call, const Place&) { call.receive.buffer = MPI_IN_PLACE; }},
      {"one buffer", kAllreduces | kReduceScatters | entries(Entry::kAlltoall, Entry::kIalltoall),
       Who::kAny, alias_wholly},
      {"one buffer at the root", kReduces, Who::kRoot, alias_wholly},
  };
  for (Kind& kind : all) kind.is_refused = true;
  return all;
}

}  // namespace mpiactor::testing
