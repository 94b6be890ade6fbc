#pragma once

#include <stoker/core/error.hpp>
#include <stoker/distributed/communicator.hpp>
#include <stoker/distributed/ranks.hpp>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/util/intrusive_ptr.h>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace stoker::torch {

/// What c10d calls a process group: c10d::ProcessGroup, as of LibTorch 2 also c10d::Backend, and
/// what derives from them, such as ProcessGroupGloo and ProcessGroupNCCL.
template <class Group>
concept C10dGroup = requires(Group& group, std::vector<std::vector<at::Tensor>>& all,
                             std::vector<at::Tensor>& mine) {
  { group.getRank() } -> std::convertible_to<std::int64_t>;
  { group.getSize() } -> std::convertible_to<std::int64_t>;
  group.allgather(all, mine)->wait();
};

namespace detail {
/// @throws Error(invalid_argument) where these are no rank and world size.
Ranks ranks_in_group(std::int64_t rank, std::int64_t size);
}  // namespace detail

/// Returns rank and world size as the group has them. The group of the ranks that have different
/// data (data parallel) gives a loader's `rank` and `world_size`; for a group of all ranks see
/// data_ranks(). Which process of its machine this is no group knows: find_ranks() does.
/// @throws Error(invalid_argument) for a null pointer.
template <C10dGroup Group>
Ranks ranks_of(const c10::intrusive_ptr<Group>& group) {
  if (!group) throw Error(ErrorCode::invalid_argument, "the process group is a null pointer");
  return detail::ranks_in_group(group->getRank(), group->getSize());
}

/// A Communicator over a process group. Its messages go over the group itself: the calls that make
/// use of it (`agree`, a loader's construction, loading a state) and the program's own collectives
/// on the group must come in the same order on all ranks. How long a rank is waited for is the
/// group's own timeout.
///
/// Shares the ownership of the group. Used by one thread at a time.
class ProcessGroupCommunicator final : public Communicator {
 public:
  /// @param device  where the group wants its tensors: the CPU for Gloo and MPI and for a
  ///                c10d::ProcessGroup that has one of them for the CPU ("cpu:gloo,cuda:nccl"); for
  ///                NCCL alone this rank's own GPU, which no other rank may have. There a call
  ///                waits on the host for the device's current stream, and a rank that never comes
  ///                ends as NCCL groups do: their watchdog ends the process at the group's timeout,
  ///                unless TORCH_NCCL_BLOCKING_WAIT=1 asks for an error.
  /// @throws Error(invalid_argument) for a null pointer.
  template <C10dGroup Group>
  explicit ProcessGroupCommunicator(c10::intrusive_ptr<Group> group, at::Device device = at::kCPU)
      : ranks_(ranks_of(group)),
        device_(device),
        all_gather_([group = std::move(group)](auto& all, auto& mine) {
          return group->allgather(all, mine)->wait();
        }) {}

  std::uint64_t rank() const override { return ranks_.rank; }
  std::uint64_t world_size() const override { return ranks_.world_size; }
  /// Takes world_size times the bytes of the longest message, on the host and on the device.
  /// @throws Error(communication_error) with the group's own words.
  std::vector<std::string> all_gather(const std::string& mine) override;

 private:
  /// Gathers tensors of the same shape on all ranks. Returns whether the group did.
  using AllGather =
      std::function<bool(std::vector<std::vector<at::Tensor>>& all, std::vector<at::Tensor>& mine)>;

  std::vector<at::Tensor> gather(const at::Tensor& mine);
  std::vector<std::int64_t> gather_lengths(std::int64_t mine);

  Ranks ranks_;
  at::Device device_;
  AllGather all_gather_;
};

/// A Communicator over what ranks find each other by: a c10d::TCPStore, FileStore or another store.
/// Needs no process group, so the ranks can agree before there is one. How long each rank is waited
/// for is the store's timeout (c10d::Store::setTimeout).
///
/// The communicators over a store that have the same prefix must be made in the same order on all
/// ranks; with each other's messages they never meet. The store holds each rank's last two messages
/// for each of them. Shares the ownership of the store; a TCPStore's server must stay until all
/// ranks have made their last call. Rank 0 returns from each call last, so its process may serve
/// the store and end where the ranks disagree. Used by one thread at a time.
class StoreCommunicator final : public Communicator {
 public:
  /// @param prefix  begins the store's keys that this communicator uses, before a "/".
  /// @throws Error(invalid_argument) for a null pointer or a rank that is not below world_size;
  /// Error(communication_error) with the store's own words.
  StoreCommunicator(c10::intrusive_ptr<c10d::Store> store, std::uint64_t rank,
                    std::uint64_t world_size, const std::string& prefix = "stoker");

  std::uint64_t rank() const override { return rank_; }
  std::uint64_t world_size() const override { return world_size_; }
  /// @throws Error(communication_error) with the store's own words, at the timeout too; it names
  /// the rank that was waited for. Each later call then throws too, since ranks may have received
  /// different messages: make new communicators. LibTorch 1's TCPStore is of no use after a
  /// timeout.
  std::vector<std::string> all_gather(const std::string& mine) override;

 private:
  std::string key(std::uint64_t round, std::uint64_t rank) const;
  void send(const std::string& mine);
  std::string receive_from(std::uint64_t rank);
  void take_leave();

  c10::intrusive_ptr<c10d::Store> store_;
  std::uint64_t rank_;
  std::uint64_t world_size_;
  std::string prefix_;  ///< with the number of this communicator among those over the store
  std::uint64_t round_ = 0;
  bool in_step_ = true;  ///< with the other ranks
};

}  // namespace stoker::torch
