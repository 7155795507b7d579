// More than 2 GiB in one broadcast: as many elements of a type, which with --gaps has some at the
// root alone, and, where the library has them, as a large count. The message repeats itself behind
// its first part and before its last one, and there each rank has one and the same memory over and
// over. So it needs little, and whatever goes amiss by 2 or 4 GiB is seen.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "tests/actor/collectives/mpi_check.h"

namespace {

using mpiactor::testing::fail;

constexpr std::size_t kRow = 6144;  // words
constexpr std::size_t kGap = 2;     // behind each row
constexpr std::size_t kPartRows = 512;
constexpr std::size_t kPartWords = kPartRows * kRow;  // 24 MiB, which do not divide 2 GiB
constexpr std::size_t kParts = 86;
constexpr std::size_t kWords = kParts * kPartWords;
static_assert(kWords * 8 > std::size_t{2} << 30);

// The first, those that are alike, the last.
constexpr std::size_t kDifferentParts = 3;
constexpr std::size_t different(std::size_t part) {
  return part == 0 ? 0 : part + 1 < kParts ? 1 : 2;
}

std::uint64_t mark(std::size_t part, std::size_t word, int call) {
  return ((different(part) * kPartWords + word) * 256 + static_cast<unsigned>(call) + 1) *
         0x9e3779b97f4a7c15u;
}

// All parts, behind one another.
class Message {
 public:
  explicit Message(std::size_t gap) : row_(kRow + gap), part_bytes_(kPartRows * row_ * 8) {
    const int file = memfd_create("message", 0);
    void* const all = mmap(nullptr, kParts * part_bytes_, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    bool is_there = file >= 0 && all != MAP_FAILED &&
                    ftruncate(file, static_cast<off_t>(kDifferentParts * part_bytes_)) == 0;
    for (std::size_t part = 0; part < kParts && is_there; ++part) {
      is_there = mmap(static_cast<std::byte*>(all) + part * part_bytes_, part_bytes_,
                      PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE, file,
                      static_cast<off_t>(different(part) * part_bytes_)) != MAP_FAILED;
    }
    if (!is_there) fail(__FILE__, __LINE__, "no memory");
    close(file);
    words_ = static_cast<std::uint64_t*>(all);
  }
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;
  ~Message() { munmap(words_, kParts * part_bytes_); }

  std::uint64_t* data() const { return words_; }

  // visit(PART, WORD, where it lies), of parts that differ.
  template <typename Visit>
  void for_each_word(Visit&& visit) const {
    for (const std::size_t part : {std::size_t{0}, kParts / 2, kParts - 1}) {
      std::uint64_t* const begin = words_ + part * part_bytes_ / 8;
      for (std::size_t word = 0; word < kPartWords; ++word) {
        visit(part, word, begin[word / kRow * row_ + word % kRow]);
      }
    }
  }

 private:
  std::size_t row_;
  std::size_t part_bytes_;
  std::uint64_t* words_ = nullptr;
};

// Has the message broadcast by bcast(root).
template <typename Bcast>
void broadcast(const Message& message, int rank, int root, const char* what, Bcast&& bcast) {
  if (rank == root) {
    message.for_each_word([&](std::size_t part, std::size_t word, std::uint64_t& value) {
      value = mark(part, word, root);
    });
  }
  bcast(root);
  message.for_each_word([&](std::size_t part, std::size_t word, const std::uint64_t& value) {
    if (value != mark(part, word, root)) {
      CHECK_EQUAL(
          value, mark(part, word, root),
          std::string(what) + ", part " + std::to_string(part) + ", word " + std::to_string(word));
    }
  });
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const bool has_gaps = argc > 1 && argv[1] == std::string_view("--gaps");
  {
    const std::size_t gap = has_gaps && rank == 0 ? kGap : 0;
    const Message message(gap);
    MPI_Datatype row, type;
    MPI_Type_contiguous(kRow, MPI_UINT64_T, &row);
    MPI_Type_create_resized(row, 0, (kRow + gap) * 8, &type);
    MPI_Type_commit(&type);
    broadcast(message, rank, 0, "rows", [&](int root) {
      MPI_Bcast(message.data(), kParts * kPartRows, type, root, MPI_COMM_WORLD);
    });
    MPI_Type_free(&type);
    MPI_Type_free(&row);
  }
#if MPI_VERSION >= 4
  const Message message(0);
  broadcast(message, rank, 1, "large count", [&](int root) {
    MPI_Bcast_c(message.data(), static_cast<MPI_Count>(kWords) * 8, MPI_BYTE, root, MPI_COMM_WORLD);
  });
#endif
  MPI_Finalize();
  return 0;
}
