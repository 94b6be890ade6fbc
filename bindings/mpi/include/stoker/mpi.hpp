#pragma once

#include <stoker/distributed/communicator.hpp>

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

namespace stoker {

/// A Communicator over MPI. Its messages keep to a duplicate of the communicator it is given, so
/// they never meet the program's own. MPI is the program's to initialise, with MPI_Init_thread and
/// at least MPI_THREAD_FUNNELED (a loader has threads, which make no MPI calls), and to finalise
/// after this object is gone.
///
/// With MPI_THREAD_FUNNELED it is used by the thread that initialised MPI, otherwise by one thread
/// at a time.
class MpiCommunicator final : public Communicator {
 public:
  /// Duplicates `communicator`, e.g. MPI_COMM_WORLD. Collective over it.
  /// @throws Error(invalid_state) where MPI is not initialised, is finalised already or is
  /// initialised with too low a thread level; Error(invalid_argument) for MPI_COMM_NULL or an
  /// inter-communicator; Error(communication_error) with MPI's own words where MPI fails.
  explicit MpiCommunicator(MPI_Comm communicator);
  /// Frees the duplicate, unless MPI has been finalised already.
  ~MpiCommunicator() override;
  MpiCommunicator(const MpiCommunicator&) = delete;
  MpiCommunicator& operator=(const MpiCommunicator&) = delete;

  std::uint64_t rank() const override { return rank_; }
  std::uint64_t world_size() const override { return world_size_; }
  /// @throws as the constructor; Error(unsupported), on every rank, where the bytes of all ranks
  /// are more than MPI counts (2^31 - 1).
  std::vector<std::string> all_gather(const std::string& mine) override;

 private:
  MPI_Comm communicator_ = MPI_COMM_NULL;
  std::uint64_t rank_ = 0;
  std::uint64_t world_size_ = 1;
};

}  // namespace stoker
