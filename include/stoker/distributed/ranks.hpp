#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace stoker {

/// Which process of a run this is.
struct Ranks {
  std::uint64_t rank = 0;
  std::uint64_t world_size = 1;
  std::optional<std::uint64_t> local_rank = {};        ///< among the processes of this machine
  std::optional<std::uint64_t> local_world_size = {};  ///< number of processes on this machine
  /// Where it comes from, for messages: "torchrun", "Open MPI", "PMI", "srun", "RANK and
  /// WORLD_SIZE", "explicit" or "one process".
  std::string origin = "one process";
};

/// Which part of the data a process gets: part `rank` of `world_size`. Ranks that must get the same
/// data (tensor or pipeline parallel) have the same one.
struct DataRanks {
  std::uint64_t rank = 0;
  std::uint64_t world_size = 1;

  friend bool operator==(const DataRanks&, const DataRanks&) = default;
};

/// Looks up an environment variable; nothing where it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// Returns the variable of this process's environment. Not while another thread changes that.
std::optional<std::string> process_environment(const std::string& name);

/// Finds out which process of how many this is: from the arguments, or else from the launcher's
/// environment variables, the innermost launcher's where they are nested:
///
///   1. the arguments `rank` and `world_size`, both or neither;
///   2. RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, as torchrun sets them;
///   3. OMPI_COMM_WORLD_RANK, _SIZE, _LOCAL_RANK and _LOCAL_SIZE: Open MPI;
///   4. PMI_RANK and PMI_SIZE: MPICH and others;
///   5. SLURM_PROCID, SLURM_NTASKS and SLURM_LOCALID, in a step that srun started only: in a batch
///      script or an interactive shell they describe the allocation, not this process;
///   6. none: rank 0 of 1.
///
/// Where RANK and WORLD_SIZE are set but not by torchrun (which sets TORCHELASTIC_RUN_ID too), they
/// must not contradict the launcher that is there: left over from an earlier shell they would make
/// each process rank 0.
/// @throws Error(invalid_argument) for the arguments; Error(bad_environment) for variables that are
/// half set, no numbers, too large or contradict each other. It names them and their values.
/// Source: torchrun's "Environment Variables", Open MPI's and Slurm's manual pages of mpirun and
/// srun; Slurm's step ids above 0xfffffff0 (slurm.h) are of steps that srun did not start.
Ranks find_ranks(std::optional<std::uint64_t> rank = {},
                 std::optional<std::uint64_t> world_size = {},
                 const Environment& environment = process_environment);

}  // namespace stoker
