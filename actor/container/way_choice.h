// Which of two ways a call takes that can go either way, by measuring both on the machine at hand:
// which is quicker depends on where ranks lie (caches), on their lateness and on the system.
#ifndef MPIACTOR_ACTOR_CONTAINER_WAY_CHOICE_H_
#define MPIACTOR_ACTOR_CONTAINER_WAY_CHOICE_H_

#include <array>
#include <cstdint>
#include <vector>

namespace mpiactor {

enum class Way { kStaged, kDirect };

// One rank's choice for calls of one kind on one communicator, for each power of two of bytes by
// itself. First both ways in turns, then the quicker one, and the other one now and then.
class WayChoice {
 public:
  // Shorter calls are not worth asking for.
  static constexpr std::uint64_t kShortestBytes = 64 << 10;
  // Times of each way before one is preferred; a clear difference needs fewer of them.
  static constexpr int kFirstTimes = 8;
  static constexpr int kLeastTimes = 4;
  static constexpr double kClearly = 1.5;
  // From one call by the other way to the next; before the first of them, at calls 32 and 64.
  static constexpr int kCallsToTry = 128;

  // The way of the next call of `bytes`, at least kShortestBytes.
  Way next(std::uint64_t bytes);
  // What a call has cost: the longest excess of a member.
  void took(std::uint64_t bytes, Way way, std::uint64_t ns);

  // A call of which not all members' times are known yet.
  struct Open {
    std::uint64_t sequence;
    std::uint64_t bytes;
    Way way;
    std::uint64_t own_ns;
  };
  std::vector<Open>& open() { return open_; }

 private:
  static constexpr std::size_t kClasses = 16;  // 64 KiB, 128 KiB, ..., 2 GiB and more
  struct Cost {
    double ns_per_byte = 0;
    int times = 0;
  };
  struct Class {
    std::array<Cost, 2> of_way;
    int calls = 0;
    bool is_decided() const;
  };
  Class& of(std::uint64_t bytes);

  std::array<Class, kClasses> classes_;
  std::vector<Open> open_;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_WAY_CHOICE_H_
