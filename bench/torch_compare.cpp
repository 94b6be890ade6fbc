// LibTorch's own data loader on a workload: the module behind torch_seam.hpp. One translation unit,
// since LibTorch's headers take long to compile.

#include "bench/torch_seam.hpp"
#include <stoker/core/error.hpp>
#include <stoker/decoders/decode.hpp>
#include <stoker/pipeline/pipeline.hpp>
#include <stoker/pipeline/plan.hpp>
#include <stoker/transforms/canvas.hpp>
#include <stoker/transforms/normalize.hpp>
#include <stoker/transforms/to.hpp>
#include <stoker/transforms/transform.hpp>

#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <torch/torch.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

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

torch::ScalarType scalar_type(DType dtype) {
  switch (dtype) {
    case DType::float16: return torch::kHalf;
    case DType::bfloat16: return torch::kBFloat16;
    case DType::float32: return torch::kFloat32;
    default: return torch::kUInt8;
  }
}

std::vector<char> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Makes a sample's tensor of its file, in one of LibTorch's workers.
class SampleMaker {
 public:
  SampleMaker() = default;
  SampleMaker(const SampleMaker&) = delete;
  SampleMaker& operator=(const SampleMaker&) = delete;
  virtual ~SampleMaker() = default;
  virtual torch::Tensor make(const std::string& path, const RandomKey& key) const = 0;
};

/// Carries out geometry with OpenCV at once, as people write it: so stoker's transforms decide on
/// boxes and flips with the same random numbers, and OpenCV does the work.
class MatCanvas : public Canvas {
 public:
  explicit MatCanvas(cv::Mat mat) : mat_(std::move(mat)) {}

  Size size() const override { return {mat_.rows, mat_.cols}; }

  Status crop(const Rect& rect) override {
    if (!rect.inside(size())) return fail(ErrorCode::crop_out_of_bounds, "the crop does not fit");
    mat_ = mat_(cv::Rect(rect.left, rect.top, rect.width, rect.height));
    return {};
  }

  Status crop_padded(const Rect& rect, std::uint8_t fill) override {
    if (rect.inside(size())) return crop(rect);
    const int top = std::max(-rect.top, 0);
    const int left = std::max(-rect.left, 0);
    cv::Mat bordered;
    cv::copyMakeBorder(mat_, bordered, top, std::max(rect.bottom() - mat_.rows, 0), left,
                       std::max(rect.right() - mat_.cols, 0), cv::BORDER_CONSTANT,
                       cv::Scalar::all(fill));
    mat_ = bordered;
    return crop({rect.top + top, rect.left + left, rect.height, rect.width});
  }

  Status resize(Size size, Interpolation interpolation) override {
    cv::Mat resized;
    cv::resize(mat_, resized, cv::Size(size.width, size.height), 0, 0, flag(interpolation));
    mat_ = resized;
    return {};
  }

  Status flip_horizontally() override {
    cv::Mat flipped;
    cv::flip(mat_, flipped, 1);
    mat_ = flipped;
    return {};
  }

  Result<Image*> pixels() override {
    return fail(ErrorCode::unsupported, "a step of the pipeline has no counterpart in OpenCV");
  }

  /// The pixels, red first, in rows without gaps.
  cv::Mat rgb() const {
    cv::Mat converted;
    cv::cvtColor(mat_, converted, cv::COLOR_BGR2RGB);
    return converted;
  }

 private:
  static int flag(Interpolation interpolation) {
    switch (interpolation) {
      case Interpolation::nearest: return cv::INTER_NEAREST;
      case Interpolation::bilinear: return cv::INTER_LINEAR;
      case Interpolation::bicubic: return cv::INTER_CUBIC;
    }
    return cv::INTER_LINEAR;
  }

  cv::Mat mat_;
};

torch::Tensor to_float(const torch::Tensor& tensor) {
  return tensor.is_floating_point() ? tensor : tensor.to(torch::kFloat32).div_(255);
}

torch::Tensor channel_values(const std::array<double, 3>& values) {
  return torch::tensor({values[0], values[1], values[2]}, torch::kFloat32).view({3, 1, 1});
}

/// OpenCV decodes and resizes, LibTorch's tensor operations normalise and cast.
class OpenCvMaker : public SampleMaker {
 public:
  explicit OpenCvMaker(const Pipeline& pipeline) : pipeline_(pipeline) {
    for (const Step& step : pipeline.steps()) add(*step);
  }

  torch::Tensor make(const std::string& path, const RandomKey& key) const override {
    const std::vector<char> bytes = read_file(path);
    MatCanvas canvas(cv::imdecode(bytes, cv::IMREAD_COLOR));
    if (canvas.size() == Size{}) throw std::runtime_error("OpenCV cannot decode " + path);
    transform(canvas, key);
    const cv::Mat rgb = canvas.rgb();
    return finish(
        torch::from_blob(rgb.data, {rgb.rows, rgb.cols, 3}, torch::kUInt8).permute({2, 0, 1}));
  }

 private:
  void add(const Operation& step) {
    if (const auto* normalize = dynamic_cast<const Normalize*>(&step)) {
      normalized_ = true;
      mean_ = channel_values(normalize->statistics().mean);
      std_ = channel_values(normalize->statistics().std);
    } else if (const auto* to = dynamic_cast<const To*>(&step)) {
      dtype_ = scalar_type(to->dtype());
      scale_ = to->scale();
      nhwc_ = to->layout().value_or(nhwc_ ? Layout::NHWC : Layout::NCHW) == Layout::NHWC;
    }
  }

  void transform(MatCanvas& canvas, const RandomKey& key) const {
    for (std::size_t i = 0; i < pipeline_.steps().size(); ++i) {
      const auto* step = dynamic_cast<const Transform*>(pipeline_.steps()[i].get());
      if (step == nullptr) continue;
      Random random(key, static_cast<std::uint32_t>(i));
      if (auto status = step->apply(canvas, random); !status) {
        throw std::runtime_error(status.error().message);
      }
    }
  }

  /// Returns a tensor that owns its memory; `pixels` borrows OpenCV's.
  torch::Tensor finish(const torch::Tensor& pixels) const {
    torch::Tensor tensor = pixels;
    if (normalized_) tensor = to_float(tensor).sub_(mean_).div_(std_);
    if (dtype_ && tensor.scalar_type() != *dtype_) {
      tensor = scale_ ? to_float(tensor).to(*dtype_) : tensor.to(*dtype_);
    }
    if (nhwc_) tensor = tensor.permute({1, 2, 0});
    return tensor.is_alias_of(pixels) ? tensor.clone() : tensor;
  }

  Pipeline pipeline_;
  bool normalized_ = false;
  bool scale_ = true;
  bool nhwc_ = false;
  torch::optional<torch::ScalarType> dtype_;
  torch::Tensor mean_, std_;
};

/// stoker's plan makes the whole sample; LibTorch only drives it.
class PlanMaker : public SampleMaker {
 public:
  explicit PlanMaker(const Pipeline& pipeline) : plan_(pipeline), shape_(plan_.output_shape()) {}

  torch::Tensor make(const std::string& path, const RandomKey& key) const override {
    const std::vector<char> bytes = read_file(path);
    thread_local Workspace workspace;
    const auto dimensions = shape_.dimensions();
    torch::Tensor tensor = torch::empty(c10::IntArrayRef(dimensions.data(), dimensions.size()),
                                        torch::TensorOptions(scalar_type(plan_.finish().dtype())));
    const auto status = plan_.run(std::as_bytes(std::span(bytes)), key, workspace,
                                  static_cast<std::byte*>(tensor.data_ptr()));
    if (!status) throw std::runtime_error(path + ": " + status.error().message);
    return tensor;
  }

 private:
  Plan plan_;
  Shape shape_;
};

/// What all copies of a dataset share; LibTorch gives each worker a copy.
struct Shared {
  std::vector<std::string> paths;
  std::uint64_t repeat = 1;
  std::uint64_t seed = 0;
  std::atomic<std::uint64_t> epoch{0};
  std::unique_ptr<const SampleMaker> maker;
};

class FileDataset : public torch::data::datasets::Dataset<FileDataset> {
 public:
  explicit FileDataset(std::shared_ptr<const Shared> shared) : shared_(std::move(shared)) {}

  torch::data::Example<> get(std::size_t index) override {
    // One worker is one thread: LibTorch's own pool would have the workers compete.
    thread_local const bool alone = (at::set_num_threads(1), true);
    (void)alone;
    const std::size_t file = index % shared_->paths.size();
    const RandomKey key{shared_->seed, shared_->epoch, index};
    return {shared_->maker->make(shared_->paths[file], key),
            torch::tensor(static_cast<std::int64_t>(file))};
  }

  torch::optional<std::size_t> size() const override {
    return shared_->paths.size() * shared_->repeat;
  }

 private:
  std::shared_ptr<const Shared> shared_;
};

auto stacked(const std::shared_ptr<Shared>& shared) {
  return FileDataset(shared).map(torch::data::transforms::Stack<>());
}

template <class Sampler>
class LoaderOf : public TorchLoader {
 public:
  LoaderOf(std::shared_ptr<Shared> shared, const torch::data::DataLoaderOptions& options)
      : shared_(std::move(shared)),
        loader_(torch::data::make_data_loader<Sampler>(stacked(shared_), options)) {}

  TorchRepetition run(std::uint64_t epoch, void (*progress)(void*, std::uint64_t),
                      void* context) override {
    using Clock = std::chrono::steady_clock;
    const auto since = [](Clock::time_point start) {
      return std::chrono::duration<double>(Clock::now() - start).count();
    };
    shared_->epoch = epoch;
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
  std::shared_ptr<Shared> shared_;
  std::unique_ptr<Loader> loader_;
};

std::shared_ptr<Shared> make_shared_state(const TorchRequest& request) {
  auto shared = std::make_shared<Shared>();
  shared->paths.assign(request.paths, request.paths + request.files);
  shared->repeat = request.repeat;
  shared->seed = request.seed;
  const Pipeline pipeline = Pipeline::parse(request.pipeline);
  if (request.decoder == TorchDecoder::opencv) {
    shared->maker = std::make_unique<OpenCvMaker>(pipeline);
  } else {
    shared->maker = std::make_unique<PlanMaker>(pipeline);
  }
  return shared;
}

std::unique_ptr<TorchLoader> make_loader(const TorchRequest& request) {
  at::set_num_threads(1);
  cv::setNumThreads(0);
  auto shared = make_shared_state(request);
  const auto options = torch::data::DataLoaderOptions()
                           .batch_size(request.batch_size)
                           .workers(static_cast<std::size_t>(request.num_workers));
  using Sequential = torch::data::samplers::SequentialSampler;
  using Shuffled = torch::data::samplers::RandomSampler;
  if (request.shuffle != 0) return std::make_unique<LoaderOf<Shuffled>>(shared, options);
  return std::make_unique<LoaderOf<Sequential>>(shared, options);
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
