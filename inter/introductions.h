// How the leaders of nodes come to know each other in one request.
#ifndef MPIACTOR_INTER_INTRODUCTIONS_H_
#define MPIACTOR_INTER_INTRODUCTIONS_H_

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "inter/drop_list.h"
#include "inter/messages.h"
#include "inter/rank_map.h"

namespace mpiactor::inter {

class Introductions {
 public:
  // `ranks`: those of leaders in `comm`; must outlive it.
  Introductions(MPI_Comm comm, const RankMap& ranks, std::uint64_t sequence)
      : comm_(comm), ranks_(ranks), sequence_(sequence) {}
  // Gives back receives that are still posted; waits for what was announced, but for what another
  // one finishes.
  ~Introductions();
  Introductions(const Introductions&) = delete;
  Introductions& operator=(const Introductions&) = delete;

  // Says `who` leads to every possible leader of `node`.
  void announce(const Announcement& who, const PossibleLeaders& leaders, int node);
  // `nodes` announcements are to come.
  void listen(int nodes);
  int awaited() const { return awaited_; }
  // Takes those that have come: heard(announcement) returns whether that was the node's last one.
  // True where any has come.
  bool poll(const std::function<bool(const Announcement&)>& heard);
  // Stops listening, with heard() for one that comes right then; returns how many announcements
  // nobody will hear here.
  int close(const std::function<bool(const Announcement&)>& heard = [](const Announcement&) {
    return true;
  });

  // Whether what was announced has left this process.
  bool sent();
  // Leaves it to `drops` to see that it does: that may last until a late rank comes.
  void finish_in(DropList& drops);

 private:
  void receive_next();

  MPI_Comm comm_;
  const RankMap& ranks_;
  std::uint64_t sequence_;
  int awaited_ = 0;
  std::unique_ptr<Announcement> outgoing_;
  std::vector<MPI_Request> outgoing_requests_;
  Announcement incoming_;
  MPI_Request incoming_request_ = MPI_REQUEST_NULL;
};

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_INTRODUCTIONS_H_
