#include "actor/trace/span.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "actor/trace/clock.h"
#include "actor/trace/rank_file.h"

namespace mpiactor::trace {
namespace {

thread_local Span* innermost = nullptr;

template <std::size_t N>
void put(char (&target)[N], std::string_view text) {
  std::memcpy(target, text.data(), std::min(N, text.size()));
}

}  // namespace

Span* current_span() { return innermost; }

Span* exchange_current(Span* span) { return std::exchange(innermost, span); }

Span::Span(const char* operation, MPI_Comm comm, int root) : record_{} {
  record_.arrival_ns = now_ns();
  begin(operation, identify(comm), root);
}

Span::Span(const char* operation, CommIdentity* identity, int root) : record_{} {
  record_.arrival_ns = now_ns();
  begin(operation, identity, root);
}

void Span::begin(const char* operation, CommIdentity* identity, int root) {
  if (!identity) return;
  is_recorded_ = true;
  record_.communicator = identity->id;
  record_.sequence = identity->calls++;
  record_.comm_ranks = static_cast<std::uint32_t>(identity->ranks);
  record_.comm_rank = static_cast<std::uint32_t>(identity->rank);
  record_.root = root;
  record_.call_site = noted_call_site();
  put(record_.operation, operation);
  outer_ = innermost;
  innermost = this;
}

Span::~Span() {
  if (!is_recorded_) return;
  innermost = outer_;
  record_.exit_ns = now_ns();
  if (RankFile* const file = the_file.load(std::memory_order_acquire)) file->append(record_);
}

void Span::led() {
  if (record_.led_ns == 0) record_.led_ns = now_ns();
}

void Span::first_byte() {
  if (record_.first_byte_ns == 0) record_.first_byte_ns = now_ns();
}

void Span::last_byte() { record_.last_byte_ns = now_ns(); }

void Span::algorithm(std::string_view name) {
  std::memset(record_.algorithm, 0, sizeof record_.algorithm);
  put(record_.algorithm, name);
}

}  // namespace mpiactor::trace
