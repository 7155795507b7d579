// The torus that the nodes of a job lie on, as MPIACTOR_TORUS says it.
#ifndef MPIACTOR_ACTOR_CONTAINER_TORUS_H_
#define MPIACTOR_ACTOR_CONTAINER_TORUS_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "inter/int_table.h"
#include "inter/tofu_algos/torus.h"

namespace mpiactor {

// Coordinates by host take memory for each node. It is text, which a machine's ranks can share, and
// which is read again for each communicator.
class Torus {
 public:
  Torus() = default;
  // `file_text`: what the file holds, for "file:PATH". Throws std::invalid_argument.
  static Torus parse(std::string_view text, std::string file_text);

  // Of each node of the job; with "file:PATH".
  void set_hosts(std::span<const std::string> hosts);
  // Why the nodes of the job have no places, so that it is taken as a line; empty where they have.
  // Throws std::exception where the setting or the file cannot be meant for this job.
  std::string check(int nodes) const;

  // Where the nodes of a communicator lie: on the torus where they fill it (or a box of it), else
  // on a line. `world_nodes`: which node of the job each is. The same on every rank.
  inter::TorusView view(std::span<const int> world_nodes) const;

  // As NodeLayout's.
  std::size_t table_ints() const { return text_.size(); }
  int* move_table(int* memory, bool writes) {
    return is_file_ ? text_.move_to(memory, writes) : memory;
  }

 private:
  inter::TorusView view_by_file(std::span<const int> world_nodes) const;

  bool factored_ = false;              // "auto"
  std::optional<inter::Shape> shape_;  // "8x6x8"
  bool is_file_ = false;               // "file:PATH"
  std::string path_;
  std::size_t file_bytes_ = 0;
  std::size_t hosts_bytes_ = 0;
  inter::IntTable text_;  // the file's, then the hosts', a line each
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_TORUS_H_
