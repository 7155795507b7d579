#include "actor/trace/call_site.h"

#include "actor/trace/rank_file.h"

namespace mpiactor::trace {
namespace {

thread_local std::uint16_t noted = 0;

}  // namespace

std::atomic<RankFile*> the_file{nullptr};

// Never inlined: its frame is at the same distance from the exported function's in every call from
// there, whatever that function does with its own.
__attribute__((noinline)) void note_call_site(const void* return_address) {
  RankFile* const file = the_file.load(std::memory_order_acquire);
  if (!file) return;
  noted =
      file->call_sites().number_of(reinterpret_cast<std::uintptr_t>(return_address),
                                   reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)));
}

std::uint16_t noted_call_site() { return noted; }

}  // namespace mpiactor::trace
