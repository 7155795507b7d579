#include "actor/trace/call_sites.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace mpiactor::trace {
namespace {

struct Module {
  std::string path;
  std::uintptr_t begin = 0;  // what to take from an address to get the offset in the file
  std::string symbol;
};

// The path is empty where the address lies in no module.
Module module_of(std::uintptr_t address) {
  Dl_info facts{};
  link_map* map = nullptr;
  if (dladdr1(reinterpret_cast<void*>(address), &facts, reinterpret_cast<void**>(&map),
              RTLD_DL_LINKMAP) == 0) {
    return {};
  }
  // The program itself has no name in the list of modules.
  const std::string name = map->l_name && *map->l_name ? map->l_name : "/proc/self/exe";
  char absolute[PATH_MAX];
  return {realpath(name.c_str(), absolute) ? absolute : facts.dli_fname, map->l_addr,
          facts.dli_sname ? facts.dli_sname : ""};
}

// MPICH's mpi_bcast_ and the like, which call MPI_Bcast; Open MPI's, of which one calls another.
bool is_fortran_wrapper(const std::string& path) {
  const std::string_view file = std::string_view(path).substr(path.rfind('/') + 1);
  for (const char* const name :
       {"libmpifort.so", "libmpichfort.so", "libmpi_mpifh.so", "libmpi_usempi"}) {
    if (file.starts_with(name)) return true;
  }
  return false;
}

struct Search {
  std::uintptr_t return_address = 0;  // where to begin
  bool begun = false;
  std::uintptr_t found_at = 0;  // where in the stack the next return address lies
};

// The frames from the innermost outwards. A return address is taken to lie right below where the
// stack was before the call, which is so on x86-64, and looked for there: elsewhere nothing is
// found.
_Unwind_Reason_Code look_at_frame(_Unwind_Context* context, void* argument) {
  auto* const search = static_cast<Search*>(argument);
  const std::uintptr_t address = _Unwind_GetIP(context);
  if (!search->begun) {
    search->begun = address == search->return_address;
    return _URC_NO_REASON;
  }
  const std::uintptr_t place = _Unwind_GetCFA(context) - sizeof(std::uintptr_t);
  std::uintptr_t there = 0;
  std::memcpy(&there, reinterpret_cast<const void*>(place), sizeof there);
  if (there == address && !module_of(address).path.empty()) search->found_at = place;
  return _URC_END_OF_STACK;
}

template <std::size_t N>
void put(char (&target)[N], const std::string& text, bool keep_end = false) {
  const std::size_t bytes = std::min(N, text.size());
  std::memcpy(target, text.data() + (keep_end ? text.size() - bytes : 0), bytes);
}

std::size_t hash_of(std::uintptr_t address) {
  return static_cast<std::size_t>((address * 0x9e3779b97f4a7c15ull) >> 32);
}

}  // namespace

std::uint16_t CallSites::number_of(std::uintptr_t return_address, std::uintptr_t frame) {
  constexpr int kMostWrappers = 4;
  std::uintptr_t place = frame;
  for (int wrappers = 0; wrappers <= kMostWrappers; ++wrappers) {
    Known* known = find(return_address);
    if (!known) known = learn(return_address, place);
    if (!known) return 0;
    if (known->distance == 0) [[likely]]
      return known->number;
    place += known->distance;
    std::memcpy(&return_address, reinterpret_cast<const void*>(place), sizeof return_address);
  }
  return 0;
}

CallSites::Known* CallSites::find(std::uintptr_t return_address) {
  for (std::size_t i = hash_of(return_address);; ++i) {
    Known& known = known_[i % kKnown];
    // acquire: number and distance were written before the address.
    const std::uintptr_t here = known.return_address.load(std::memory_order_acquire);
    if (here == return_address) return &known;
    if (here == 0) return nullptr;
  }
}

// nullptr where there is no more room.
CallSites::Known* CallSites::learn(std::uintptr_t return_address, std::uintptr_t place) {
  const std::lock_guard lock(mutex_);
  if (Known* const known = find(return_address)) return known;
  if (used_ >= kKnown / 2) return nullptr;
  Search search{.return_address = return_address};
  if (is_fortran_wrapper(module_of(return_address).path)) {
    _Unwind_Backtrace(look_at_frame, &search);
  }
  std::size_t i = hash_of(return_address);
  while (known_[i % kKnown].return_address.load(std::memory_order_relaxed) != 0) ++i;
  Known& known = known_[i % kKnown];
  known.distance = search.found_at > place ? search.found_at - place : 0;
  // A wrapper whose caller is known is no call site of its own.
  known.number = known.distance == 0 ? add(return_address) : 0;
  known.return_address.store(return_address, std::memory_order_release);
  ++used_;
  return &known;
}

std::uint16_t CallSites::add(std::uintptr_t return_address) {
  const Module module = module_of(return_address);
  if (module.path.empty() || header_->call_sites == kCapacity) return 0;
  CallSite site{};
  site.offset = return_address - module.begin;
  struct stat facts;
  if (stat(module.path.c_str(), &facts) == 0) {
    site.module_bytes = static_cast<std::uint64_t>(facts.st_size);
    site.module_time_ns = facts.st_mtim.tv_sec * std::int64_t{1000000000} + facts.st_mtim.tv_nsec;
  }
  put(site.module, module.path, true);
  put(site.symbol, module.symbol);
  slots_[header_->call_sites] = site;
  // Whoever reads the file after a crash counts on whole slots.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  return static_cast<std::uint16_t>(++header_->call_sites);
}

}  // namespace mpiactor::trace
