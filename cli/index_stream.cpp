#include "cli/index_stream.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace stoker::cli {
namespace {

class SampleStream final : public IndexStream {
 public:
  explicit SampleStream(std::shared_ptr<const Order> order) : order_(std::move(order)) {}

  bool next(std::vector<std::uint64_t>& indices) override {
    constexpr std::uint64_t at_once = 4096;
    indices.resize(static_cast<std::size_t>(std::min(at_once, order_->size() - next_)));
    order_->read(next_, indices);
    next_ += indices.size();
    return !indices.empty();
  }
  bool is_of_batches() const override { return false; }

 private:
  std::shared_ptr<const Order> order_;
  std::uint64_t next_ = 0;
};

/// A rank's batches.
class BatchStream final : public IndexStream {
 public:
  BatchStream(std::shared_ptr<const BatchOrder> batches, const RankSplit& split, std::uint64_t from)
      : batches_(std::move(batches)),
        split_(split),
        from_(from),
        count_(split.count(batches_->size(), from)) {}

  bool next(std::vector<std::uint64_t>& indices) override {
    if (next_ == count_) return false;
    const std::uint64_t batch = split_.position(from_, next_++) % batches_->size();
    indices.resize(static_cast<std::size_t>(batches_->first(batch + 1) - batches_->first(batch)));
    batches_->read(batch, indices);
    return true;
  }
  bool is_of_batches() const override { return true; }

 private:
  std::shared_ptr<const BatchOrder> batches_;
  RankSplit split_;
  std::uint64_t from_;
  std::uint64_t count_;
  std::uint64_t next_ = 0;
};

}  // namespace

std::unique_ptr<IndexStream> stream_of_samples(std::shared_ptr<const Order> order) {
  return std::make_unique<SampleStream>(std::move(order));
}

std::unique_ptr<IndexStream> stream_of_batches(std::shared_ptr<const BatchOrder> batches,
                                               const RankSplit& split, std::uint64_t from) {
  return std::make_unique<BatchStream>(std::move(batches), split, from);
}

}  // namespace stoker::cli
