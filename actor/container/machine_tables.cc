#include "actor/container/machine_tables.h"

#include "actor/comm/agreement.h"

namespace mpiactor {

shm::Segment share_tables(MPI_Comm machine_comm, std::size_t ints,
                          const std::function<void(int* memory, bool writes)>& move,
                          std::string& why) {
  const std::size_t bytes = (ints * sizeof(int) + 4095) / 4096 * 4096;
  shm::Segment segment;
  if (ints == 0) return segment;
  int rank = 0;
  PMPI_Comm_rank(machine_comm, &rank);
  shm::Segment::Address address;
  try {
    if (rank == 0) {
      segment = shm::Segment::create(bytes, bytes);
      move(reinterpret_cast<int*>(segment.data()), true);
      address = segment.address();
    }
  } catch (const shm::SegmentError& error) {
    why = error.what();
  }
  const Agreement agreement(machine_comm);
  agreement.share(&address, sizeof address);
  try {
    if (rank != 0 && address.descriptor >= 0) {
      segment = shm::Segment::attach(address, bytes);
      move(reinterpret_cast<int*>(segment.data()), false);
    }
  } catch (const shm::SegmentError& error) {
    why = error.what();
  }
  agreement.all(true);  // all have attached
  segment.close_descriptor();
  if (segment.size() != 0) segment.make_read_only(0, bytes);
  return segment;
}

}  // namespace mpiactor
