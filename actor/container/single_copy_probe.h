// Whether the members of a node can read each other's memory.
#ifndef MPIACTOR_ACTOR_CONTAINER_SINGLE_COPY_PROBE_H_
#define MPIACTOR_ACTOR_CONTAINER_SINGLE_COPY_PROBE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace mpiactor {

// A number of this process that others try to read. Where each member of a node reads the next
// one's, every member has read and was read, which is all that permissions depend on.
class SingleCopyProbe {
 public:
  SingleCopyProbe();
  SingleCopyProbe(const SingleCopyProbe&) = delete;
  SingleCopyProbe& operator=(const SingleCopyProbe&) = delete;

  static constexpr std::size_t kWords = 3;
  // Where it lies; holds while the object lives.
  std::array<std::uint64_t, kWords> words() const;
  // Empty where the number of the process that told these was read as it is.
  static std::string why_unreadable(std::span<const std::uint64_t, kWords> words);

 private:
  std::uint64_t number_;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_SINGLE_COPY_PROBE_H_
