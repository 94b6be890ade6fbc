// A training step that is captured once as a CUDA graph, while the loader works, and replayed for
// every batch: one launch instead of dozens.
//
//   torch_cuda_graph
//
// A graph reads where it read when it was captured, so the loader delivers static batches: all at
// one address. Drop a batch's tensors before the next one is asked for, and ask for none while a
// capture is under way. Then the same is trained without a graph, for comparison. Exit status 1
// where the two differ or nothing is learned, 77 without a CUDA device.
#include "../autocast.hpp"
#include "../drawn_images.hpp"
#include "../host_lead.hpp"
#include "../photos.hpp"
#include "../plain_message.hpp"
#include "../resnet.hpp"
#include <stoker/stoker.hpp>
#include <stoker/torch.hpp>

#include <ATen/cuda/CUDAGraph.h>
#include <CLI/CLI.hpp>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/torch.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using torch::Tensor;
using torch::nn::Sequential;

constexpr std::uint64_t epochs = 6;
constexpr int no_device = 77;

/// A small network: its kernels take less time than the host needs to launch them.
Sequential make_model(torch::Device device) {
  using torch::nn::Conv2d, torch::nn::Conv2dOptions, torch::nn::ReLU;
  torch::manual_seed(1);
  Sequential model(
      Conv2d(Conv2dOptions(3, 32, 3).stride(2)), ReLU(), Conv2d(Conv2dOptions(32, 64, 3).stride(2)),
      ReLU(), Conv2d(Conv2dOptions(64, 128, 3).stride(2)), ReLU(), torch::nn::AdaptiveAvgPool2d(1),
      torch::nn::Flatten(), torch::nn::Linear(128, 10));
  model->to(device);
  examples::to_channels_last(*model);
  return model;
}

/// A model in training, on the stream that is current.
class Training {
 public:
  explicit Training(torch::Device device)
      : model_(make_model(device)),
        optimizer_(model_->parameters(), torch::optim::SGDOptions(0.05).momentum(0.9)),
        loss_sum_(torch::zeros({}, device)) {}

  /// Queues a step. All that it keeps beyond itself is of the same address each time.
  void step(const Tensor& images, const Tensor& labels) {
    optimizer_.zero_grad();
    Tensor loss;
    {
      const examples::Autocast autocast(torch::kCUDA);
      loss = torch::nn::functional::cross_entropy(model_->forward(images), labels);
    }
    loss.backward();
    optimizer_.step();
    const torch::NoGradGuard no_grad;
    loss_sum_.add_(loss);
  }

  void zero_grad() { optimizer_.zero_grad(); }

  /// Returns the sum of losses since the last call. Waits for the stream.
  double take_loss() {
    const double loss = loss_sum_.item<double>();
    loss_sum_.zero_();
    return loss;
  }

  std::vector<Tensor> parameters() const { return model_->parameters(); }

 private:
  Sequential model_;
  torch::optim::SGD optimizer_;
  Tensor loss_sum_;
};

/// A step as a graph.
class GraphedStep {
 public:
  explicit GraphedStep(Training& training) : training_(training) {}

  void operator()(const stoker::torch::Batch& batch) {
    // The first steps are launched one by one: cuDNN chooses, the optimizer makes its momentum.
    if (count_++ < 3) return training_.step(batch.data, batch.target);
    if (address_ == nullptr) capture(batch);
    if (batch.data.data_ptr() != address_) throw std::logic_error("the batch has moved");
    graph_.replay();
  }

 private:
  /// Queues nothing: what is captured runs when it is replayed. The loader's threads go on
  /// meanwhile, and do not become a part of the graph.
  void capture(const stoker::torch::Batch& batch) {
    training_.zero_grad();  // so that the graph has gradients of its own
    graph_.capture_begin();
    training_.step(batch.data, batch.target);
    graph_.capture_end();
    address_ = batch.data.data_ptr();
  }

  Training& training_;
  at::cuda::CUDAGraph graph_;
  const void* address_ = nullptr;
  int count_ = 0;
};

/// What a training came to.
struct Outcome {
  std::vector<double> losses;  ///< of each epoch, a batch's in the mean
  std::vector<Tensor> parameters;
};

template <class Step>
Outcome train(stoker::Loader& loader, torch::Device device, Training& training, Step step) {
  using Clock = std::chrono::steady_clock;
  examples::HostLead lead(device);
  Outcome outcome;
  for (std::uint64_t epoch = 0; epoch < epochs; ++epoch) {
    const Clock::time_point start = Clock::now();
    for (auto& batch : stoker::torch::batches(loader, epoch, epoch + 1 == epochs)) {
      step(batch);
      lead.queued();
    }
    outcome.losses.push_back(training.take_loss() / static_cast<double>(loader.size()));
    const std::chrono::duration<double> seconds = Clock::now() - start;
    std::cout << "  epoch " << epoch << ": loss " << outcome.losses.back() << ", "
              << static_cast<double>(loader.size()) / seconds.count() << " steps/s\n";
  }
  outcome.parameters = training.parameters();
  return outcome;
}

bool agree(const Outcome& a, const Outcome& b) {
  for (std::size_t i = 0; i < a.parameters.size(); ++i) {
    if (!torch::allclose(a.parameters[i], b.parameters[i], 1e-3, 1e-4)) return false;
  }
  return a.losses.back() < a.losses.front();
}

int run(torch::Device device) {
  // A capture needs a stream of its own: here everything is queued there.
  const c10::cuda::CUDAStreamGuard side_stream(c10::cuda::getStreamFromPool());
  at::globalContext().setDeterministicCuDNN(true);
  const examples::Photos photos = examples::as_photos(examples::draw_shapes(2000, 1));
  stoker::Loader loader(*photos.source, examples::training_pipeline(32, device),
                        {.batch_size = 64,
                         .shuffle = true,
                         .seed = 1,
                         .drop_last = true,
                         .device = stoker::torch::device(device),
                         .static_batch = true});

  std::cout << "as a graph\n";
  Training graphed(device);
  GraphedStep graph(graphed);
  const Outcome with_graph =
      train(loader, device, graphed, [&](const stoker::torch::Batch& batch) { graph(batch); });
  std::cout << "kernel by kernel\n";
  Training plain(device);
  const Outcome without = train(loader, device, plain, [&](const stoker::torch::Batch& batch) {
    plain.step(batch.data, batch.target);
  });
  const bool good = agree(with_graph, without);
  std::cout << (good ? "both come to the same\n"
                     : "the graph did not compute what its kernels do\n");
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("Captures a training step as a CUDA graph; learns drawn images");
  app.footer("Exit status 77 where there is no CUDA device.");
  CLI11_PARSE(app, argc, argv);
  if (!torch::cuda::is_available()) {
    std::cerr << "skipped: this needs a CUDA device\n";
    return no_device;
  }
  return run(torch::Device(torch::kCUDA, 0));
} catch (const std::exception& error) {
  std::cerr << examples::plain_message(error) << '\n';
  return 1;
}
