// Collectives in a thread whose stack is small, as in programs that have many threads.
#include <pthread.h>

#include <cstddef>
#include <string>

#include "tests/actor/collectives/mpi_check.h"
#include "tests/collectives/checked_collectives.h"
#include "tests/collectives/harness.h"

namespace {

using namespace mpiactor::testing;

// Open MPI's own collectives do with 24 KiB, MPICH's 4.0 want 192.
#ifdef OPEN_MPI
constexpr std::size_t kStackBytes = 48 << 10;
#else
constexpr std::size_t kStackBytes = 192 << 10;
#endif

// Inline, pushed, announced; a reduction by one round, by shares and in blocks.
constexpr int kCounts[] = {1, 600, 3000, 20'000, 200'000};

void* call_all(void* of_group) {
  const Group& group = *static_cast<const Group*>(of_group);
  under_each_leader([&] {
    for (const Collective& collective : collectives()) {
      for (const int count : kCounts) {
        at = collective.name + ", " + std::to_string(count) + " words";
        for (int root = 0; root < group.size; ++root) collective.call(group, root, count);
      }
    }
  });
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv, MPI_THREAD_SERIALIZED);
  say_when_slow(30);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  expect(pthread_attr_setstacksize(&attributes, kStackBytes) == 0, "pthread_attr_setstacksize");
  pthread_t thread;
  Group world = job.world();
  expect(pthread_create(&thread, &attributes, call_all, &world) == 0, "pthread_create");
  pthread_join(thread, nullptr);
  return 0;
}
