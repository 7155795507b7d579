// Which memory is a device's, as stand-ins for the run-time libraries of GPUs tell it. A process
// keeps the libraries that it has found, so every case has a process of its own.
#include "actor/device_memory/device_memory.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "tests/actor/device_memory/stand_in.h"

namespace mpiactor {
namespace {

using namespace mpiactor::testing;

void expect(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::_Exit(1);
}
#define EXPECT_HERE(condition) expect(condition, #condition)

class DeviceMemory : public ::testing::Test {
 protected:
  static void in_child(const std::function<void()>& run) {
    EXPECT_EXIT((run(), std::_Exit(0)), ::testing::ExitedWithCode(0), "");
  }
};

struct StandIn {
  StandIn(const char* library, int mode) {
    const std::string path = std::string("tests/actor/device_memory/") + library;
    handle = dlopen(path.c_str(), RTLD_NOW | mode);
    if (!handle) std::fprintf(stderr, "%s\n", dlerror());
    EXPECT_HERE(handle != nullptr);
  }
  void call(const void* begin, std::size_t bytes, int kind) const {
    function<decltype(stand_in_call)>("stand_in_call")(begin, bytes, kind);
  }
  long questions() const { return function<decltype(stand_in_questions)>("stand_in_questions")(); }
  template <typename Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(handle, name));
  }
  void* handle;
};

std::array<char, 64> plain, pinned, device, managed;

void tell_all(const StandIn& library) {
  library.call(pinned.data(), pinned.size(), kPinned);
  library.call(device.data(), device.size(), kOnDevice);
  library.call(managed.data(), managed.size(), kManaged);
  EXPECT_HERE(is_device_driver_loaded());
  for (int i = 0; i < 2; ++i) {
    EXPECT_HERE(!is_on_device(plain.data()));
    EXPECT_HERE(!is_on_device(pinned.data() + 63));
    EXPECT_HERE(is_on_device(device.data()));
    EXPECT_HERE(is_on_device(device.data() + 63));
    EXPECT_HERE(!is_on_device(device.data() + 64) || device.data() + 64 == managed.data());
    EXPECT_HERE(is_on_device(managed.data() + 1));
    EXPECT_HERE(!is_on_device(nullptr));
  }
}

TEST_F(DeviceMemory, NoLibraryNoDevice) {
  in_child([] {
    EXPECT_HERE(!is_device_driver_loaded());
    EXPECT_HERE(!is_on_device(plain.data()));
  });
}

TEST_F(DeviceMemory, IsToldByEveryLibrary) {
  for (const char* const library :
       {"libcuda_stand_in.so", "libhip5_stand_in.so", "libhip6_stand_in.so", "libze_stand_in.so"}) {
    SCOPED_TRACE(library);
    in_child([&] { tell_all(StandIn(library, RTLD_GLOBAL)); });
    in_child([&] { tell_all(StandIn(library, RTLD_LOCAL)); });
  }
}

TEST_F(DeviceMemory, LibraryMayBeLoadedLater) {
  in_child([] {
    EXPECT_HERE(!is_device_driver_loaded());
    EXPECT_HERE(!is_on_device(device.data()));
    tell_all(StandIn("libze_stand_in.so", RTLD_LOCAL));
    tell_all(StandIn("libcuda_stand_in.so", RTLD_LOCAL));
  });
}

TEST_F(DeviceMemory, EveryLibraryIsAsked) {
  in_child([] {
    const StandIn cuda("libcuda_stand_in.so", RTLD_LOCAL);
    const StandIn hip("libhip6_stand_in.so", RTLD_LOCAL);
    hip.call(device.data(), 1, kOnDevice);
    EXPECT_HERE(is_on_device(device.data()));
    EXPECT_HERE(cuda.questions() > 0);
    EXPECT_HERE(hip.questions() > 0);
  });
}

// Open MPI 5 loads Level Zero's loader on any machine.
TEST_F(DeviceMemory, LoaderWithoutDriverHasNoDevice) {
  in_child([] {
    const StandIn loader("libze_without_driver_stand_in.so", RTLD_LOCAL);
    loader.call(device.data(), device.size(), kOnDevice);
    EXPECT_HERE(!is_device_driver_loaded());
    EXPECT_HERE(!is_on_device(device.data()));
  });
}

// The error that a program finds is its own.
TEST_F(DeviceMemory, QuestionLeavesNoErrorBehind) {
  in_child([] {
    const StandIn hip("libhip5_stand_in.so", RTLD_LOCAL);
    const auto last_error = hip.function<int()>("hipGetLastError");
    EXPECT_HERE(!is_on_device(plain.data()));
    EXPECT_HERE(last_error() == 0);
    struct {
      std::array<void*, 8> room;
    } attributes;
    const auto ask = hip.function<int(void*, const void*)>("hipPointerGetAttributes");
    EXPECT_HERE(ask(&attributes, plain.data()) != 0);
    EXPECT_HERE(!is_on_device(plain.data()));
    EXPECT_HERE(last_error() != 0);
  });
}

}  // namespace
}  // namespace mpiactor
