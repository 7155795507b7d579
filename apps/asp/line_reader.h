// Lines of a text file cut into fields, with errors that name file and line.
#ifndef MPIACTOR_APPS_ASP_LINE_READER_H_
#define MPIACTOR_APPS_ASP_LINE_READER_H_

#include <cstdint>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "apps/asp/graph.h"

namespace mpiactor::asp {

class LineReader {
 public:
  LineReader(std::istream& input, std::string name);

  // Goes to the next line; false at the end of the file. Throws GraphError on a read error.
  bool next();

  const std::string& line() const { return line_; }
  // Parts of the line between blanks (a carriage return is a blank); valid until the next line.
  const std::vector<std::string_view>& fields() const { return fields_; }

  // Throws GraphError "name:line: message".
  [[noreturn]] void fail(const std::string& message) const;

  // Fields as numbers; fail() where the field is not a number in range. `what` names the field.
  std::int64_t count(std::size_t field, std::string_view what) const;  // 0 .. 2^31 - 1
  // A vertex counted from 1 in the file, from 0 in the result.
  std::int32_t vertex(std::size_t field, std::int32_t vertices) const;
  Distance length(std::size_t field) const;
  // The same for a real number, which must be whole.
  Distance real_length(std::size_t field) const;

 private:
  std::istream& input_;
  std::string name_;
  std::int64_t number_ = 0;
  std::string line_;
  std::vector<std::string_view> fields_;
};

}  // namespace mpiactor::asp

#endif  // MPIACTOR_APPS_ASP_LINE_READER_H_
