#include "third_party/cli11/cli.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

namespace mpiactor::cli {

ParseError::ParseError(const CLI::ParseError& error)
    : std::runtime_error(error.what()), error_(std::make_shared<CLI::ParseError>(error)) {}

ValidationError::ValidationError(const std::string& option, const std::string& why)
    : ParseError(CLI::ValidationError(option, why)) {}

RequiredError::RequiredError(const std::string& option) : ParseError(CLI::RequiredError(option)) {}

template <typename Number>
Validator Range(Number least, Number most) {
  const CLI::Range range(least, most);
  const auto refusal = [range](std::string& text) {
    const std::string problem = range(text);
    if (!problem.empty() || !std::is_floating_point_v<Number>) return problem;
    if (!std::isnan(std::strtod(text.c_str(), nullptr))) return problem;
    return "Value " + text + " not in range";
  };
  return std::make_shared<CLI::Validator>(refusal, range.get_description());
}

template Validator Range(int, int);
template Validator Range(double, double);

Validator IsMember(const std::vector<std::string>& allowed) {
  return std::make_shared<CLI::IsMember>(allowed);
}

Option Option::check(const Validator& validator) {
  option_->check(*validator);
  return *this;
}

Option Option::capture_default_str() {
  option_->capture_default_str();
  return *this;
}

Option Option::default_str(const std::string& text) {
  option_->default_str(text);
  return *this;
}

Option Option::type_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Option Option::needs(const Option& other) {
  option_->needs(other.option_);
  return *this;
}

Option Option::excludes(const Option& other) {
  option_->excludes(other.option_);
  return *this;
}

Option Option::delimiter(char delimiter) {
  option_->delimiter(delimiter);
  return *this;
}

Option Option::required() {
  option_->required();
  return *this;
}

Option Option::expected(int least, int most) {
  option_->expected(least, most);
  return *this;
}

Option Option::envname(const std::string& name) {
  option_->envname(name);
  return *this;
}

std::size_t Option::count() const { return option_->count(); }

std::string Option::get_name() const { return option_->get_name(); }

template <typename Value>
Option OptionGroup::add_option(const std::string& names, Value& value,
                               const std::string& description) {
  return Option(group_->add_option(names, value, description));
}

void OptionGroup::require_option(int number) { group_->require_option(number); }

App::App(const std::string& description, const std::string& name)
    : app_(std::make_unique<CLI::App>(description, name)) {}

App::~App() = default;

template <typename Value>
Option App::add_option(const std::string& names, Value& value, const std::string& description) {
  return Option(app_->add_option(names, value, description));
}

template <typename Value>
Option App::add_flag(const std::string& names, Value& value, const std::string& description) {
  return Option(app_->add_flag(names, value, description));
}

OptionGroup App::add_option_group(const std::string& name, const std::string& description) {
  return OptionGroup(app_->add_option_group(name, description));
}

Option App::add_word(const std::string& names, const std::vector<std::string>& words,
                     const std::function<void(const std::string&)>& take,
                     const std::string& description) {
  return Option(app_->add_option_function<std::string>(names, take, description)
                    ->transform(CLI::IsMember(words, CLI::ignore_case)));
}

Option App::get_option(const std::string& name) const { return Option(app_->get_option(name)); }

std::size_t App::count(const std::string& name) const { return app_->count(name); }

std::string App::get_name() const { return app_->get_name(); }

void App::parse(int argc, const char* const* argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    throw ParseError(error);
  }
}

std::optional<int> App::try_parse(int argc, const char* const* argv) {
  try {
    parse(argc, argv);
    return std::nullopt;
  } catch (const ParseError& error) {
    return exit(error);
  }
}

int App::exit(const ParseError& error, std::ostream& out, std::ostream& errors) const {
  return app_->exit(*error.error_, out, errors);
}

template Option App::add_option(const std::string&, int&, const std::string&);
template Option App::add_option(const std::string&, unsigned&, const std::string&);
template Option App::add_option(const std::string&, std::int64_t&, const std::string&);
template Option App::add_option(const std::string&, std::uint64_t&, const std::string&);
template Option App::add_option(const std::string&, double&, const std::string&);
template Option App::add_option(const std::string&, std::string&, const std::string&);
template Option App::add_option(const std::string&, std::optional<double>&, const std::string&);
template Option App::add_option(const std::string&, std::vector<double>&, const std::string&);
template Option App::add_option(const std::string&, std::vector<std::string>&, const std::string&);
template Option App::add_flag(const std::string&, bool&, const std::string&);
template Option App::add_flag(const std::string&, std::string&, const std::string&);
template Option OptionGroup::add_option(const std::string&, int&, const std::string&);
template Option OptionGroup::add_option(const std::string&, std::string&, const std::string&);

}  // namespace mpiactor::cli
