#include <stoker/samplers/distributed_sampler.hpp>

#include <stoker/core/error.hpp>
#include <stoker/samplers/random_sampler.hpp>
#include <stoker/samplers/sequential_sampler.hpp>

#include <fmt/format.h>

#include <utility>

namespace stoker {
namespace {

/// A rank's view of an order, from a position on.
class RankOrder final : public Order {
 public:
  RankOrder(std::shared_ptr<const Order> global, const RankSplit& split, std::uint64_t from)
      : global_(std::move(global)),
        split_(split),
        from_(from),
        size_(split.count(global_->size(), from)) {}

  std::uint64_t size() const override { return size_; }
  void read(std::uint64_t first, std::uint64_t stride,
            std::span<std::uint64_t> out) const override {
    read_split(*global_, split_, from_, first, stride, out);
  }

 private:
  std::shared_ptr<const Order> global_;
  RankSplit split_;
  std::uint64_t from_;
  std::uint64_t size_;
};

std::shared_ptr<const Sampler> sampler_of(std::uint64_t size, bool shuffle) {
  if (shuffle) return std::make_shared<const RandomSampler>(size);
  return std::make_shared<const SequentialSampler>(size);
}

}  // namespace

DistributedSampler::DistributedSampler(std::uint64_t size, RankSplit split, bool shuffle)
    : DistributedSampler(sampler_of(size, shuffle), split) {}

DistributedSampler::DistributedSampler(std::shared_ptr<const Sampler> global, RankSplit split)
    : global_(std::move(global)), split_(split) {
  split_.check();
  if (!global_) throw Error(ErrorCode::invalid_argument, "there is no sampler to split");
  if (global_->as_distributed() != nullptr) {
    throw Error(ErrorCode::invalid_argument,
                "the sampler to split is one rank's share already: " + global_->text());
  }
}

std::uint64_t DistributedSampler::size() const { return split_.count(global_->size()); }

std::shared_ptr<const Order> DistributedSampler::order(std::uint64_t seed,
                                                       std::uint64_t epoch) const {
  return order_from(seed, epoch, 0);
}

std::shared_ptr<const Order> DistributedSampler::order_from(std::uint64_t seed, std::uint64_t epoch,
                                                            std::uint64_t position) const {
  return std::make_shared<const RankOrder>(global_->order(seed, epoch), split_, position);
}

std::string DistributedSampler::text() const {
  return fmt::format("distributed({}, rank={}, world_size={}, remainder={})", global_->text(),
                     split_.rank, split_.world_size, name(split_.remainder));
}

}  // namespace stoker
