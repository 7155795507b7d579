// Communicators, made in every way that MPI has, in a few places that steps name by number.
#ifndef MPIACTOR_TESTS_DIFFERENTIAL_COMMUNICATORS_H_
#define MPIACTOR_TESTS_DIFFERENTIAL_COMMUNICATORS_H_

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/differential/step.h"

namespace differential {

// A receive from anybody with any tag that is pending as long as the communicator lives. It must
// see nothing but the message that the rank before this one sends in the end.
struct Wildcard {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Request sent = MPI_REQUEST_NULL;
  int heard = 0;
  int told = 0;
};

struct Communicator {
  MPI_Comm comm = MPI_COMM_NULL;
  std::vector<int> members;  // ranks of the program's world, in the communicator's order
  int rank = 0;
  std::string made;  // how
  bool freed_in_the_end = true;
  bool has_attribute = false;
  std::unique_ptr<Wildcard> wildcard;

  int size() const { return static_cast<int>(members.size()); }
};

// Two groups; `remote` are the other one's members.
struct InterCommunicator {
  MPI_Comm comm = MPI_COMM_NULL;
  std::vector<int> local;
  std::vector<int> remote;
  int rank = 0;
  bool is_first = false;  // of the two groups
};

// Every maker is called by all members of `parent`; null where this rank is not a member of what is
// made.
std::unique_ptr<Communicator> whole_world(MPI_Comm world);
std::unique_ptr<Communicator> make_communicator(Step& step, Communicator& parent);
std::unique_ptr<InterCommunicator> make_inter_communicator(Step& step, Communicator& parent);

// A delete callback that calls collectives is set on the communicator.
void set_attribute(Communicator& communicator);

// Posts the receive; looks that it has seen nothing; lets it have its message, and completes it.
void begin_wildcard(Communicator& communicator);
void look_at_wildcard(Communicator& communicator, const std::string& where);
void answer_wildcard(Communicator& communicator);
void complete_wildcard(Wildcard& wildcard, const std::string& where);

void free_communicator(Communicator& communicator, const std::string& where);

}  // namespace differential

#endif  // MPIACTOR_TESTS_DIFFERENTIAL_COMMUNICATORS_H_
