// An application as a user runs it, under the launcher: what the tests of asp and vcc share.
#ifndef MPIACTOR_TESTS_APPS_PROGRAM_H_
#define MPIACTOR_TESTS_APPS_PROGRAM_H_

#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>
#include <vector>

namespace mpiactor::testing {

// A path in the test's own folder.
std::string temporary(const std::string& name);
std::string contents(const std::string& path);
// Writes a file of this text and returns its path.
std::string file_with(const std::string& name, const std::string& text);
// How often `part` is in `text`.
int occurrences(const std::string& text, const std::string& part);

struct Outcome {
  int exit_status = -1;
  std::string output;
  std::string errors;
};

struct BadCall {
  const char* name;
  const char* arguments;
  int exit_status;
  const char* message;
};
std::ostream& operator<<(std::ostream& out, const BadCall& call);

// Of another input or way to work on it, and how the message says what differs.
struct OtherWork {
  std::string arguments;
  std::string message;
};

struct Program {
  std::string name;
  std::string result_mark;  // is in the output where there are results

  Outcome run(int ranks, const std::string& arguments) const;

  // One message, whatever the number of ranks, and no results.
  void expect_failure_once(const std::string& arguments, int exit_status,
                           const std::string& message) const;

  // With --computing asleep: steps of these kinds are timed, and these results are null. The input
  // has seed 4.
  void expect_asleep(int ranks, const std::string& input, const std::vector<std::string>& kinds,
                     const std::vector<std::string>& results) const;
  // --costs takes them from an earlier run's report, of as many ranks on the same work alone.
  void expect_costs_of_an_earlier_run(const std::string& input,
                                      const std::vector<OtherWork>& others) const;

  // Where ranks cannot print, --help and a run on `input` fail with one message, and the report is
  // written all the same.
  void expect_failure_where_printing_fails(const std::string& input) const;

  // What every report of an ordinary run of two ranks says.
  static void expect_report(const nlohmann::json& report, const std::vector<std::string>& parts);
};

// What every application refuses.
std::vector<BadCall> bad_calls_of_all();

}  // namespace mpiactor::testing

#endif  // MPIACTOR_TESTS_APPS_PROGRAM_H_
