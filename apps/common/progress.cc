#include "apps/common/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace mpiactor::apps {
namespace {

constexpr std::int64_t kIntervalNs = 200'000'000;

bool wanted(ProgressMode mode) {
  return mode == ProgressMode::kOn || (mode == ProgressMode::kAuto && isatty(STDERR_FILENO) != 0);
}

}  // namespace

Progress::Progress(std::string label, std::int64_t total, ProgressMode mode, bool is_reporting_rank)
    : label_(std::move(label)), total_(total), shown_(is_reporting_rank && wanted(mode)) {}

Progress::~Progress() {
  if (line_open_) fmt::print(stderr, "\n");
}

void Progress::update(std::int64_t done, std::int64_t now_ns) {
  if (!shown_) return;
  if (start_ns_ == 0) {
    start_ns_ = now_ns;
    next_ns_ = now_ns + kIntervalNs;
  }
  if (done < total_ && now_ns < next_ns_) return;
  next_ns_ = now_ns + kIntervalNs;
  const double elapsed_s = static_cast<double>(now_ns - start_ns_) * 1e-9;
  const double share = static_cast<double>(done) / static_cast<double>(total_);
  const double left_s = share > 0.0 ? elapsed_s * (1.0 - share) / share : 0.0;
  fmt::print(stderr, "\r{} {}/{} ({:.0f} %), {:.1f} s, {:.1f} s left ", label_, done, total_,
             100.0 * share, elapsed_s, left_s);
  std::fflush(stderr);
  line_open_ = true;
}

}  // namespace mpiactor::apps
