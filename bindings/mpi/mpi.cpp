#include <stoker/mpi.hpp>

#include "bindings/mpi/gather_layout.hpp"
#include <stoker/core/error.hpp>

#include <array>

namespace stoker {
namespace {

void check(int status, const std::string& call) {
  if (status == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(status, text.data(), &length);
  throw Error(ErrorCode::communication_error,
              call + " failed: " + std::string(text.data(), static_cast<std::size_t>(length)));
}

bool is_finalised() {
  int finalised = 0;
  check(MPI_Finalized(&finalised), "MPI_Finalized");
  return finalised != 0;
}

void check_initialised() {
  int initialised = 0;
  check(MPI_Initialized(&initialised), "MPI_Initialized");
  if (initialised == 0)
    throw Error(ErrorCode::invalid_state,
                "MPI is not initialised: call MPI_Init_thread with MPI_THREAD_FUNNELED first");
  if (is_finalised())
    throw Error(ErrorCode::invalid_state,
                "MPI has been finalised: MPI_Finalize must come after the last use of it");
}

void check_thread() {
  int level = MPI_THREAD_SINGLE;
  check(MPI_Query_thread(&level), "MPI_Query_thread");
  if (level < MPI_THREAD_FUNNELED)
    throw Error(ErrorCode::invalid_state,
                "MPI is initialised with MPI_THREAD_SINGLE, for programs without threads, and a "
                "loader has threads: call MPI_Init_thread with MPI_THREAD_FUNNELED");
  int is_main = 0;
  check(MPI_Is_thread_main(&is_main), "MPI_Is_thread_main");
  if (level == MPI_THREAD_FUNNELED && is_main == 0)
    throw Error(ErrorCode::invalid_state,
                "MPI is initialised with MPI_THREAD_FUNNELED, so only the thread that did it may "
                "use it: call from there, or initialise with MPI_THREAD_SERIALIZED");
}

void check_usable() {
  check_initialised();
  check_thread();
}

void check_argument(MPI_Comm communicator) {
  if (communicator == MPI_COMM_NULL)
    throw Error(ErrorCode::invalid_argument, "the MPI communicator is MPI_COMM_NULL");
  int is_inter = 0;
  check(MPI_Comm_test_inter(communicator, &is_inter), "MPI_Comm_test_inter");
  if (is_inter != 0)
    throw Error(ErrorCode::invalid_argument,
                "the MPI communicator joins two groups; the ranks of one run are one group");
}

std::uint64_t size_of(MPI_Comm communicator) {
  int size = 0;
  check(MPI_Comm_size(communicator, &size), "MPI_Comm_size");
  return static_cast<std::uint64_t>(size);
}

std::uint64_t rank_in(MPI_Comm communicator) {
  int rank = 0;
  check(MPI_Comm_rank(communicator, &rank), "MPI_Comm_rank");
  return static_cast<std::uint64_t>(rank);
}

}  // namespace

MpiCommunicator::MpiCommunicator(MPI_Comm communicator) {
  check_usable();
  check_argument(communicator);
  world_size_ = size_of(communicator);
  rank_ = rank_in(communicator);
  check(MPI_Comm_dup(communicator, &communicator_), "MPI_Comm_dup");
  // Or MPI would end the program instead of returning a status. It cannot fail here.
  MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);
}

MpiCommunicator::~MpiCommunicator() {
  int finalised = 0;
  MPI_Finalized(&finalised);
  if (finalised == 0) MPI_Comm_free(&communicator_);
}

std::vector<std::string> MpiCommunicator::all_gather(const std::string& mine) {
  check_usable();
  const std::uint64_t size = mine.size();
  std::vector<std::uint64_t> sizes(world_size_);
  check(MPI_Allgather(&size, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, communicator_),
        "MPI_Allgather");
  const GatherLayout layout = gather_layout(sizes);
  std::string gathered(layout.total, '\0');
  check(MPI_Allgatherv(mine.data(), layout.counts[rank_], MPI_BYTE, gathered.data(),
                       layout.counts.data(), layout.offsets.data(), MPI_BYTE, communicator_),
        "MPI_Allgatherv");
  return split(gathered, layout);
}

}  // namespace stoker
