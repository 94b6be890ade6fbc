// A training step that is captured once as a CUDA graph, while the loader works, and launched for
// every batch:
//
//   cuda_graph [FOLDER [DEVICE]]      (one subfolder a class; without, images made by a formula)
//
// A graph has the addresses and the batch size of its capture, so the loader delivers static
// batches: all at one address and of one size. The last one of an epoch is filled up; `valid` says
// which of its places hold a sample. Then the same is trained with kernels launched one by one:
// losses and weights must be equal to the bit. Exit status 1 where they are not, 77 without a
// device.
#include "cuda_handles.hpp"
#include "formula_photos.hpp"
#include "softmax_regression.hpp"
#include <stoker/stoker.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::size_t batch_size = 64;
constexpr int edge = 64;  // pixels of an image's height and width
constexpr unsigned features = 3 * edge * edge;
constexpr std::uint64_t epochs = 4;
constexpr int no_device = 77;

/// Takes `valid`, which lies on the host, to one place on the device that steps read. Through
/// pinned memory, so that nothing waits for the copy; before a buffer is written again its last
/// copy must be done, which lets the host run two steps ahead of the device and no further.
class ValidMask {
 public:
  const std::uint8_t* data() const noexcept { return mask_.get(); }

  void upload(std::span<const std::uint8_t> valid, cudaStream_t stream) {
    const Buffer& buffer = buffers_[next_++ % buffers_.size()];
    check(cudaEventSynchronize(buffer.copied.get()));
    std::ranges::copy(valid, buffer.bytes.get());
    check(cudaMemcpyAsync(mask_.get(), buffer.bytes.get(), valid.size(), cudaMemcpyHostToDevice,
                          stream));
    check(cudaEventRecord(buffer.copied.get(), stream));
  }

 private:
  struct Buffer {
    PinnedArray<std::uint8_t> bytes = pinned_array<std::uint8_t>(batch_size);
    Event copied = make_event();
  };

  std::array<Buffer, 2> buffers_;
  std::size_t next_ = 0;
  DeviceArray<std::uint8_t> mask_ = device_array<std::uint8_t>(batch_size);
};

/// Captures a step as a graph. What the loader's threads do meanwhile does not become a part of it
/// and does not break it off, even in this mode, in which any thread's call could. But the loader
/// must not be asked for a batch, nor a batch released, between begin and end: that queues work on
/// the stream.
GraphExec capture(const TrainingStep& step, cudaStream_t stream) {
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  const cudaError_t launched = launch(step, stream);
  cudaGraph_t captured = nullptr;
  const cudaError_t ended = cudaStreamEndCapture(stream, &captured);
  const Graph graph(captured);
  check(launched);
  check(ended);
  cudaGraphExec_t executable = nullptr;
  check(cudaGraphInstantiate(&executable, graph.get(), 0));
  return GraphExec(executable);
}

enum class Launch : std::uint8_t { as_graph, one_by_one };

/// A model in training. All its work is queued on one stream, which must outlive it.
class Training {
 public:
  Training(unsigned classes, cudaStream_t stream, Launch how)
      : classes_(classes),
        stream_(stream),
        how_(how),
        weights_(device_array<float>(weight_count())),
        scores_(device_array<float>(batch_size * classes)),
        losses_(device_array<float>(batch_size)),
        total_loss_(device_array<double>(1)) {
    check(cudaMemsetAsync(weights_.get(), 0, weight_count() * sizeof(float), stream_));
    check(cudaMemsetAsync(total_loss_.get(), 0, sizeof(double), stream_));
  }

  /// Queues a step. The batch may be released at once: the loader overwrites it behind the step.
  void step(const stoker::Batch& batch) {
    valid_.upload(batch.valid(), stream_);
    const TrainingStep step = step_on(batch);
    if (how_ == Launch::one_by_one) {
      check(launch(step, stream_));
    } else {
      if (!graph_) graph_ = capture(step, stream_);
      check(cudaGraphLaunch(graph_.get(), stream_));
    }
  }

  /// Returns the losses of all samples since the last call. Waits for the stream.
  double take_loss() {
    double loss = 0;
    check(cudaMemcpyAsync(&loss, total_loss_.get(), sizeof loss, cudaMemcpyDeviceToHost, stream_));
    check(cudaMemsetAsync(total_loss_.get(), 0, sizeof loss, stream_));
    check(cudaStreamSynchronize(stream_));
    return loss;
  }

  /// Waits for the stream.
  std::vector<float> weights() const {
    std::vector<float> weights(weight_count());
    check(cudaMemcpyAsync(weights.data(), weights_.get(), weights.size() * sizeof(float),
                          cudaMemcpyDeviceToHost, stream_));
    check(cudaStreamSynchronize(stream_));
    return weights;
  }

 private:
  std::size_t weight_count() const noexcept {
    return std::size_t{classes_} * (features + 1);  // and the bias
  }

  TrainingStep step_on(const stoker::Batch& batch) const {
    return {.images = batch["image"].as<float>(),
            .labels = batch["label"].as<std::int64_t>(),
            .valid = valid_.data(),
            .weights = weights_.get(),
            .scores = scores_.get(),
            .losses = losses_.get(),
            .total_loss = total_loss_.get(),
            .batch = batch_size,
            .features = features,
            .classes = classes_,
            .rate = 1.0F / features};
  }

  unsigned classes_;
  cudaStream_t stream_;
  Launch how_;
  DeviceArray<float> weights_, scores_, losses_;
  DeviceArray<double> total_loss_;
  ValidMask valid_;
  GraphExec graph_;  // none before the first step
};

/// What a training came to.
struct Outcome {
  std::vector<double> losses;  ///< of each epoch, a sample's in the mean
  std::vector<float> weights;
};

Outcome train(stoker::Loader& loader, unsigned classes, cudaStream_t stream, Launch how) {
  using Clock = std::chrono::steady_clock;
  std::cout << (how == Launch::as_graph ? "as a graph\n" : "kernels one by one\n");
  Training training(classes, stream, how);
  Outcome outcome;
  for (std::uint64_t epoch = 0; epoch < epochs; ++epoch) {
    const Clock::time_point start = Clock::now();
    double samples = 0;
    for (const stoker::Batch& batch : loader.epoch(epoch, epoch + 1 == epochs)) {
      training.step(batch);
      samples += static_cast<double>(std::ranges::count(batch.valid(), std::uint8_t{1}));
    }
    outcome.losses.push_back(training.take_loss() / samples);
    const std::chrono::duration<double> seconds = Clock::now() - start;
    std::cout << "  epoch " << epoch << ": loss " << outcome.losses.back() << ", "
              << static_cast<std::int64_t>(samples / seconds.count()) << " images/s\n";
  }
  outcome.weights = training.weights();
  return outcome;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return std::ranges::equal(std::as_bytes(std::span(a)), std::as_bytes(std::span(b)));
}

/// Images with labels from 0 to classes - 1.
struct Data {
  std::unique_ptr<stoker::Source> source;
  unsigned classes = 0;
};

Data open_data(const std::string& folder) {
  // Their number is no multiple of the batch size.
  if (folder.empty()) {
    std::cout << "no folder: images made by a formula\n";
    return {formula_photos(1000), formula_classes};
  }
  auto images = std::make_unique<stoker::ImageFolder>(folder);
  const auto classes = static_cast<unsigned>(images->classes().size());
  return {std::move(images), classes};
}

int run(const std::string& folder, int ordinal) {
  const stoker::DevicePtr device = stoker::cuda(ordinal);
  check(cudaSetDevice(ordinal));  // for this thread's own calls; the loader needs none
  const Stream stream = make_stream();
  const Data data = open_data(folder);
  const stoker::Pipeline pipeline = stoker::decode() | stoker::random_resized_crop(edge) |
                                    stoker::random_horizontal_flip() |
                                    stoker::normalize(stoker::imagenet_statistics);
  stoker::Loader loader(*data.source, pipeline,
                        {.batch_size = batch_size,
                         .shuffle = true,
                         .seed = 42,
                         .device = device,
                         .stream = {reinterpret_cast<std::uintptr_t>(stream.get())},
                         .static_batch = true});

  const Outcome graph = train(loader, data.classes, stream.get(), Launch::as_graph);
  const Outcome kernels = train(loader, data.classes, stream.get(), Launch::one_by_one);
  if (!same_bits(graph.losses, kernels.losses) || !same_bits(graph.weights, kernels.weights)) {
    std::cerr << "the graph did not compute what its kernels do\n";
    return 1;
  }
  if (folder.empty() && !(graph.losses.back() < graph.losses.front())) {
    std::cerr << "nothing was learned: the loss did not fall\n";
    return 1;
  }
  std::cout << "losses and weights are equal to the bit\n";
  return 0;
}

/// Says why there is nothing to run on.
int skip() {
  try {
    stoker::cuda(0);
  } catch (const stoker::Error& error) {
    std::cerr << "skipped, this needs a CUDA device: " << error.what() << '\n';
  }
  return no_device;
}

int usage(bool asked) {
  (asked ? std::cout : std::cerr) << "usage: cuda_graph [FOLDER [DEVICE]]\n"
                                     "exit status 77: there is no CUDA device\n";
  return asked ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc == 2 && std::string_view(argv[1]) == "--help") return usage(/*asked=*/true);
  const std::string_view number = argc > 2 ? argv[2] : "0";
  int ordinal = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), ordinal);
  if (argc > 3 || error != std::errc{} || end != number.data() + number.size()) {
    return usage(/*asked=*/false);
  }
  if (stoker::cuda_device_count() == 0) return skip();
  return run(argc > 1 ? argv[1] : "", ordinal);
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
