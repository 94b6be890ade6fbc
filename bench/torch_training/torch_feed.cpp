#include "bench/torch_files.hpp"
#include "bench/torch_training/feed.hpp"
#include <stoker/core/error.hpp>
#include <stoker/engine/worker_pool.hpp>

#include <torch/data.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace stoker::bench {
namespace {

using Example = torch::data::Example<>;

bool decodes_with_opencv(const TrainingOptions& options) {
#ifdef STOKER_WITH_OPENCV
  constexpr bool available = true;
#else
  constexpr bool available = false;
#endif
  if (options.decode == "stoker") return false;
  if (options.decode == "auto") return available;
  if (options.decode == "opencv" && available) return true;
  throw Error(
      ErrorCode::invalid_argument,
      "--decode is auto, stoker or, where it was built with OpenCV, opencv; not " + options.decode);
}

std::unique_ptr<const SampleMaker> sample_maker(const FeedSetup& setup) {
  const Pipeline pipeline = Pipeline::parse(setup.pipeline());
#ifdef STOKER_WITH_OPENCV
  if (decodes_with_opencv(setup.options)) return opencv_samples(pipeline);
#endif
  return plan_samples(pipeline);
}

std::shared_ptr<TorchFilesState> files_of(const FeedSetup& setup) {
  auto state = std::make_shared<TorchFilesState>();
  for (std::uint64_t i = 0; i < setup.photos->size(); ++i) {
    state->paths.push_back(setup.photos->path(i));
    state->labels.push_back(setup.photos->label(i));
  }
  state->repeat = setup.repeat;
  state->maker = sample_maker(setup);
  return state;
}

/// Stacks samples, on a worker, where it pays in memory from which copies to a device do not wait.
auto collate(bool pin) {
  return torch::data::transforms::Collate<Example>([pin](std::vector<Example> samples) {
    Example batch = torch::data::transforms::Stack<>().apply_batch(std::move(samples));
    if (pin) batch = {batch.data.pin_memory(), batch.target.pin_memory()};
    return batch;
  });
}

torch::data::DataLoaderOptions loader_options(const FeedSetup& setup, int num_workers) {
  return torch::data::DataLoaderOptions()
      .batch_size(setup.options.batch_size)
      .workers(static_cast<std::size_t>(num_workers))
      .drop_last(true);
}

auto make_loader(const FeedSetup& setup, int num_workers,
                 const std::shared_ptr<TorchFilesState>& files) {
  return torch::data::make_data_loader<torch::data::samplers::RandomSampler>(
      TorchFiles(files).map(collate(setup.device.is_cuda())), loader_options(setup, num_workers));
}

class TorchFeed : public TrainingFeed {
 public:
  explicit TorchFeed(const FeedSetup& setup)
      : device_(setup.device),
        dtype_(setup.dtype()),
        opencv_(decodes_with_opencv(setup.options)),
        num_workers_(setup.options.num_workers == LoaderOptions::automatic
                         ? std::max(available_processors() - 1, 1)
                         : setup.options.num_workers),
        files_(files_of(setup)),
        loader_(make_loader(setup, num_workers_, files_)) {}

  TrainingBatch next() override {
    advance();
    const Example& batch = **at_;
    constexpr bool non_blocking = true;
    return {batch.data.to(device_, non_blocking)
                .to(dtype_)
                .contiguous(torch::MemoryFormat::ChannelsLast),
            batch.target.to(device_, non_blocking)};
  }

  Json describe() const override {
    return {{"title", std::string("LibTorch, ") + (opencv_ ? "OpenCV" : "stoker's decode")},
            {"num_workers", num_workers_},
            {"decode", opencv_ ? "opencv" : "stoker"},
            {"pinned", device_.is_cuda()}};
  }

 private:
  using Loader = decltype(make_loader(std::declval<FeedSetup>(), 0, {}))::element_type;
  using Iterator = decltype(std::declval<Loader>().begin());

  void advance() {
    if (at_) {
      ++*at_;
      if (*at_ != loader_->end()) return;
      ++files_->epoch;
    }
    at_.emplace(loader_->begin());
  }

  torch::Device device_;
  torch::ScalarType dtype_;
  bool opencv_;
  int num_workers_;
  std::shared_ptr<TorchFilesState> files_;
  std::unique_ptr<Loader> loader_;
  std::optional<Iterator> at_;
};

}  // namespace

std::unique_ptr<TrainingFeed> torch_feed(const FeedSetup& setup) {
  return std::make_unique<TorchFeed>(setup);
}

}  // namespace stoker::bench
