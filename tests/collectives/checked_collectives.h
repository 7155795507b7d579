// Every collective that is taken over, as a call that checks what it brings; and what a program
// that tries them says where it does not end.
#ifndef MPIACTOR_TESTS_COLLECTIVES_CHECKED_COLLECTIVES_H_
#define MPIACTOR_TESTS_COLLECTIVES_CHECKED_COLLECTIVES_H_

#include <cstddef>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "tests/collectives/harness.h"

namespace mpiactor::testing {

using Values = std::vector<int>;

// What rank `from` gives rank `to`, each word another one.
int value(int from, int to, int index);
// The blocks of `count` words that `from` gives `first_to` to `last_to` - 1.
Values blocks(int from, int first_to, int last_to, int count);
// Those that all ranks give `to`.
Values gathered(const Group& group, int to, int count);

inline std::size_t index(int i) { return static_cast<std::size_t>(i); }

// Equal counts and where blocks begin.
struct Layout {
  Layout(const Group& group, int count) : counts(index(group.size), count), at(counts.size()) {
    std::exclusive_scan(counts.begin(), counts.end(), at.begin(), 0);
  }
  Values counts;
  Values at;
};

// What is being tried; printed after so many seconds.
extern std::string at;
void say_when_slow(unsigned seconds);

void expect(bool good, const std::string& what);

struct Collective {
  std::string name;
  std::function<void(const Group&, int root, int count)> call;
  bool only_to_root = false;
};

const std::vector<Collective>& collectives();

}  // namespace mpiactor::testing

#endif  // MPIACTOR_TESTS_COLLECTIVES_CHECKED_COLLECTIVES_H_
