// The call site of the call that a thread is entering, from the exported function to its span.
#ifndef MPIACTOR_ACTOR_TRACE_CALL_SITE_H_
#define MPIACTOR_ACTOR_TRACE_CALL_SITE_H_

#include <atomic>
#include <cstdint>

namespace mpiactor::trace {

class RankFile;

// Where this process records; nullptr: it does not.
extern std::atomic<RankFile*> the_file;

inline bool is_recording() { return the_file.load(std::memory_order_acquire) != nullptr; }

// Notes the call site for this thread's next span.
void note_call_site(const void* return_address);

// First thing in an exported function, with its return address. A branch where nothing is recorded.
inline void enter_from(const void* return_address) {
  if (is_recording()) [[unlikely]]
    note_call_site(return_address);
}

// What this thread noted last.
std::uint16_t noted_call_site();

}  // namespace mpiactor::trace

#endif  // MPIACTOR_ACTOR_TRACE_CALL_SITE_H_
