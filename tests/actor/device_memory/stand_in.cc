// With STAND_IN_CUDA, STAND_IN_HIP (5 or 6: the version) or STAND_IN_ZE (0 or 1: how many drivers
// there are) defined: the functions of that library which tell memory, as its public headers
// declare them.
#include "tests/actor/device_memory/stand_in.h"

#include <atomic>
#include <cstdint>
#include <vector>

using namespace mpiactor::testing;

namespace {

struct Range {
  const std::byte* begin;
  std::size_t bytes;
  int kind;
};
std::vector<Range> ranges;
std::atomic<long> questions{0};

[[maybe_unused]] int kind_of(const void* address) {
  ++questions;
  for (const Range& range : ranges) {
    const auto* const byte = static_cast<const std::byte*>(address);
    if (byte >= range.begin && byte < range.begin + range.bytes) return range.kind;
  }
  return kUnknown;
}

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT void stand_in_call(const void* begin, std::size_t bytes, int kind) {
  ranges.push_back({static_cast<const std::byte*>(begin), bytes, kind});
}

EXPORT long stand_in_questions() { return questions; }

#ifdef STAND_IN_CUDA

EXPORT int cuPointerGetAttribute(void* data, int attribute, unsigned long long pointer) {
  constexpr int kInvalidValue = 1;
  const int kind = kind_of(reinterpret_cast<const void*>(pointer));
  if (kind == kUnknown) return kInvalidValue;
  if (attribute == 2) {  // memory type: 1 the host's, 2 a device's
    *static_cast<unsigned*>(data) = kind == kOnDevice ? 2 : 1;
  } else if (attribute == 8) {  // is managed
    *static_cast<unsigned*>(data) = kind == kManaged;
  } else {
    return kInvalidValue;
  }
  return 0;
}

#endif

#ifdef STAND_IN_HIP

namespace {

thread_local int last_error = 0;

}  // namespace

struct hipPointerAttribute_t {
  int type;
  int device;
  void* devicePointer;
  void* hostPointer;
  int isManaged;
  unsigned allocationFlags;
};

EXPORT int hipRuntimeGetVersion(int* version) {
  *version = STAND_IN_HIP * 10000000 + 123;
  return 0;
}

EXPORT int hipPeekAtLastError() { return last_error; }

EXPORT int hipGetLastError() {
  const int error = last_error;
  last_error = 0;
  return error;
}

EXPORT int hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* pointer) {
  constexpr int kInvalidValue = 1;
  const int kind = kind_of(pointer);
  *attributes = {};
  if (kind == kUnknown) {
    if (STAND_IN_HIP >= 6) return 0;  // type 0: not registered
    return last_error = kInvalidValue;
  }
  constexpr int kHost = STAND_IN_HIP >= 6 ? 1 : 0;
  attributes->type = kind == kOnDevice ? kHost + 1 : kHost;
  attributes->isManaged = kind == kManaged;
  return 0;
}

#endif

#ifdef STAND_IN_ZE

namespace {

// Where handles point to.
int driver = 0;
int context = 0;
bool initialised = false;

}  // namespace

struct ze_context_desc_t {
  int stype;
  const void* pNext;
  std::uint32_t flags;
};

struct ze_memory_allocation_properties_t {
  int stype;
  void* pNext;
  int type;
  std::uint64_t id;
  std::uint64_t pageSize;
};

EXPORT int zeInit(std::uint32_t) {
  constexpr int kUninitialised = 0x78000001;
  initialised = STAND_IN_ZE != 0;
  return initialised ? 0 : kUninitialised;
}

EXPORT int zeDriverGet(std::uint32_t* count, void** drivers) {
  if (!initialised) return 1;
  if (drivers && *count >= 1) drivers[0] = &driver;
  *count = 1;
  return 0;
}

EXPORT int zeContextCreate(void* of, const ze_context_desc_t* description, void** created) {
  if (of != &driver || description->stype != 0xd || description->pNext) return 1;
  *created = &context;
  return 0;
}

EXPORT int zeMemGetAllocProperties(void* in, const void* pointer,
                                   ze_memory_allocation_properties_t* properties, void**) {
  if (in != &context || properties->stype != 0x17 || properties->pNext) return 1;
  switch (kind_of(pointer)) {
    case kPinned:
      properties->type = 1;
      break;
    case kOnDevice:
      properties->type = 2;
      break;
    case kManaged:
      properties->type = 3;
      break;
    default:
      properties->type = 0;
  }
  return 0;
}

#endif
