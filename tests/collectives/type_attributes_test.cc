// Datatypes with attributes: the runtime never calls the application's functions that copy them,
// even where a call outlives the application's handle; those that delete them are called once.
#include <string>

#include "tests/collectives/harness.h"
#include "tests/persistent_names.h"

namespace {

using namespace mpiactor::testing;

int copies = 0;
int deletions = 0;

int refuse_copy(MPI_Datatype, int, void*, void*, void*, int*) {
  ++copies;
  return MPI_ERR_OTHER;
}
int note_deletion(MPI_Datatype, int, void*, void*) {
  ++deletions;
  return MPI_SUCCESS;
}

// Every second word of five.
MPI_Datatype make_type(int keyval) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(3, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Type_set_attr(type, keyval, nullptr);
  return type;
}

void expect_words(const int* words, int expected) {
  for (int i = 0; i < 5; ++i) {
    if (words[i] != (i % 2 == 0 ? expected : -1)) fail("word " + std::to_string(i));
  }
}

enum class Form { kBlocking, kNonblocking, kPersistent };

void broadcast(const Group& world, int root, Form form, int keyval) {
  MPI_Datatype type = make_type(keyval);
  const int given = world.rank == root ? 42 + root : 0;
  int words[] = {given, -1, given, -1, given};
  MPI_Request request = MPI_REQUEST_NULL;
  if (form == Form::kBlocking) {
    MPI_Bcast(words, 1, type, root, world.comm);
    MPI_Type_free(&type);
  } else if (form == Form::kNonblocking) {
    MPI_Ibcast(words, 1, type, root, world.comm, &request);
    MPI_Type_free(&type);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Bcast_init(words, 1, type, root, world.comm, MPI_INFO_NULL, &request);
    MPI_Type_free(&type);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
  }
  expect_words(words, 42 + root);
}

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv);
  const Group& world = job.world();
  // On one rank alone, too: what only it has must not part it from the others.
  const bool has_callbacks = world.rank != 0;
  int keyval = MPI_KEYVAL_INVALID;
  MPI_Type_create_keyval(has_callbacks ? refuse_copy : MPI_TYPE_NULL_COPY_FN,
                         has_callbacks ? note_deletion : MPI_TYPE_NULL_DELETE_FN, &keyval, nullptr);
  int calls = 0;
  for (std::uint64_t round = 0; round < 20; ++round) {
    job.goes_on(round);  // the leaders of this round
    for (const Form form : {Form::kBlocking, Form::kNonblocking, Form::kPersistent}) {
      broadcast(world, calls++ % world.size, form, keyval);
    }
  }
  MPI_Barrier(world.comm);
  if (copies != 0) fail(std::to_string(copies) + " attributes were copied");
  if (deletions != (has_callbacks ? calls : 0)) {
    fail(std::to_string(deletions) + " attributes were deleted in " + std::to_string(calls) +
         " calls");
  }
  MPI_Type_free_keyval(&keyval);
  return 0;
}
