// A progress line that rewrites itself on stderr.
#ifndef MPIACTOR_APPS_COMMON_PROGRESS_H_
#define MPIACTOR_APPS_COMMON_PROGRESS_H_

#include <cstdint>
#include <string>

namespace mpiactor::apps {

enum class ProgressMode { kAuto, kOn, kOff };

// Shown where `mode` asks for it; kAuto: where stderr is a terminal. Under a launcher a rank's
// stderr is a pipe, so whoever starts the program on a terminal passes kOn.
class Progress {
 public:
  Progress(std::string label, std::int64_t total, ProgressMode mode, bool is_reporting_rank);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `now_ns` is the monotonic time, which callers have at hand; prints at most five times a second.
  void update(std::int64_t done, std::int64_t now_ns);

 private:
  std::string label_;
  std::int64_t total_;
  bool shown_;
  bool line_open_ = false;
  std::int64_t start_ns_ = 0;
  std::int64_t next_ns_ = 0;
};

}  // namespace mpiactor::apps

#endif  // MPIACTOR_APPS_COMMON_PROGRESS_H_
