// Memory of GPUs, which a processor cannot copy from: told by the GPU's run-time library where this
// process has loaded one. None is linked, and none is loaded by asking.
//
// CUDA's driver, AMD's HIP and Level Zero are known. Several threads may ask at once.
#ifndef MPIACTOR_ACTOR_DEVICE_MEMORY_DEVICE_MEMORY_H_
#define MPIACTOR_ACTOR_DEVICE_MEMORY_DEVICE_MEMORY_H_

namespace mpiactor {

// Whether such a library is loaded now. Level Zero's, which is a loader of drivers, counts where it
// has found one.
bool is_device_driver_loaded();

// Whether `address` lies in a device's memory, or in memory that moves between device and host
// ("managed", "shared"): the host can read that, but on some systems not while the device works.
// What no library knows is the host's, and so is memory of the host that was registered with one.
bool is_on_device(const void* address);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_DEVICE_MEMORY_DEVICE_MEMORY_H_
