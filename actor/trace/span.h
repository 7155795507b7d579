// One collective call of this rank, on its way into the trace.
//
// Off (MPIACTOR_TRACE empty), everything here costs one look at a global pointer. Deeper code
// reaches the call that its thread is in through the free functions.
#ifndef MPIACTOR_ACTOR_TRACE_SPAN_H_
#define MPIACTOR_ACTOR_TRACE_SPAN_H_

#include <mpi.h>

#include <cstdint>
#include <string_view>

#include "actor/trace/call_site.h"
#include "actor/trace/communicators.h"
#include "actor/trace/counters.h"
#include "actor/trace/format.h"

namespace mpiactor::trace {

class Span {
 public:
  // Right at the entry of the call. `operation`: "MPI_Bcast"; `root`: -1 where there is none. Calls
  // on inter-communicators and on what is no communicator are not recorded. Collective over `comm`
  // like the call itself: the first call on a communicator agrees on its identity.
  Span(const char* operation, MPI_Comm comm, int root);
  // With an identity that is known; nullptr: not recorded.
  Span(const char* operation, CommIdentity* identity, int root);
  // Records the call.
  ~Span();
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

  void led();
  void first_byte();
  void last_byte();
  void algorithm(std::string_view name);
  bool is_recorded() const { return is_recorded_; }
  bool has_algorithm() const { return record_.algorithm[0] != 0; }
  void hybrid() { record_.path = Path::kHybrid; }
  void bytes(std::uint64_t bytes) { record_.bytes = bytes; }
  // Of the communicator. 0, 0 and false where the call is not recorded.
  std::uint32_t ranks() const { return record_.comm_ranks; }
  std::uint32_t rank() const { return record_.comm_rank; }
  bool is_root() const {
    return is_recorded_ && record_.comm_rank == static_cast<std::uint32_t>(record_.root);
  }

 private:
  void begin(const char* operation, CommIdentity* identity, int root);

  Record record_;
  bool is_recorded_ = false;
  Span* outer_ = nullptr;
};

// The call that this thread is in; nullptr: none that is recorded.
Span* current_span();
// Sets it; returns what it was. For those who switch stacks.
Span* exchange_current(Span* span);
inline Span* current() { return is_recording() ? current_span() : nullptr; }

// What the current call has come to. led() and first_byte() count once, last_byte() the last time.
inline void led() {
  ++counters().led;
  if (Span* const span = current()) span->led();
}
inline void first_byte() {
  if (Span* const span = current()) span->first_byte();
}
inline void last_byte() {
  if (Span* const span = current()) span->last_byte();
}
inline void algorithm(std::string_view name) {
  if (Span* const span = current()) span->algorithm(name);
}
inline void hybrid() {
  if (Span* const span = current()) span->hybrid();
}

// Runs a call and records it. bytes(span) is asked after a call without error alone: arguments that
// are wrong are the MPI library's to find, and those of calls that are not recorded may mean
// nothing.
template <typename Bytes, typename Run>
int traced(const char* operation, MPI_Comm comm, int root, Bytes bytes, Run run) {
  if (!is_recording()) [[likely]]
    return run();
  Span span(operation, comm, root);
  const int error = run();
  if (error == MPI_SUCCESS && span.is_recorded()) span.bytes(bytes(span));
  return error;
}

}  // namespace mpiactor::trace

#endif  // MPIACTOR_ACTOR_TRACE_SPAN_H_
