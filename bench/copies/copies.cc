// copies: what handing bytes to another core costs, with ordinary stores and with stores that go
// past the caches, and which of them the runtime chooses (actor/shm/copy.h).
//
// Two threads on two cores; no MPI. The writer copies into memory of both, the reader copies the
// bytes out of it. Blocks follow each other in this memory as those of a runtime's staging do.
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "actor/shm/copy.h"
#include "actor/shm/wait.h"
#include "apps/common/printing.h"
#include "bench/byte_size.h"
#include "bench/command_line.h"
#include "bench/page_buffer.h"
#include "bench/statistics.h"
#include "third_party/cli11/cli.h"

namespace mpiactor::bench {
namespace {

using shm::StoreChoice;
using Kind = StoreChoice::Kind;

constexpr std::size_t kLine = 64;
constexpr int kRounds = 8;  // the kinds take turns
constexpr int kHandOversOfARound = 50;
constexpr int kWarmUp = 6;  // of them

struct Options {
  std::vector<std::int64_t> sizes_bytes;
  int writer_core = 0;
  int reader_core = 1;
};

// 0, or what errno says.
int bind_to(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(core), &set);
  return sched_setaffinity(0, sizeof set, &set) == 0 ? 0 : errno;
}

// Hands blocks from this thread to one on another core, one at a time.
class HandOver {
 public:
  struct Times {
    std::uint64_t writer_ns;  // until all lines were written
    std::uint64_t both_ns;    // until the reader has them
  };

  HandOver(std::size_t longest, int reader_core)
      : shared_bytes_(4 * longest + (2 << 20)),
        longest_(longest),
        shared_(shared_bytes_, 0),
        own_(longest, kUsualOffsetBytes),
        reader_([this, reader_core] { read(reader_core); }) {}

  ~HandOver() {
    bytes_ = 0;
    written_.fetch_add(1);
    reader_.join();
  }

  // 0, or why the reader could not go to its core.
  int reader_problem() {
    run(kLine, Kind::kCached);
    return reader_problem_;
  }

  Times run(std::size_t bytes, Kind kind) {
    const std::uint64_t turn = written_.load(std::memory_order_relaxed) + 1;
    bytes_ = bytes;
    std::byte* const to = place_of(turn, bytes);
    const std::uint64_t start_ns = shm::monotonic_ns();
    if (kind == Kind::kPastCaches) {
      shm::copy_past_caches(to, own_.get(), bytes);
    } else {
      shm::copy_bytes(to, own_.get(), bytes);
      std::atomic_thread_fence(std::memory_order_seq_cst);
    }
    const std::uint64_t written_ns = shm::monotonic_ns();
    written_.store(turn, std::memory_order_release);
    while (read_.load(std::memory_order_acquire) != turn) {
    }
    return {.writer_ns = written_ns - start_ns, .both_ns = shm::monotonic_ns() - start_ns};
  }

 private:
  std::byte* place_of(std::uint64_t turn, std::size_t bytes) {
    return shared_.get() + turn % (shared_bytes_ / bytes) * bytes;
  }

  void read(int core) {
    reader_problem_ = bind_to(core);
    const PageBuffer to(longest_, kUsualOffsetBytes);
    for (std::uint64_t turn = 1;; ++turn) {
      while (written_.load(std::memory_order_acquire) != turn) {
      }
      if (bytes_ == 0) return;
      shm::copy_bytes(to.get(), place_of(turn, bytes_), bytes_);
      read_.store(turn, std::memory_order_release);
    }
  }

  const std::size_t shared_bytes_;
  const std::size_t longest_;
  PageBuffer shared_;
  PageBuffer own_;
  std::size_t bytes_ = 0;  // of the block; published by written_
  int reader_problem_ = 0;
  alignas(kLine) std::atomic<std::uint64_t> written_{0};
  alignas(kLine) std::atomic<std::uint64_t> read_{0};
  std::thread reader_;
};

struct Samples {
  std::vector<double> writer_us;
  std::vector<double> both_us;
};

double median_us(const std::vector<double>& samples) { return describe(samples).p50; }

std::string row(HandOver& hand_over, std::size_t bytes) {
  constexpr double kNsPerUs = 1000;
  std::array<Samples, 2> samples;
  StoreChoice choice;
  for (int round = 0; round < kRounds; ++round) {
    for (const Kind kind : {Kind::kCached, Kind::kPastCaches}) {
      for (int i = 0; i < kHandOversOfARound; ++i) {
        const HandOver::Times times = hand_over.run(bytes, kind);
        if (i < kWarmUp) continue;
        Samples& of_kind = samples[kind == Kind::kPastCaches ? 1 : 0];
        of_kind.writer_us.push_back(static_cast<double>(times.writer_ns) / kNsPerUs);
        of_kind.both_us.push_back(static_cast<double>(times.both_ns) / kNsPerUs);
        choice.took(bytes, kind, times.writer_ns);
      }
    }
  }
  const auto& [cached, past] = samples;
  const char* const chosen = choice.last() == Kind::kPastCaches ? "past caches" : "ordinary";
  return fmt::format("{:>8} {:>10.3f} {:>10.3f} {:>10.3f} {:>10.3f}   {:<12} {:>6.2f}\n",
                     format_byte_size(static_cast<std::int64_t>(bytes)),
                     median_us(cached.writer_us), median_us(past.writer_us),
                     median_us(cached.both_us), median_us(past.both_us), chosen,
                     median_us(cached.both_us) / median_us(past.both_us));
}

void check_core(int core, int problem) {
  if (problem == 0) return;
  throw std::runtime_error(fmt::format("core {}: {}", core, std::strerror(problem)));
}

void measure(const Options& options) {
  const auto longest = *std::max_element(options.sizes_bytes.begin(), options.sizes_bytes.end());
  check_core(options.writer_core, bind_to(options.writer_core));
  HandOver hand_over(static_cast<std::size_t>(longest), options.reader_core);
  check_core(options.reader_core, hand_over.reader_problem());
  std::vector<double> line_ns;
  for (int i = 0; i < 2000; ++i)
    line_ns.push_back(static_cast<double>(hand_over.run(kLine, Kind::kCached).both_ns));
  fmt::print("a line there and the answer back: {:.0f} ns\n\n", describe(line_ns).p50);
  fmt::print("         writer, us            writer and reader, us\n");
  fmt::print("{:>8} {:>10} {:>10} {:>10} {:>10}   {:<12} {:>6}\n", "bytes", "ordinary", "past",
             "ordinary", "past", "chosen", "ratio");
  for (const std::int64_t bytes : options.sizes_bytes)
    fmt::print("{}", row(hand_over, static_cast<std::size_t>(bytes)));
  fmt::print("\nratio: ordinary / past caches, of writer and reader\n");
}

Parsed<Options> parse(int argc, const char* const* argv) {
  cli::App app{"Times both kinds of stores into memory that another core reads.", "copies"};
  std::string sizes = "1K,2K,4K,8K,16K,32K,64K,128K,256K,1M";
  Options options;
  app.add_option("--sizes", sizes, "Bytes of a block, with K, M or G; at least 1K")
      ->capture_default_str();
  app.add_option("--writer-core", options.writer_core, "Core of the writer")
      ->check(cli::Range(0, CPU_SETSIZE - 1))
      ->capture_default_str();
  app.add_option("--reader-core", options.reader_core, "Core of the reader")
      ->check(cli::Range(0, CPU_SETSIZE - 1))
      ->capture_default_str();
  return parse_command_line<Options>(app, argc, argv, [&] {
    options.sizes_bytes = read_option("--sizes", [&] { return parse_byte_sizes(sizes); });
    for (const std::int64_t bytes : options.sizes_bytes) {
      if (bytes < static_cast<std::int64_t>(StoreChoice::kShortestBytes))
        throw std::invalid_argument(fmt::format("--sizes: {} is less than 1K", bytes));
    }
    if (options.writer_core == options.reader_core)
      throw std::invalid_argument(
          fmt::format("--reader-core: {} is the writer's", options.reader_core));
    return options;
  });
}

}  // namespace
}  // namespace mpiactor::bench

int main(int argc, char** argv) {
  using namespace mpiactor;
  return apps::run_printing("copies", [&] {
    const auto parsed = bench::parse(argc, argv);
    if (parsed.run) bench::measure(parsed.options);
    std::fputs(parsed.message.c_str(), parsed.exit_code == 0 ? stdout : stderr);
    return parsed.exit_code;
  });
}
