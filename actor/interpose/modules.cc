#include "actor/interpose/modules.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

// Where the section lies: by the linker.
extern "C" {
[[gnu::visibility("hidden")]] extern mpiactor::interpose::FoundFunction __start_mpiactor_found[];
[[gnu::visibility("hidden")]] extern mpiactor::interpose::FoundFunction __stop_mpiactor_found[];
}

namespace mpiactor::interpose {
namespace {

std::span<FoundFunction> all() { return {__start_mpiactor_found, __stop_mpiactor_found}; }

// Where a module lies in memory.
struct Extent {
  std::uintptr_t begin = UINTPTR_MAX;
  std::uintptr_t end = 0;

  bool holds(const void* address) const {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    return begin <= at && at < end;
  }
};

Extent extent_of_module(const void* address) {
  struct Search {
    const void* address;
    Extent found;
  } search{address, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* module, std::size_t, void* argument) {
        auto& [wanted, found] = *static_cast<Search*>(argument);
        Extent extent;
        for (int i = 0; i < module->dlpi_phnum; ++i) {
          if (module->dlpi_phdr[i].p_type != PT_LOAD) continue;
          const std::uintptr_t begin = module->dlpi_addr + module->dlpi_phdr[i].p_vaddr;
          extent.begin = std::min(extent.begin, begin);
          extent.end = std::max(extent.end, begin + module->dlpi_phdr[i].p_memsz);
        }
        if (!extent.holds(wanted)) return 0;
        found = extent;
        return 1;
      },
      &search);
  return search.found;
}

// Inside the function that is given to dl_iterate_phdr() nothing may be loaded.
std::vector<std::string> loaded_files() {
  std::vector<std::string> files;
  dl_iterate_phdr(
      [](dl_phdr_info* module, std::size_t, void* argument) {
        static_cast<std::vector<std::string>*>(argument)->emplace_back(module->dlpi_name);
        return 0;
      },
      &files);
  return files;
}

// A module that was loaded with RTLD_LOCAL (a plugin, a Python module) keeps its MPI library to
// itself; the runtime's own calls need it to be seen by all.
void make_library_global() {
  const Extent runtime = extent_of_module(reinterpret_cast<const void*>(&make_library_global));
  for (const std::string& file : loaded_files()) {
    void* const module = file.empty() ? nullptr : dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (!module) continue;
    void* const init = dlsym(module, "PMPI_Init");
    dlclose(module);
    if (!init || runtime.holds(init)) continue;
    dlopen(file_of(init).c_str(), RTLD_LAZY | RTLD_GLOBAL | RTLD_NOLOAD);
    return;
  }
}

}  // namespace

std::string file_of(const void* symbol) {
  Dl_info info;
  return symbol && dladdr(symbol, &info) != 0 ? info.dli_fname : "";
}

void* find_symbol(const char* name) {
  void* symbol = dlsym(RTLD_NEXT, name);
  if (!symbol && !dlsym(RTLD_NEXT, "PMPI_Init")) {
    make_library_global();
    symbol = dlsym(RTLD_NEXT, name);
  }
  return symbol;
}

void* next_symbol(const char* name) {
  void* const symbol = find_symbol(name);
  if (!symbol) std::abort();  // there is no MPI library, so nobody can have called us
  return symbol;
}

void* find_tool(const char* name) {
  void* const symbol = find_symbol(name);
  const std::string profiling_name = std::string("P") + name;
  const bool is_library = extent_of_module(find_symbol(profiling_name.c_str())).holds(symbol);
  return is_library ? nullptr : symbol;
}

bool is_by_library(const void* return_address) {
  static const Extent library = extent_of_module(next_symbol("PMPI_Init"));
  return library.holds(return_address);
}

bool is_by_program(const void* return_address) {
  static const Extent program =
      extent_of_module(reinterpret_cast<const void*>(getauxval(AT_ENTRY)));
  return program.holds(return_address);
}

void* find_any_tool(const char* name) {
  const Extent runtime = extent_of_module(reinterpret_cast<const void*>(&is_by_program));
  void* const first = dlsym(RTLD_DEFAULT, name);
  return runtime.holds(first) ? find_tool(name) : first;
}

void FoundFunction::find_all() {
  static std::atomic<bool> is_done{false};
  if (is_done.exchange(true)) return;
  is_by_library(nullptr);
  is_by_program(nullptr);
  for (FoundFunction& function : all()) function.know();
}

void FoundFunction::forget_all() {
  for (FoundFunction& function : all()) function.is_known_ = false;
}

}  // namespace mpiactor::interpose
