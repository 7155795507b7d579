#include "tests/differential/step.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace differential {

namespace {

int world_rank_of_process = 0;
// What each thread does, complete lines that a signal handler can write.
std::array<std::array<char, 1024>, 2> places = {};

void say_places(int) {
  for (const auto& place : places)
    if (write(STDERR_FILENO, place.data(), std::strlen(place.data())) < 0) return;
}

// The default action comes next: the signal is delivered again.
void say_places_and_die(int number) {
  say_places(number);
  raise(number);
}

}  // namespace

Step::Step(const Options& all_options, std::uint64_t program, int step_number, int world_rank,
           int thread_number)
    : options(all_options),
      key(key_of({program, static_cast<std::uint64_t>(step_number)})),
      number(step_number),
      thread(thread_number),
      shared(mix(key)),
      own(key_of({key, static_cast<std::uint64_t>(world_rank) + 1})) {}

void Step::maybe_sleep() {
  const bool sleeps = own.one_in(6);
  const int us = own.one_in(4) ? own.below(3000) : own.below(200);
  if (sleeps && has("sleep")) usleep(static_cast<useconds_t>(us));
}

void enter(int thread, const std::string& where) {
  auto& place = places[static_cast<std::size_t>(thread)];
  const std::string line =
      fmt::format("differential: rank {} is at {}\n", world_rank_of_process, where)
          .substr(0, place.size() - 1);
  std::copy(line.c_str(), line.c_str() + line.size() + 1, place.begin());
}

void say_where_on_signal(int world_rank) {
  world_rank_of_process = world_rank;
  struct sigaction action = {};
  action.sa_handler = say_places;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
  action.sa_handler = say_places_and_die;
  action.sa_flags = SA_RESETHAND;
  for (const int number : {SIGABRT, SIGBUS, SIGFPE, SIGSEGV}) sigaction(number, &action, nullptr);
}

void fail(const std::string& where, const std::string& what) {
  const std::string line =
      fmt::format("differential: FAILED rank {} at {}: {}\n", world_rank_of_process, where, what);
  if (write(STDERR_FILENO, line.data(), line.size()) >= 0) fsync(STDERR_FILENO);
  MPI_Abort(MPI_COMM_WORLD, 3);
  _exit(3);
}

void require_success(int error, const std::string& where) {
  if (error == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text = {};
  int length = 0;
  MPI_Error_string(error, text.data(), &length);
  fail(where, fmt::format("an MPI call returned an error: {}", text.data()));
}

std::string where(const Step& step) {
  return fmt::format("step {}: {}{}{}", step.number, step.text, step.own_text.empty() ? "" : "; ",
                     step.own_text);
}

}  // namespace differential
