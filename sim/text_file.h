// Texts as files.
#ifndef MPIACTOR_SIM_TEXT_FILE_H_
#define MPIACTOR_SIM_TEXT_FILE_H_

#include <string>

namespace mpiactor::sim {

// "-": standard output. Throws InputError, which begins with `option` and `path`, where not all can
// be written.
void write_text(const std::string& text, const std::string& option, const std::string& path);

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_TEXT_FILE_H_
