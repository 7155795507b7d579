#include "actor/container/root_pace.h"

#include <sys/resource.h>

namespace mpiactor {

RootPace::Work RootPace::of_this_thread() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  constexpr std::int64_t kSecond = 1'000'000;
  return {.cpu_us = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * kSecond +
                    usage.ru_utime.tv_usec + usage.ru_stime.tv_usec,
          .sleeps = usage.ru_nvcsw};
}

}  // namespace mpiactor
