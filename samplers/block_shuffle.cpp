#include <stoker/samplers/block_shuffle.hpp>

#include "samplers/check_size.hpp"
#include "samplers/keyed_permutation.hpp"
#include "src/core/fingerprint.hpp"
#include <stoker/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace stoker {
namespace {

using Starts = std::vector<std::uint64_t>;

// Streams of keys: 0 for the shards, then one for each window.
constexpr std::uint64_t shard_stream = 0;

/// The shards in shuffled order, as places in a row.
class ShardRow {
 public:
  ShardRow(std::shared_ptr<const Starts> starts, std::uint64_t seed, std::uint64_t epoch)
      : starts_(std::move(starts)), shards_(starts_->size() - 1), row_starts_(shards_.size()) {
    const KeyedPermutation permutation(shards_.size(), seed, epoch, shard_stream);
    std::uint64_t place = 0;
    for (std::size_t i = 0; i < shards_.size(); ++i) {
      const std::uint64_t shard = permutation(i);
      shards_[i] = static_cast<std::uint32_t>(shard);
      row_starts_[i] = place;
      place += (*starts_)[shard + 1] - (*starts_)[shard];
    }
  }

  std::uint64_t size() const noexcept { return starts_->back(); }
  /// Returns the sample at a place in the row.
  std::uint64_t operator()(std::uint64_t place) const noexcept {
    const auto behind = std::ranges::upper_bound(row_starts_, place);
    const auto i = static_cast<std::size_t>(behind - row_starts_.begin()) - 1;
    return (*starts_)[shards_[i]] + (place - row_starts_[i]);
  }

 private:
  std::shared_ptr<const Starts> starts_;
  std::vector<std::uint32_t> shards_;
  std::vector<std::uint64_t> row_starts_;
};

class BlockOrder final : public Order {
 public:
  BlockOrder(std::shared_ptr<const Starts> starts, std::uint64_t window, std::uint64_t seed,
             std::uint64_t epoch)
      : row_(std::move(starts), seed, epoch), window_(window), seed_(seed), epoch_(epoch) {}

  std::uint64_t size() const override { return row_.size(); }
  void read(std::uint64_t first, std::uint64_t stride,
            std::span<std::uint64_t> out) const override {
    std::optional<KeyedPermutation> permutation;
    std::uint64_t current = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::uint64_t position = first + i * stride;
      const std::uint64_t window = position / window_;
      if (!permutation || current != window) permutation = permutation_of(current = window);
      out[i] = row_(window * window_ + (*permutation)(position % window_));
    }
  }

 private:
  KeyedPermutation permutation_of(std::uint64_t window) const noexcept {
    const std::uint64_t length = std::min(window_, size() - window * window_);
    return {length, seed_, epoch_, shard_stream + 1 + window};
  }

  ShardRow row_;
  std::uint64_t window_;
  std::uint64_t seed_;
  std::uint64_t epoch_;
};

void check_shard_count(std::uint64_t count) {
  if (count < std::numeric_limits<std::uint32_t>::max()) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("there are {} shards; there can be 2^32 - 2 at most", count));
}

Starts equal_starts(std::uint64_t size, std::uint64_t shard_size) {
  check_size(size);
  if (shard_size == 0) throw Error(ErrorCode::invalid_argument, "shard_size must be at least 1");
  const std::uint64_t count = size / shard_size + (size % shard_size > 0 ? 1 : 0);
  check_shard_count(count);
  Starts starts(count + 1);
  for (std::uint64_t shard = 0; shard < count; ++shard) starts[shard] = shard * shard_size;
  starts.back() = size;
  return starts;
}

Starts starts_of(std::span<const std::uint64_t> shard_sizes) {
  if (shard_sizes.empty()) throw Error(ErrorCode::empty_source, "there are no shards");
  check_shard_count(shard_sizes.size());
  Starts starts{0};
  starts.reserve(shard_sizes.size() + 1);
  for (const std::uint64_t size : shard_sizes) {
    if (size == 0) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("shard {} has no samples", starts.size() - 1));
    }
    check_size(size);
    check_size(starts.back() + size);
    starts.push_back(starts.back() + size);
  }
  return starts;
}

}  // namespace

BlockShuffle::BlockShuffle(std::vector<std::uint64_t> starts, std::uint64_t window,
                           const std::string& shards)
    : starts_(std::make_shared<const Starts>(std::move(starts))),
      window_(std::min(window, size())) {
  if (window == 0) throw Error(ErrorCode::invalid_argument, "window must be at least 1");
  text_ = fmt::format("block_shuffle(size={}, {}, window={})", size(), shards, window_);
}

BlockShuffle::BlockShuffle(std::uint64_t size, std::uint64_t shard_size, std::uint64_t window)
    : BlockShuffle(equal_starts(size, shard_size), window,
                   fmt::format("shard_size={}", shard_size)) {}

BlockShuffle::BlockShuffle(std::span<const std::uint64_t> shard_sizes, std::uint64_t window)
    : BlockShuffle(starts_of(shard_sizes), window,
                   fmt::format("shards={}, shard_sizes={}", shard_sizes.size(),
                               fingerprint_of(shard_sizes))) {}

std::shared_ptr<const Order> BlockShuffle::order(std::uint64_t seed, std::uint64_t epoch) const {
  return std::make_shared<const BlockOrder>(starts_, window_, seed, epoch);
}

std::string BlockShuffle::text() const { return text_; }

}  // namespace stoker
