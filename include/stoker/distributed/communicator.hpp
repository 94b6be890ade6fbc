#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stoker {

/// How the ranks of a run exchange a few bytes, so that they can check that they agree. What stoker
/// needs of a distributed runtime and no more; stoker::mpi has one over MPI, stoker::torch two over
/// c10d.
class Communicator {
 public:
  virtual ~Communicator() = default;

  /// This process's rank, below world_size().
  virtual std::uint64_t rank() const = 0;
  virtual std::uint64_t world_size() const = 0;

  /// Gives this rank's bytes to all ranks and returns every rank's, in rank order. They may be any
  /// bytes, of another length on each rank, also none. Collective: blocks until all ranks have
  /// called it, and all must make their collective calls in the same order. One thread at a time.
  /// @throws Error(communication_error) where the exchange fails. It may have failed on some ranks
  /// only, so the communicator is of no use afterwards.
  virtual std::vector<std::string> all_gather(const std::string& mine) = 0;
};

}  // namespace stoker
