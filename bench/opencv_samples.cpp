// One of LibTorch's workers, as people write them with OpenCV.

#include "bench/torch_samples.hpp"
#include <stoker/core/error.hpp>
#include <stoker/transforms/canvas.hpp>
#include <stoker/transforms/normalize.hpp>
#include <stoker/transforms/to.hpp>
#include <stoker/transforms/transform.hpp>

#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace stoker::bench {
namespace {

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

}  // namespace

std::unique_ptr<const SampleMaker> opencv_samples(const Pipeline& pipeline) {
  cv::setNumThreads(0);
  return std::make_unique<OpenCvMaker>(pipeline);
}

}  // namespace stoker::bench
