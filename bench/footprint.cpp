#include "bench/footprint.hpp"

#include <stoker/transforms/canvas.hpp>
#include <stoker/transforms/resample.hpp>
#include <stoker/transforms/transform.hpp>

#include <optional>

namespace stoker::bench {
namespace {

/// Follows crops and one resize without pixels. What comes behind a second resize, a flip or a
/// border no longer narrows what is needed.
class Outline : public Canvas {
 public:
  explicit Outline(Size image) : size_(image), kept_{0, 0, image.height, image.width} {}

  Size size() const override { return size_; }

  Status crop(const Rect& rect) override {
    if (!rect.inside(size_)) return fail(ErrorCode::crop_out_of_bounds, "the crop does not fit");
    size_ = rect.size();
    if (followed_) narrow(rect);
    return {};
  }

  Status crop_padded(const Rect& rect, std::uint8_t) override {
    if (rect.inside(size_)) return crop(rect);
    followed_ = false;
    size_ = rect.size();
    return {};
  }

  Status resize(Size size, Interpolation interpolation) override {
    if (request_) followed_ = false;
    if (followed_) request_ = whole(size, interpolation);
    size_ = size;
    return {};
  }

  Status flip_horizontally() override {
    followed_ = false;
    return {};
  }

  Result<Image*> pixels() override { return fail(ErrorCode::unsupported, "there are no pixels"); }

  Rect needed() const {
    if (!request_) return kept_;
    Rect rect = Resampler::footprint(kept_.size(), *request_);
    rect.top += kept_.top;
    rect.left += kept_.left;
    return rect;
  }

 private:
  void narrow(const Rect& rect) {
    Rect& target = request_ ? request_->window : kept_;
    target = {target.top + rect.top, target.left + rect.left, rect.height, rect.width};
  }

  Resampler::Request whole(Size size, Interpolation interpolation) const {
    const Box box{0, 0, static_cast<double>(kept_.width), static_cast<double>(kept_.height)};
    return {box, size, {0, 0, size.height, size.width}, interpolation};
  }

  Size size_;
  Rect kept_;
  std::optional<Resampler::Request> request_;
  bool followed_ = true;
};

}  // namespace

Rect footprint(const Pipeline& pipeline, Size image, const RandomKey& key) {
  Outline outline(image);
  for (std::size_t i = 0; i < pipeline.steps().size(); ++i) {
    const auto* transform = dynamic_cast<const Transform*>(pipeline.steps()[i].get());
    if (transform == nullptr) continue;
    Random random(key, static_cast<std::uint32_t>(i));
    if (!transform->apply(outline, random)) break;
  }
  return outline.needed();
}

}  // namespace stoker::bench
