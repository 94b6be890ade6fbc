#include "bench/torch_training/feed.hpp"
#include "bench/workload.hpp"
#include <stoker/core/error.hpp>
#include <stoker/torch/batches.hpp>
#include <stoker/torch/device.hpp>

#include <optional>

namespace stoker::bench {
namespace {

/// The pipeline, to the type and layout that the first layer takes.
Pipeline pipeline_for(const FeedSetup& setup) {
  return Pipeline::parse(setup.pipeline() + (setup.device.is_cuda() ? " | to(bfloat16, NHWC)"
                                                                    : " | to(float32, NHWC)"));
}

ResizeOn resize_on(const FeedSetup& setup) {
  const std::string& where = setup.options.resize;
  if (where == "cpu") return ResizeOn::cpu;
  if (where == "device") return ResizeOn::device;
  if (where == "auto") return setup.device.is_cuda() ? ResizeOn::device : ResizeOn::cpu;
  throw Error(ErrorCode::invalid_argument, "--resize-on is auto, cpu or device, not " + where);
}

LoaderOptions loader_options(const FeedSetup& setup) {
  LoaderOptions options;
  options.batch_size = setup.options.batch_size;
  options.shuffle = true;
  options.drop_last = true;
  options.num_workers = setup.options.num_workers;
  options.prefetch = setup.options.prefetch;
  options.device = stoker::torch::device(setup.device);
  options.device_prefetch = setup.options.device_prefetch;
  options.resize_on = resize_on(setup);
  return options;
}

class StokerFeed : public TrainingFeed {
 public:
  explicit StokerFeed(const FeedSetup& setup)
      : source_(repeated(setup.photos, setup.repeat)),
        loader_(*source_, pipeline_for(setup), loader_options(setup)) {}

  TrainingBatch next() override {
    while (true) {
      if (epoch_) {
        if (auto batch = epoch_->next()) return {batch->data, batch->target};
      }
      epoch_.emplace(stoker::torch::batches(loader_, number_++));
    }
  }

  Json describe() const override {
    const LoaderOptions& options = loader_.options();
    return {{"title", "stoker"},
            {"num_workers", options.num_workers},
            {"resize_on", name_of(options.resize_on)},
            {"stages", Json::parse(loader_.stats().json())}};
  }

 private:
  std::shared_ptr<const Source> source_;
  Loader loader_;
  std::uint64_t number_ = 0;
  std::optional<stoker::torch::Batches> epoch_;
};

}  // namespace

std::unique_ptr<TrainingFeed> stoker_feed(const FeedSetup& setup) {
  return std::make_unique<StokerFeed>(setup);
}

}  // namespace stoker::bench
