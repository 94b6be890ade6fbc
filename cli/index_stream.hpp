#pragma once

#include <stoker/samplers/batch_sampler.hpp>
#include <stoker/samplers/rank_split.hpp>
#include <stoker/samplers/sampler.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace stoker::cli {

/// The indices of an order, one behind the other.
class IndexStream {
 public:
  virtual ~IndexStream() = default;
  /// Fills `indices` with the next ones, as many as are convenient; false at the end.
  virtual bool next(std::vector<std::uint64_t>& indices) = 0;
  /// True where what `next` gives is a batch.
  virtual bool is_of_batches() const = 0;
};

/// An order, some thousand indices at a time.
std::unique_ptr<IndexStream> stream_of_samples(std::shared_ptr<const Order> order);
/// The batches that a rank gets from batch number `from` on, one at a time.
std::unique_ptr<IndexStream> stream_of_batches(std::shared_ptr<const BatchOrder> batches,
                                               const RankSplit& split, std::uint64_t from);

}  // namespace stoker::cli
