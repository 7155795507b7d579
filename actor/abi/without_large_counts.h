// Functions for large counts that MPI libraries before MPI 4 do not have, by those that they have.
#include <mpi.h>  // before the guard: that of Open MPI ends with this file

#ifndef MPIACTOR_ACTOR_ABI_WITHOUT_LARGE_COUNTS_H_
#define MPIACTOR_ACTOR_ABI_WITHOUT_LARGE_COUNTS_H_

#include <climits>

namespace mpiactor::abi::without_large_counts {

// `count` elements of `type` as a number of elements that fits into an int: where it does not, as
// one element of a type of its own.
class Elements {
 public:
  Elements(MPI_Count count, MPI_Datatype type) : type_(type) {
    if (count <= INT_MAX) {
      count_ = static_cast<int>(count);
      return;
    }
    constexpr MPI_Count kPart = 1 << 30;
    MPI_Aint lower_bound = 0;
    MPI_Aint extent = 0;
    PMPI_Type_get_extent(type, &lower_bound, &extent);
    MPI_Datatype parts[2];
    PMPI_Type_contiguous(kPart, type, &parts[0]);
    PMPI_Type_contiguous(static_cast<int>(count / kPart), parts[0], &parts[1]);
    PMPI_Type_free(&parts[0]);
    // In the order in which they are packed.
    const MPI_Datatype in_order[] = {parts[1], type};
    const int lengths[] = {1, static_cast<int>(count % kPart)};
    const MPI_Aint places[] = {0, count / kPart * kPart * extent};
    PMPI_Type_create_struct(2, lengths, places, in_order, &own_);
    PMPI_Type_free(&parts[1]);
    PMPI_Type_commit(&own_);
    type_ = own_;
    is_own_ = true;
    count_ = 1;
  }
  ~Elements() {
    if (is_own_) PMPI_Type_free(&own_);
  }
  Elements(const Elements&) = delete;
  Elements& operator=(const Elements&) = delete;

  int count() const { return count_; }
  MPI_Datatype type() const { return type_; }

 private:
  int count_ = 1;
  MPI_Datatype type_;
  MPI_Datatype own_{};
  bool is_own_ = false;
};

inline int PMPI_Isend_c(const void* buffer, MPI_Count count, MPI_Datatype type, int to, int tag,
                        MPI_Comm comm, MPI_Request* request) {
  const Elements all(count, type);
  return PMPI_Isend(buffer, all.count(), all.type(), to, tag, comm, request);
}

inline int PMPI_Issend_c(const void* buffer, MPI_Count count, MPI_Datatype type, int to, int tag,
                         MPI_Comm comm, MPI_Request* request) {
  const Elements all(count, type);
  return PMPI_Issend(buffer, all.count(), all.type(), to, tag, comm, request);
}

inline int PMPI_Recv_init_c(void* buffer, MPI_Count count, MPI_Datatype type, int from, int tag,
                            MPI_Comm comm, MPI_Request* request) {
  const Elements all(count, type);
  return PMPI_Recv_init(buffer, all.count(), all.type(), from, tag, comm, request);
}

inline int PMPI_Imrecv_c(void* buffer, MPI_Count count, MPI_Datatype type, MPI_Message* message,
                         MPI_Request* request) {
  const Elements all(count, type);
  return PMPI_Imrecv(buffer, all.count(), all.type(), message, request);
}

inline int PMPI_Sendrecv_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, int to,
                           int send_tag, void* recv, MPI_Count recv_count, MPI_Datatype recv_type,
                           int from, int recv_tag, MPI_Comm comm, MPI_Status* status) {
  const Elements sent(send_count, send_type);
  const Elements received(recv_count, recv_type);
  return PMPI_Sendrecv(send, sent.count(), sent.type(), to, send_tag, recv, received.count(),
                       received.type(), from, recv_tag, comm, status);
}

// Of types whose elements are single ones, as MPI_BYTE.
inline int PMPI_Get_count_c(const MPI_Status* status, MPI_Datatype type, MPI_Count* count) {
  return PMPI_Get_elements_x(status, type, count);
}

inline int PMPI_Type_get_envelope_c(MPI_Datatype type, MPI_Count* integers, MPI_Count* addresses,
                                    MPI_Count* large_counts, MPI_Count* types, int* combiner) {
  int counts[3] = {};
  const int error = PMPI_Type_get_envelope(type, &counts[0], &counts[1], &counts[2], combiner);
  *integers = counts[0];
  *addresses = counts[1];
  *large_counts = 0;
  *types = counts[2];
  return error;
}

inline int PMPI_Type_get_contents_c(MPI_Datatype type, MPI_Count integer_count,
                                    MPI_Count address_count, MPI_Count, MPI_Count type_count,
                                    int* integers, MPI_Aint* addresses, MPI_Count*,
                                    MPI_Datatype* types) {
  return PMPI_Type_get_contents(type, static_cast<int>(integer_count),
                                static_cast<int>(address_count), static_cast<int>(type_count),
                                integers, addresses, types);
}

}  // namespace mpiactor::abi::without_large_counts

#endif  // MPIACTOR_ACTOR_ABI_WITHOUT_LARGE_COUNTS_H_
