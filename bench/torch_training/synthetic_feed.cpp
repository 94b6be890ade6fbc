#include "bench/torch_training/feed.hpp"

namespace stoker::bench {
namespace {

class SyntheticFeed : public TrainingFeed {
 public:
  explicit SyntheticFeed(const FeedSetup& setup) {
    const auto count = static_cast<std::int64_t>(setup.options.batch_size);
    const std::int64_t size = setup.options.image_size;
    batch_.data = torch::randn({count, 3, size, size}, torch::TensorOptions(setup.device))
                      .to(setup.dtype())
                      .contiguous(torch::MemoryFormat::ChannelsLast);
    batch_.target = torch::randint(setup.classes, {count},
                                   torch::TensorOptions(setup.device).dtype(torch::kInt64));
  }

  TrainingBatch next() override { return batch_; }
  Json describe() const override { return {{"title", "synthetic, on the device"}}; }

 private:
  TrainingBatch batch_;
};

}  // namespace

std::unique_ptr<TrainingFeed> synthetic_feed(const FeedSetup& setup) {
  return std::make_unique<SyntheticFeed>(setup);
}

}  // namespace stoker::bench
