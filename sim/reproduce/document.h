// The page that the reproduction writes: text, tables, pictures, and a summary of what was aimed
// at.
#ifndef MPIACTOR_SIM_REPRODUCE_DOCUMENT_H_
#define MPIACTOR_SIM_REPRODUCE_DOCUMENT_H_

#include <string>
#include <vector>

#include "sim/plot.h"

namespace mpiactor::sim {

class Document {
 public:
  // Writes FOLDER/reproduction.md and pictures under FOLDER/reproduction/.
  explicit Document(std::string folder);

  void heading(const std::string& text);
  void subheading(const std::string& text);
  void paragraph(const std::string& text);
  void table(const std::vector<std::string>& header,
             const std::vector<std::vector<std::string>>& rows);
  // `name` without folder and ending.
  void picture(const Plot& plot, const std::string& name);
  // A line of the summary; `reason` explains a deviation, also one inside the limit.
  void target(const std::string& what, const std::string& found, const std::string& wanted,
              bool met, const std::string& reason);

  void write() const;
  bool all_met() const { return all_met_; }

 private:
  std::string folder_;
  std::string body_;
  std::vector<std::vector<std::string>> targets_;
  bool all_met_ = true;
};

// What a page and pictures written to `folder` have that those in `kept` have not: each section,
// line of the summary and picture by name. The page may be a part of the kept one. Of pictures that
// another version of gnuplot has drawn the texts alone are compared.
std::vector<std::string> differences(const std::string& folder, const std::string& kept);

// Four significant digits, "13.5e3"-free.
std::string number(double value);
// "+3.9 %".
std::string deviation(double value, double reference);

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_REPRODUCE_DOCUMENT_H_
