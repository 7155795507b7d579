// CLI11 behind a header without templates of its own, since every source that includes CLI11's
// compiles the whole parser again, which takes 5 to 8 s. What stands here does what its namesake of
// CLI11 does, except where it is said.
#ifndef MPIACTOR_THIRD_PARTY_CLI11_CLI_H_
#define MPIACTOR_THIRD_PARTY_CLI11_CLI_H_

#include <cstddef>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
class Option_group;
class ParseError;
class Validator;
}  // namespace CLI

namespace mpiactor::cli {

// A wrong command line, or one that asks for help.
class ParseError : public std::runtime_error {
 public:
  explicit ParseError(const CLI::ParseError& error);

 private:
  friend class App;
  std::shared_ptr<const CLI::ParseError> error_;
};

class ValidationError : public ParseError {
 public:
  ValidationError(const std::string& option, const std::string& why);
};

class RequiredError : public ParseError {
 public:
  explicit RequiredError(const std::string& option);
};

using Validator = std::shared_ptr<const CLI::Validator>;

// For int and double; a double that is no number is out of range.
template <typename Number>
Validator Range(Number least, Number most);

Validator IsMember(const std::vector<std::string>& allowed);

// Option of an App, which must live as long. It is a pointer to itself, so that options are
// declared as with CLI11:
//   app.add_option("--ranks", ranks, "of a node")->check(Range(1, 8))->required();
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  Option* operator->() { return this; }
  const Option* operator->() const { return this; }

  Option check(const Validator& validator);
  Option capture_default_str();
  Option default_str(const std::string& text);
  Option type_name(const std::string& name);
  Option needs(const Option& other);
  Option excludes(const Option& other);
  Option delimiter(char delimiter);
  Option required();
  Option expected(int least, int most);
  Option envname(const std::string& name);
  std::size_t count() const;
  std::string get_name() const;

 private:
  CLI::Option* option_;
};

// Options of which a number is asked for together.
class OptionGroup {
 public:
  explicit OptionGroup(CLI::Option_group* group) : group_(group) {}

  template <typename Value>
  Option add_option(const std::string& names, Value& value, const std::string& description);
  void require_option(int number);

 private:
  CLI::Option_group* group_;
};

class App {
 public:
  explicit App(const std::string& description, const std::string& name = "");
  ~App();
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  // cli.cc has the list of types.
  template <typename Value>
  Option add_option(const std::string& names, Value& value, const std::string& description = "");
  template <typename Value>
  Option add_flag(const std::string& names, Value& value, const std::string& description);
  OptionGroup add_option_group(const std::string& name, const std::string& description);

  // Not of CLI11: an option whose words, in small letters or capitals, stand for values.
  template <typename Value>
  Option add_choice(const std::string& names, Value& value,
                    const std::vector<std::pair<std::string, Value>>& choices,
                    const std::string& description) {
    std::vector<std::string> words;
    for (const auto& [word, meant] : choices) words.push_back(word);
    return add_word(
        names, words,
        [&value, choices](const std::string& typed) {
          for (const auto& [word, meant] : choices) {
            if (word == typed) value = meant;
          }
        },
        description);
  }

  Option get_option(const std::string& name) const;
  std::size_t count(const std::string& name) const;
  std::string get_name() const;

  // Throws ParseError.
  void parse(int argc, const char* const* argv);

  // Not of CLI11: where the command line is wrong or asks for help says so, and gives the program's
  // exit status.
  std::optional<int> try_parse(int argc, const char* const* argv);

  // Writes what is to be said; returns the program's exit status.
  int exit(const ParseError& error, std::ostream& out = std::cout,
           std::ostream& errors = std::cerr) const;

 private:
  Option add_word(const std::string& names, const std::vector<std::string>& words,
                  const std::function<void(const std::string&)>& take,
                  const std::string& description);

  std::unique_ptr<CLI::App> app_;
};

}  // namespace mpiactor::cli

#endif  // MPIACTOR_THIRD_PARTY_CLI11_CLI_H_
