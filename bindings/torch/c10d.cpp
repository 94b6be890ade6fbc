#include <stoker/torch/c10d.hpp>

#include <ATen/Functions.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <utility>

namespace stoker::torch {
namespace {

[[noreturn]] void fail_with(const std::string& what, const std::string& message) {
  throw Error(ErrorCode::communication_error, what + ": " + message);
}

/// Returns what a call into c10d returns; what that throws becomes an Error. `what` says what
/// failed.
template <class Call>
auto checked(const std::string& what, const Call& call) {
  try {
    return call();
  } catch (const c10::Error& error) {
    fail_with(what, error.what_without_backtrace());
  } catch (const std::exception& error) {
    fail_with(what, error.what());
  }
}

at::Tensor tensor_of(const std::string& bytes, std::int64_t length) {
  at::Tensor tensor = at::zeros({length}, at::kByte);
  if (!bytes.empty()) std::memcpy(tensor.data_ptr(), bytes.data(), bytes.size());
  return tensor;
}

std::string bytes_of(const at::Tensor& tensor, std::int64_t length) {
  return {static_cast<const char*>(tensor.data_ptr()), static_cast<std::size_t>(length)};
}

/// Communicators over the same store are told apart by how many this rank made before.
std::string instance_prefix(c10d::Store& store, std::uint64_t rank, const std::string& prefix) {
  const std::int64_t instance = checked("the store did not count a communicator", [&] {
    return store.add(prefix + "/instances/" + std::to_string(rank), 1);
  });
  return prefix + "/" + std::to_string(instance) + "/";
}

}  // namespace

Ranks detail::ranks_in_group(std::int64_t rank, std::int64_t size) {
  if (rank < 0 || rank >= size)
    throw Error(ErrorCode::invalid_argument, "the process group has rank " + std::to_string(rank) +
                                                 " of " + std::to_string(size));
  return {.rank = static_cast<std::uint64_t>(rank),
          .world_size = static_cast<std::uint64_t>(size),
          .origin = "process group"};
}

std::vector<at::Tensor> ProcessGroupCommunicator::gather(const at::Tensor& mine) {
  return checked("the process group did not gather the ranks' messages", [&] {
    std::vector<at::Tensor> sent{mine.to(device_)};
    std::vector<std::vector<at::Tensor>> received(1);
    for (std::uint64_t rank = 0; rank < world_size(); ++rank)
      received.front().push_back(at::empty_like(sent.front()));
    if (!all_gather_(received, sent)) throw std::runtime_error("the work was aborted");
    for (at::Tensor& tensor : received.front()) tensor = tensor.cpu();
    return received.front();
  });
}

std::vector<std::int64_t> ProcessGroupCommunicator::gather_lengths(std::int64_t mine) {
  std::vector<std::int64_t> lengths;
  for (const at::Tensor& gathered : gather(at::full({1}, mine, at::kLong))) {
    lengths.push_back(gathered.item<std::int64_t>());
    if (lengths.back() < 0)
      throw Error(ErrorCode::communication_error,
                  "rank " + std::to_string(lengths.size() - 1) +
                      " sent no length: its calls come in another order");
  }
  return lengths;
}

std::vector<std::string> ProcessGroupCommunicator::all_gather(const std::string& mine) {
  const auto lengths = gather_lengths(static_cast<std::int64_t>(mine.size()));
  // The group gathers as many bytes of each rank.
  const std::int64_t longest = *std::max_element(lengths.begin(), lengths.end());
  if (longest == 0) return std::vector<std::string>(lengths.size());
  const std::vector<at::Tensor> gathered = gather(tensor_of(mine, longest));
  std::vector<std::string> messages;
  for (std::size_t rank = 0; rank < gathered.size(); ++rank)
    messages.push_back(bytes_of(gathered[rank], lengths[rank]));
  return messages;
}

StoreCommunicator::StoreCommunicator(c10::intrusive_ptr<c10d::Store> store, std::uint64_t rank,
                                     std::uint64_t world_size, const std::string& prefix)
    : store_(std::move(store)), rank_(rank), world_size_(world_size) {
  if (!store_) throw Error(ErrorCode::invalid_argument, "the store is a null pointer");
  if (rank >= world_size)
    throw Error(ErrorCode::invalid_argument, "rank " + std::to_string(rank) + " of " +
                                                 std::to_string(world_size) + " does not exist");
  prefix_ = instance_prefix(*store_, rank, prefix);
}

std::string StoreCommunicator::key(std::uint64_t round, std::uint64_t rank) const {
  return prefix_ + std::to_string(round) + "/" + std::to_string(rank);
}

void StoreCommunicator::send(const std::string& mine) {
  checked("the store did not take this rank's message", [&] {
    store_->set(key(round_, rank_), std::vector<std::uint8_t>(mine.begin(), mine.end()));
    // All ranks have sent in the last round, so all had received everything in the one before.
    if (round_ >= 2) store_->deleteKey(key(round_ - 2, rank_));
  });
}

std::string StoreCommunicator::receive_from(std::uint64_t rank) {
  const std::string what = "the store did not give the message of rank " + std::to_string(rank) +
                           " of " + std::to_string(world_size_);
  const std::vector<std::uint8_t> bytes =
      checked(what, [&] { return store_->get(key(round_, rank)); });
  return {bytes.begin(), bytes.end()};
}

std::vector<std::string> StoreCommunicator::all_gather(const std::string& mine) {
  if (!std::exchange(in_step_, false)) {
    throw Error(ErrorCode::communication_error,
                "an earlier call failed, so ranks may have gone on without this one: make new "
                "communicators on all ranks");
  }
  send(mine);
  std::vector<std::string> messages;
  for (std::uint64_t rank = 0; rank < world_size_; ++rank) messages.push_back(receive_from(rank));
  take_leave();
  ++round_;
  in_step_ = true;
  return messages;
}

/// Rank 0 leaves last: often its process serves the store, and ends where ranks disagree. The last
/// one that has received everything tells it so.
void StoreCommunicator::take_leave() {
  checked("the store did not tell that all ranks have received the messages", [&] {
    const std::int64_t received = store_->add(prefix_ + "received", 1);
    const std::string all_received = prefix_ + std::to_string(round_) + "/received";
    if (received == static_cast<std::int64_t>((round_ + 1) * world_size_)) {
      if (rank_ != 0) store_->set(all_received, std::vector<std::uint8_t>{1});
    } else if (rank_ == 0) {
      store_->wait({all_received});
      store_->deleteKey(all_received);
    }
  });
}

}  // namespace stoker::torch
