#include "inter/tofu_algos/line_tree.h"

namespace mpiactor::inter {
namespace {

struct Run {
  int begin;
  int end;  // one past the last

  bool empty() const { return begin >= end; }
  int head() const { return begin + (end - begin - 1) / 2; }
};

}  // namespace

LinePlace line_place(int position, int extent) {
  LinePlace place;
  const int half = 1 + extent / 2;  // where the second run begins
  Run low{1, half};
  Run high{half, extent};
  int here = 0;
  while (here != position) {
    place.parent = here;
    const Run& run = position < high.begin ? low : high;
    here = run.head();
    const Run lower{run.begin, here};
    const Run upper{here + 1, run.end};
    low = lower;
    high = upper;
  }
  for (const Run& run : {low, high}) {
    if (!run.empty()) place.children.push_back(run.head());
  }
  return place;
}

}  // namespace mpiactor::inter
