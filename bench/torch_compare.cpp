// LibTorch's own data loader on a workload: the module behind torch_seam.hpp.

#include "bench/torch_files.hpp"
#include "bench/torch_seam.hpp"
#include <stoker/pipeline/pipeline.hpp>

#include <torch/data.h>
#include <torch/version.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

namespace stoker::bench {

/// A data loader of LibTorch's whose type is forgotten.
struct TorchLoader {
  TorchLoader() = default;
  TorchLoader(const TorchLoader&) = delete;
  TorchLoader& operator=(const TorchLoader&) = delete;
  virtual ~TorchLoader() = default;
  virtual TorchRepetition run(std::uint64_t epoch, void (*progress)(void*, std::uint64_t),
                              void* context) = 0;
};

namespace {

auto stacked(const std::shared_ptr<TorchFilesState>& state) {
  return TorchFiles(state).map(torch::data::transforms::Stack<>());
}

template <class Sampler>
class LoaderOf : public TorchLoader {
 public:
  LoaderOf(std::shared_ptr<TorchFilesState> state, const torch::data::DataLoaderOptions& options)
      : state_(std::move(state)),
        loader_(torch::data::make_data_loader<Sampler>(stacked(state_), options)) {}

  TorchRepetition run(std::uint64_t epoch, void (*progress)(void*, std::uint64_t),
                      void* context) override {
    using Clock = std::chrono::steady_clock;
    const auto since = [](Clock::time_point start) {
      return std::chrono::duration<double>(Clock::now() - start).count();
    };
    state_->epoch = epoch;
    TorchRepetition result{};
    const auto start = Clock::now();
    for (auto& batch : *loader_) {
      if (result.images == 0) result.first_batch_seconds = since(start);
      const auto images = static_cast<std::uint64_t>(batch.data.size(0));
      result.images += images;
      progress(context, images);
    }
    result.seconds = since(start);
    return result;
  }

 private:
  using Loader = typename decltype(torch::data::make_data_loader<Sampler>(
      stacked({}), torch::data::DataLoaderOptions()))::element_type;
  std::shared_ptr<TorchFilesState> state_;
  std::unique_ptr<Loader> loader_;
};

std::shared_ptr<TorchFilesState> make_state(const TorchRequest& request) {
  auto state = std::make_shared<TorchFilesState>();
  state->paths.assign(request.paths, request.paths + request.files);
  state->repeat = request.repeat;
  state->seed = request.seed;
  state->labels.resize(request.files);
  std::iota(state->labels.begin(), state->labels.end(), 0);
  const Pipeline pipeline = Pipeline::parse(request.pipeline);
  const bool opencv = request.decoder == TorchDecoder::opencv;
  state->maker = opencv ? opencv_samples(pipeline) : plan_samples(pipeline);
  return state;
}

std::unique_ptr<TorchLoader> make_loader(const TorchRequest& request) {
  at::set_num_threads(1);
  auto state = make_state(request);
  const auto options = torch::data::DataLoaderOptions()
                           .batch_size(request.batch_size)
                           .workers(static_cast<std::size_t>(request.num_workers));
  using Sequential = torch::data::samplers::SequentialSampler;
  using Shuffled = torch::data::samplers::RandomSampler;
  if (request.shuffle != 0) return std::make_unique<LoaderOf<Shuffled>>(state, options);
  return std::make_unique<LoaderOf<Sequential>>(state, options);
}

/// The first line of what went wrong; LibTorch adds a stack trace.
void write_line(const std::exception& exception, char* error, std::size_t error_bytes) {
  const std::string message = exception.what();
  std::snprintf(error, error_bytes, "%s", message.substr(0, message.find('\n')).c_str());
}

const char* version() { return TORCH_VERSION; }

TorchLoader* open(const TorchRequest* request, char* error, std::size_t error_bytes) {
  try {
    return make_loader(*request).release();
  } catch (const std::exception& exception) {
    write_line(exception, error, error_bytes);
    return nullptr;
  }
}

std::int32_t run(TorchLoader* loader, std::uint64_t epoch, void (*progress)(void*, std::uint64_t),
                 void* context, TorchRepetition* repetition, char* error, std::size_t error_bytes) {
  try {
    *repetition = loader->run(epoch, progress, context);
    return 1;
  } catch (const std::exception& exception) {
    write_line(exception, error, error_bytes);
    return 0;
  }
}

void close(TorchLoader* loader) { delete loader; }

}  // namespace
}  // namespace stoker::bench

extern "C" __attribute__((visibility("default"))) const stoker::bench::TorchApi*
stoker_torch_api() {
  static constexpr stoker::bench::TorchApi api{stoker::bench::version, stoker::bench::open,
                                               stoker::bench::run, stoker::bench::close};
  return &api;
}
