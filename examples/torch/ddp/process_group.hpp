#pragma once

#include <stoker/distributed/ranks.hpp>

#include <c10/core/Device.h>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <torch/version.h>
#if TORCH_VERSION_MAJOR >= 2
#include <torch/csrc/distributed/c10d/Backend.hpp>
#else
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#endif

#include <functional>

namespace examples {

/// What ProcessGroupGloo and ProcessGroupNCCL have in common.
#if TORCH_VERSION_MAJOR >= 2
using ProcessGroup = c10d::Backend;
#else
using ProcessGroup = c10d::ProcessGroup;
#endif
using ProcessGroupPtr = c10::intrusive_ptr<ProcessGroup>;
using StorePtr = c10::intrusive_ptr<c10d::Store>;

/// Makes the group of all ranks: of NCCL for CUDA, of Gloo for the CPU.
/// @throws stoker::Error(unsupported) where LibTorch, or this build, has it not.
ProcessGroupPtr make_group(const StorePtr& store, const stoker::Ranks& ranks, c10::Device device);

/// Ends a group in which nothing is under way any more, where LibTorch has that; NCCL's warns
/// otherwise when the program ends. Collective.
void shut_down(ProcessGroup& group);

/// What a rank does. Returns its exit status.
using RankMain = std::function<int(const stoker::Ranks& ranks, const StorePtr& store)>;

/// Where a launcher such as torchrun started this process, runs its rank, which finds the others
/// at MASTER_ADDR and MASTER_PORT. Otherwise starts so many ranks as child processes: to be called
/// before this process has threads or has used a GPU. Returns 0 where all ranks did; where one
/// fails the others are ended. Tells stderr which rank a signal ended.
int run_ranks(int world_size, const RankMain& rank_main);

}  // namespace examples
