// Files that a program writes by the way of its work.
#ifndef MPIACTOR_APPS_COMMON_OUTPUT_FILE_H_
#define MPIACTOR_APPS_COMMON_OUTPUT_FILE_H_

#include <cstddef>
#include <fstream>
#include <string>
#include <vector>

namespace mpiactor::apps {

struct NamedFile {
  std::string option;
  std::string path;  // empty: not given
};

// Throws std::runtime_error that names two options whose file is one, where the later one is
// written.
void refuse_lost_files(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs);

// Failures to write are remembered and reported by finish(), so that work can go on.
class OutputFile {
 public:
  // Opens `path`, which `option` gave, before the work, so that a wrong path costs no time. What is
  // there stays until something is written. Throws std::runtime_error that names both.
  OutputFile(const std::string& option, const std::string& path);

  void write(const void* data, std::size_t bytes);
  void write(const std::string& text) { write(text.data(), text.size()); }
  // Throws std::runtime_error that names option and path where anything could not be written.
  void finish();
  void finish(const std::string& text);  // after writing it

 private:
  void begin();  // empties the file, once

  std::string label_;
  std::string path_;
  std::ofstream file_;
  bool has_begun_ = false;
};

}  // namespace mpiactor::apps

#endif  // MPIACTOR_APPS_COMMON_OUTPUT_FILE_H_
