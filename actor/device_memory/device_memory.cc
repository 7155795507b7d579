#include "actor/device_memory/device_memory.h"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace mpiactor {
namespace {

// Types and values are those of the libraries' public headers. All these functions return 0 where
// they succeed.

// A library that the process has loaded, whoever did and how: one that was loaded with RTLD_LOCAL
// is found by its name alone. It stays loaded from then on.
class LoadedLibrary {
 public:
  // Nothing where no library of these names, nor one that all see, has the function.
  static std::optional<LoadedLibrary> find(std::span<const char* const> names,
                                           const char* function) {
    for (const char* const name : names) {
      void* const handle = dlopen(name, RTLD_NOLOAD | RTLD_LAZY);
      if (handle && dlsym(handle, function)) return LoadedLibrary(handle);
      if (handle) dlclose(handle);
    }
    if (dlsym(RTLD_DEFAULT, function)) return LoadedLibrary(RTLD_DEFAULT);
    return std::nullopt;
  }

  template <typename Function>
  void get(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(dlsym(handle_, name));
  }

 private:
  explicit LoadedLibrary(void* handle) : handle_(handle) {}
  void* handle_;
};

class Cuda {
 public:
  static constexpr const char* kNames[] = {"libcuda.so.1"};
  static constexpr const char* kFunction = "cuPointerGetAttribute";

  explicit Cuda(const LoadedLibrary& library) { library.get(get_attribute_, kFunction); }

  bool has_driver() const { return true; }

  bool is_on_device(const void* address) const {
    constexpr int kMemoryType = 2;
    constexpr int kIsManaged = 8;
    constexpr unsigned kHost = 1;
    const auto pointer = reinterpret_cast<std::uintptr_t>(address);
    unsigned type = kHost;
    if (get_attribute_(&type, kMemoryType, pointer) != 0) return false;
    unsigned managed = 0;
    return type != kHost || (get_attribute_(&managed, kIsManaged, pointer) == 0 && managed != 0);
  }

 private:
  int (*get_attribute_)(void* data, int attribute, unsigned long long pointer) = nullptr;
};

class Hip {
 public:
  static constexpr const char* kNames[] = {"libamdhip64.so.7", "libamdhip64.so.6",
                                           "libamdhip64.so.5", "libamdhip64.so"};
  static constexpr const char* kFunction = "hipPointerGetAttributes";

  explicit Hip(const LoadedLibrary& library) {
    library.get(get_attributes_, kFunction);
    library.get(peek_at_last_error_, "hipPeekAtLastError");
    library.get(get_last_error_, "hipGetLastError");
    int (*get_version)(int*) = nullptr;
    library.get(get_version, "hipRuntimeGetVersion");
    // Before version 6 the host is 0 and a device 1; since then what is not registered is 0, the
    // host 1 and a device 2.
    constexpr int kVersion6 = 60000000;
    int version = 0;
    if (get_version && get_version(&version) == 0 && version >= kVersion6) last_host_type_ = 1;
  }

  bool has_driver() const { return true; }

  bool is_on_device(const void* address) const {
    // A failed call is remembered as the thread's last error, which is the program's to ask for.
    const bool is_clean = peek_at_last_error_ && peek_at_last_error_() == 0;
    Attributes attributes;
    if (get_attributes_(&attributes, address) != 0) {
      if (is_clean && get_last_error_) get_last_error_();
      return false;
    }
    return attributes.type > last_host_type_ || attributes.is_managed != 0;
  }

 private:
  struct Attributes {
    int type = 0;
    int device = 0;
    void* device_pointer = nullptr;
    void* host_pointer = nullptr;
    int is_managed = 0;
    unsigned flags = 0;
    std::byte later_versions[224] = {};
  };

  int (*get_attributes_)(Attributes* attributes, const void* pointer) = nullptr;
  int (*peek_at_last_error_)() = nullptr;
  int (*get_last_error_)() = nullptr;
  int last_host_type_ = 0;
};

// Allocations are asked for in a context. The program's are not known, so there is one of our own
// for each driver. By the specification a driver may call memory of another context unknown, which
// here means the host's; Intel's does not, and MPICH relies on the same.
class LevelZero {
 public:
  static constexpr const char* kNames[] = {"libze_loader.so.1"};
  static constexpr const char* kFunction = "zeMemGetAllocProperties";

  explicit LevelZero(const LoadedLibrary& library) {
    int (*initialise)(std::uint32_t flags) = nullptr;
    int (*get_drivers)(std::uint32_t * count, void** drivers) = nullptr;
    int (*create_context)(void* driver, const ContextDescription*, void** context) = nullptr;
    library.get(get_properties_, kFunction);
    library.get(initialise, "zeInit");
    library.get(get_drivers, "zeDriverGet");
    library.get(create_context, "zeContextCreate");
    if (!initialise || !get_drivers || !create_context) return;
    std::uint32_t count = 0;
    if (initialise(0) != 0 || get_drivers(&count, nullptr) != 0) return;
    std::vector<void*> drivers(count);
    if (get_drivers(&count, drivers.data()) != 0) return;
    for (void* const driver : drivers) {
      const ContextDescription description;
      void* context = nullptr;
      if (driver && create_context(driver, &description, &context) == 0) {
        contexts_.push_back(context);
      }
    }
  }

  bool has_driver() const { return !contexts_.empty(); }

  bool is_on_device(const void* address) const {
    constexpr int kDevice = 2;
    constexpr int kShared = 3;
    for (void* const context : contexts_) {
      Properties properties;
      void* device = nullptr;
      if (get_properties_(context, address, &properties, &device) != 0) continue;
      if (properties.type == kDevice || properties.type == kShared) return true;
    }
    return false;
  }

 private:
  struct ContextDescription {
    int structure_type = 0xd;
    const void* next = nullptr;
    std::uint32_t flags = 0;
  };
  struct Properties {
    int structure_type = 0x17;
    void* next = nullptr;
    int type = 0;
    std::uint64_t id = 0;
    std::uint64_t page_bytes = 0;
  };

  int (*get_properties_)(void* context, const void* pointer, Properties*, void** device) = nullptr;
  std::vector<void*> contexts_;
};

// How many libraries the process has loaded so far.
unsigned long long libraries_loaded() {
  unsigned long long loaded = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        *static_cast<unsigned long long*>(out) = info->dlpi_adds;
        return 1;
      },
      &loaded);
  return loaded;
}

// The run-time library, once the process has it; looked for again only where others have been
// loaded since. For good: at the end of the process it may be gone before this is.
template <typename RunTime>
const RunTime* find_run_time(unsigned long long loaded) {
  static std::atomic<const RunTime*> found{nullptr};
  static std::atomic<unsigned long long> looked_at{0};
  static std::mutex mutex;
  const RunTime* run_time = found.load(std::memory_order_acquire);
  if (run_time || looked_at.load(std::memory_order_relaxed) == loaded) return run_time;
  const std::lock_guard lock(mutex);
  if (const RunTime* const by_other = found.load(std::memory_order_relaxed)) return by_other;
  const auto library = LoadedLibrary::find(RunTime::kNames, RunTime::kFunction);
  if (library) found.store(run_time = new RunTime(*library), std::memory_order_release);
  looked_at.store(loaded, std::memory_order_relaxed);
  return run_time;
}

// Whether holds(run_time) for any that is loaded.
template <typename Holds>
bool any_run_time(Holds holds) {
  const unsigned long long loaded = libraries_loaded();
  const auto is_so = [&](const auto* run_time) { return run_time && holds(*run_time); };
  return is_so(find_run_time<Cuda>(loaded)) || is_so(find_run_time<Hip>(loaded)) ||
         is_so(find_run_time<LevelZero>(loaded));
}

}  // namespace

bool is_device_driver_loaded() {
  return any_run_time([](const auto& run_time) { return run_time.has_driver(); });
}

bool is_on_device(const void* address) {
  return address &&
         any_run_time([=](const auto& run_time) { return run_time.is_on_device(address); });
}

}  // namespace mpiactor
