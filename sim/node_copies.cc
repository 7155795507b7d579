#include "sim/node_copies.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mpiactor::sim {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

struct Member {
  double begin = 0;  // ps
  double copied = 0;
  double end = kNever;
};

// Times in picoseconds from `origin` on, amounts in bytes.
class Copying {
 public:
  Copying(const Machine& machine, std::span<const TakenSegment> segments,
          std::span<const Picoseconds> begins, Picoseconds origin)
      : machine_(machine), segments_(segments), origin_(origin) {
    for (const Picoseconds begin : begins) {
      members_.push_back({.begin = static_cast<double>(begin - origin)});
    }
    for (const TakenSegment& segment : segments) total_ += static_cast<double>(segment.bytes);
  }

  std::vector<Member> run() {
    while (std::any_of(members_.begin(), members_.end(),
                       [](const Member& member) { return member.end == kNever; })) {
      take_segments();
      advance();
    }
    return members_;
  }

 private:
  void take_segments() {
    while (next_ < segments_.size() && time_of_next() <= now_) {
      there_ += static_cast<double>(segments_[next_++].bytes);
    }
  }
  double time_of_next() const {
    return next_ < segments_.size() ? static_cast<double>(segments_[next_].at - origin_) : kNever;
  }
  bool copies(const Member& member) const { return member.begin <= now_ && member.copied < there_; }

  // To the next moment at which anything changes.
  void advance() {
    const auto copying = std::count_if(members_.begin(), members_.end(),
                                       [this](const Member& member) { return copies(member); });
    const double ps_per_byte = machine_.copy_ps_per_byte(static_cast<int>(copying));
    double until = time_of_next();
    for (const Member& member : members_) {
      if (copies(member)) {
        until = std::min(until, now_ + (there_ - member.copied) * ps_per_byte);
      } else if (member.begin > now_) {
        until = std::min(until, member.begin);
      } else if (member.end == kNever && there_ == total_) {
        until = now_;
      }
    }
    for (Member& member : members_) {
      if (copies(member)) copy(&member, until, ps_per_byte);
      const bool ends =
          member.begin <= now_ && member.copied == total_ && next_ == segments_.size();
      if (ends && member.end == kNever) member.end = until;
    }
    now_ = until;
  }

  // Whoever has all that is there has it exactly, whatever was rounded on the way.
  void copy(Member* member, double until, double ps_per_byte) {
    const bool gets_all = now_ + (there_ - member->copied) * ps_per_byte <= until;
    member->copied = gets_all ? there_ : member->copied + (until - now_) / ps_per_byte;
  }

  const Machine& machine_;
  std::span<const TakenSegment> segments_;
  Picoseconds origin_;
  std::vector<Member> members_;
  double total_ = 0;
  double there_ = 0;  // of the segments
  std::size_t next_ = 0;
  double now_ = 0;
};

}  // namespace

std::vector<Picoseconds> copies_ends(const Machine& machine, std::span<const TakenSegment> segments,
                                     std::span<const Picoseconds> begins) {
  if (begins.empty()) return {};
  Picoseconds origin = *std::min_element(begins.begin(), begins.end());
  if (!segments.empty()) origin = std::min(origin, segments.front().at);
  std::vector<Picoseconds> ends;
  for (const Member& member : Copying(machine, segments, begins, origin).run()) {
    ends.push_back(origin + static_cast<Picoseconds>(std::llround(member.end)));
  }
  return ends;
}

}  // namespace mpiactor::sim
