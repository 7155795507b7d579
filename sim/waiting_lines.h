// One first-in, first-out line per node, for many nodes of which few have a line at a time.
#ifndef MPIACTOR_SIM_WAITING_LINES_H_
#define MPIACTOR_SIM_WAITING_LINES_H_

#include <cstdint>
#include <vector>

#include "sim/fetch_ahead.h"

namespace mpiactor::sim {

template <typename Entry>
class WaitingLines {
 public:
  explicit WaitingLines(std::size_t nodes) : lines_(nodes) {}

  bool empty(std::uint32_t node) const { return lines_[node].first == kEnd; }
  const Entry& front(std::uint32_t node) const { return places_[lines_[node].first].entry; }

  void append(std::uint32_t node, const Entry& entry) {
    const std::uint32_t place = take_place();
    places_[place] = {entry, kEnd};
    Line& line = lines_[node];
    if (line.first == kEnd) {
      line.first = place;
    } else {
      places_[line.last].next = place;
    }
    line.last = place;
  }

  void prefetch(std::uint32_t node) const { fetch_ahead(&lines_[node]); }

  Entry pop(std::uint32_t node) {
    Line& line = lines_[node];
    const std::uint32_t place = line.first;
    line.first = places_[place].next;
    places_[place].next = unused_;
    unused_ = place;
    return places_[place].entry;
  }

 private:
  static constexpr std::uint32_t kEnd = 0xffffffffu;

  struct Line {
    std::uint32_t first = kEnd;
    std::uint32_t last = kEnd;
  };
  struct Place {
    Entry entry;
    std::uint32_t next;
  };

  std::uint32_t take_place() {
    if (unused_ == kEnd) {
      places_.emplace_back();
      return static_cast<std::uint32_t>(places_.size() - 1);
    }
    const std::uint32_t place = unused_;
    unused_ = places_[place].next;
    return place;
  }

  std::vector<Line> lines_;
  std::vector<Place> places_;
  std::uint32_t unused_ = kEnd;  // first of the places that nobody has
};

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_WAITING_LINES_H_
