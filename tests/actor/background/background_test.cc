#include "actor/background/background.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace mpiactor::background {
namespace {

constexpr int kOrders[2] = {};
const Order kFirst = &kOrders[0];
const Order kSecond = &kOrders[1];

int thrown = 0;

// Writes down what happens.
class Log {
 public:
  // A body that gives back `times` times.
  std::function<void()> body(const std::string& name, int times) {
    return [this, name, times] {
      add(name);
      for (int i = 0; i < times; ++i) {
        EXPECT_TRUE(give_back());
        add(name);
      }
    };
  }
  std::function<void()> ended(const std::string& name) {
    return [this, name] {
      EXPECT_FALSE(inside());
      add(name + "!");
    };
  }
  void add(const std::string& text) { text_ += text + " "; }
  std::string take() { return std::exchange(text_, {}); }

 private:
  std::string text_;
};

TEST(Background, OutsideOfCallsNobodyGivesBack) {
  EXPECT_FALSE(inside());
  EXPECT_FALSE(give_back());
  EXPECT_FALSE(progress());
  EXPECT_EQ(unfinished(), 0u);
}

TEST(Background, ACallThatNeedNotWaitEndsAtItsStart) {
  Log log;
  start(kFirst, log.body("a", 0), log.ended("a"));
  EXPECT_EQ(log.take(), "a a! ");
  EXPECT_EQ(unfinished(), 0u);
}

// Such a thread makes progress by what it waits for itself.
TEST(Background, AnotherThreadMayMakeProgressAtTheSameTime) {
  std::atomic<bool> over = false;
  std::thread other([&] {
    while (!over) {
      EXPECT_FALSE(inside());
      EXPECT_FALSE(give_back());
      progress();
    }
  });
  int turns = 0;
  int ends = 0;
  constexpr int kCalls = 20000;
  for (int call = 0; call < kCalls; ++call) {
    const auto body = [&] {
      for (int i = 0; i < 3; ++i) {
        ++turns;
        EXPECT_TRUE(give_back());
      }
    };
    const Order order = call % 2 == 0 ? kFirst : kSecond;
    start(order, body, [&] { ++ends; });
    while (unfinished(order) != 0) {
      EXPECT_FALSE(inside());
      progress();
    }
  }
  over = true;
  other.join();
  EXPECT_EQ(turns, 3 * kCalls);
  EXPECT_EQ(ends, kCalls);
}

TEST(Background, ErrandsRunOnTheStackOfWhoResumes) {
  Log log;
  const auto errand = [](void* argument) {
    EXPECT_FALSE(inside());
    // What the MPI library calls while it makes progress.
    EXPECT_FALSE(progress());
    static_cast<Log*>(argument)->add("errand");
  };
  start(
      kFirst,
      [&] {
        for (int i = 0; i < 2; ++i) {
          on_callers_stack(errand, &log);
          EXPECT_TRUE(inside());
          log.add("a");
        }
        EXPECT_TRUE(give_back());
        on_callers_stack(errand, &log);
      },
      log.ended("a"));
  EXPECT_EQ(log.take(), "errand a errand a ");
  EXPECT_TRUE(progress());
  EXPECT_EQ(log.take(), "errand a! ");
}

TEST(Background, ProgressResumesOnceAndSaysWhetherACallHasEnded) {
  Log log;
  start(kFirst, log.body("a", 2), log.ended("a"));
  EXPECT_EQ(log.take(), "a ");
  EXPECT_EQ(unfinished(kFirst), 1u);
  EXPECT_EQ(unfinished(kSecond), 0u);
  EXPECT_FALSE(progress());
  EXPECT_EQ(log.take(), "a ");
  EXPECT_TRUE(progress());
  EXPECT_EQ(log.take(), "a a! ");
  EXPECT_FALSE(progress());
  EXPECT_EQ(unfinished(), 0u);
}

TEST(Background, CallsOfOneOrderRunOneAfterTheOther) {
  Log log;
  start(kFirst, log.body("a", 1), log.ended("a"));
  start(kFirst, log.body("b", 1), log.ended("b"));
  start(kFirst, log.body("c", 0), log.ended("c"));
  EXPECT_EQ(unfinished(kFirst), 3u);
  EXPECT_EQ(log.take(), "a ");
  progress();
  EXPECT_EQ(log.take(), "a a! b ");
  progress();
  EXPECT_EQ(log.take(), "b b! c c! ");
  EXPECT_EQ(unfinished(), 0u);
}

TEST(Background, OrdersDoNotWaitForEachOther) {
  Log log;
  start(kFirst, log.body("a", 5), log.ended("a"));
  start(kSecond, log.body("b", 1), log.ended("b"));
  EXPECT_EQ(log.take(), "a b ");
  progress();
  EXPECT_EQ(log.take(), "a b b! ");
  while (unfinished() != 0) progress();
}

TEST(Background, ProgressWithinACallDoesNothing) {
  Log log;
  start(kSecond, log.body("b", 1), log.ended("b"));
  start(
      kFirst,
      [&] {
        EXPECT_TRUE(inside());
        EXPECT_FALSE(progress());
        give_back();
        EXPECT_FALSE(progress());
      },
      [&] { EXPECT_FALSE(progress()); });
  EXPECT_EQ(log.take(), "b ");
  progress();
  EXPECT_EQ(log.take(), "b b! ");
  EXPECT_EQ(unfinished(), 0u);
}

TEST(Background, StacksKeepTheirContents) {
  constexpr int kCalls = 50;
  std::vector<int> orders(kCalls);
  std::vector<int> results(kCalls);
  for (int i = 0; i < kCalls; ++i) {
    const auto at = static_cast<std::size_t>(i);
    start(
        &orders[at],
        [&results, at, i] {
          volatile int deep[10000];
          for (int k = 0; k < 10000; ++k) deep[k] = i + k;
          for (int k = 0; k < i; ++k) give_back();
          int sum = 0;
          for (int k = 0; k < 10000; ++k) sum += deep[k] - k;
          results[at] = sum / 10000;
        },
        [] {});
  }
  EXPECT_EQ(unfinished(), static_cast<std::size_t>(kCalls - 1));
  while (unfinished() != 0) progress();
  for (int i = 0; i < kCalls; ++i) EXPECT_EQ(results[static_cast<std::size_t>(i)], i);
}

TEST(Background, ExceptionsAreCaughtInsideACall) {
  std::string caught;
  start(
      kFirst,
      [&] {
        try {
          give_back();
          throw std::runtime_error("in the background");
        } catch (const std::exception& error) {
          caught = error.what();
        }
      },
      [] {});
  progress();
  EXPECT_EQ(caught, "in the background");
}

TEST(Background, StacksAreUsedAgainAfterTheyWereGivenBack) {
  Log log;
  for (int i = 0; i < 3; ++i) {
    start(kFirst, log.body("a", 1), log.ended("a"));
    progress();
    EXPECT_EQ(log.take(), "a a a! ");
    release_idle_stacks();
  }
}

// A soft limit, until the end.
class Limit {
 public:
  Limit(int resource, rlim_t bytes) : resource_(resource) {
    getrlimit(resource, &before_);
    const rlimit now = {bytes, before_.rlim_max};
    EXPECT_EQ(setrlimit(resource, &now), 0);
  }
  ~Limit() { setrlimit(resource_, &before_); }

 private:
  int resource_;
  rlimit before_;
};

TEST(Background, AStackIsAsLargeAsTheProcesssMayBe) {
  release_idle_stacks();
  int sum = 0;
  {
    const Limit limit(RLIMIT_STACK, 4 << 20);
    start(
        kFirst,
        [&] {
          volatile char much[3 << 20];
          for (std::size_t i = sizeof much; i-- > 0;) much[i] = 1;
          sum = much[0] + much[sizeof much - 1];
        },
        [] {});
  }
  EXPECT_EQ(sum, 2);
  release_idle_stacks();
}

TEST(Background, AStackIsSmallWhereThereIsNoAddressSpaceForALargeOne) {
  release_idle_stacks();
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  bool is_done = false;
  {
    const Limit stack(RLIMIT_STACK, 8 << 20);
    const Limit all(RLIMIT_AS, pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (4 << 20));
    start(
        kFirst, [&] { is_done = true; }, [] {});
  }
  EXPECT_TRUE(is_done);
  release_idle_stacks();
}

// In a process that locks all its memory to come.
TEST(Background, AStackIsGivenWhatIsTouchedAlone) {
  const pid_t child = fork();
  if (child == 0) {
    release_idle_stacks();
    const Limit limit(RLIMIT_STACK, 4 << 20);  // below what users may lock
    if (mlockall(MCL_FUTURE) != 0) _exit(2);
    const auto resident_pages = [] {
      long all = 0;
      long resident = 0;
      std::ifstream("/proc/self/statm") >> all >> resident;
      return resident;
    };
    const long before = resident_pages();
    start(
        kFirst, [] { give_back(); }, [] {});
    _exit(resident_pages() - before < (1 << 20) / sysconf(_SC_PAGESIZE) ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 2) GTEST_SKIP() << "no memory may be locked here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(BackgroundDeathTest, AStackThatOverflowsEndsTheProcess) {
  EXPECT_DEATH(start(
                   kFirst,
                   [] {
                     volatile char much[65 << 20];
                     for (std::size_t i = sizeof much; i-- > 0;) much[i] = 1;
                   },
                   [] {}),
               "");
}

// Who stops threads by signals to look at their stacks knows of no stack but the thread's own.
// Faults are not held back.
TEST(Background, SignalsWaitForTheThreadsStack) {
  static volatile int handled = 0;
  static std::uintptr_t handled_at = 0;
  const auto handler = [](int) {
    int here = 0;
    handled_at = reinterpret_cast<std::uintptr_t>(&here);
    handled = handled + 1;
  };
  for (const int signal : {SIGUSR1, SIGPWR}) std::signal(signal, handler);
  std::vector<int> handled_inside;
  hold_signals(true);
  for (int round = 0; round < 2; ++round) {
    start(
        nullptr,
        [&] {
          std::raise(SIGUSR1);
          handled_inside.push_back(int{handled});
          give_back();
          std::raise(SIGPWR);
          handled_inside.push_back(int{handled});
          sigset_t mask;
          pthread_sigmask(SIG_BLOCK, nullptr, &mask);
          for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}) {
            EXPECT_EQ(sigismember(&mask, fault), 0) << fault;
          }
        },
        [] {});
    EXPECT_EQ(handled, 2 * round + 1);
    EXPECT_TRUE(progress());
    EXPECT_EQ(handled, 2 * round + 2);
  }
  EXPECT_EQ(handled_inside, (std::vector<int>{0, 1, 2, 3}));
  int here = 0;
  const auto at = reinterpret_cast<std::uintptr_t>(&here);
  EXPECT_LT(at > handled_at ? at - handled_at : handled_at - at, 1u << 20);
  hold_signals(false);
  start(
      nullptr,
      [] {
        std::raise(SIGUSR1);
        EXPECT_EQ(handled, 5);
      },
      [] {});
  for (const int signal : {SIGUSR1, SIGPWR}) std::signal(signal, SIG_DFL);
}

// The address sanitizer warns of exceptions on stacks that it does not know.
TEST(Background, StacksAreGivenBackWithoutExceptions) {
  const int before = thrown;
  for (const Order order : {kFirst, kSecond})
    start(
        order, [] { give_back(); }, [] {});
  while (unfinished() != 0) progress();
  release_idle_stacks();
  EXPECT_EQ(thrown, before);
}

}  // namespace
}  // namespace mpiactor::background

// In place of the C++ library's.
extern "C" void __cxa_throw(void* object, void* type, void (*destroy)(void*)) {
  ++mpiactor::background::thrown;
  using Throw = void(void*, void*, void (*)(void*));
  reinterpret_cast<Throw*>(dlsym(RTLD_NEXT, "__cxa_throw"))(object, type, destroy);
  std::abort();
}
