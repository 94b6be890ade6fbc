#include "src/pipeline/lazy_image.hpp"

#include "transforms/resample_axis.hpp"
#include <stoker/transforms/to.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

namespace stoker {
namespace {

Rect whole(Size size) { return {0, 0, size.height, size.width}; }

/// What decoding refuses as too large is too large as a result as well.
Status check_pixels(Size size) {
  const auto pixels =
      static_cast<std::uint64_t>(size.height) * static_cast<std::uint64_t>(size.width);
  if (pixels <= default_max_pixels) return {};
  return fail(ErrorCode::image_too_large,
              fmt::format("a result of {} x {} pixels (height x width), at most {} are possible",
                          size.height, size.width, default_max_pixels));
}

Rect moved(const Rect& rect, int down, int right) {
  return {rect.top + down, rect.left + right, rect.height, rect.width};
}

/// The same pixels' place in the mirrored image.
Rect mirrored(const Rect& rect, int width) {
  return {rect.top, width - rect.right(), rect.height, rect.width};
}

Resampler::Request whole_request(Size source, Size target, Interpolation interpolation,
                                 const Rect& window) {
  return {{0, 0, static_cast<double>(source.width), static_cast<double>(source.height)},
          target,
          window,
          interpolation};
}

void copy_pixels(const ImageView& from, Image& to) {
  to.resize(from.size);
  for (int y = 0; y < from.size.height; ++y) std::memcpy(to.row(y), from.row(y), to.stride());
}

void mirror_rows(Image& image) {
  for (int y = 0; y < image.size().height; ++y) {
    std::uint8_t* row = image.row(y);
    for (int left = 0, right = image.size().width - 1; left < right; ++left, --right) {
      std::swap_ranges(row + left * Image::channels, row + (left + 1) * Image::channels,
                       row + right * Image::channels);
    }
  }
}

/// True where a device's resize gives this one's bits. Source of the number of taps: Pillow,
/// Resample.c, precompute_coeffs.
bool device_resizes(Size source, const Resampler::Request& request) {
  if (resample::vertical_first(source, request.size)) return false;
  const auto fits = [](const resample::Axis& axis) {
    if (resample::only_moves(axis)) return true;
    return axis.interpolation != Interpolation::nearest &&
           2 * std::ceil(resample::stretch(axis).support) + 1 <= ResizeTask::max_taps;
  };
  return fits(resample::horizontal_axis(source, request)) &&
         fits(resample::vertical_axis(source, request));
}

ResizeFilter filter_of(const resample::Axis& axis) {
  if (resample::only_moves(axis)) return ResizeFilter::none;
  return axis.interpolation == Interpolation::bicubic ? ResizeFilter::bicubic
                                                      : ResizeFilter::bilinear;
}

ResizeAxis to_device(const resample::Axis& axis, int held) {
  return {axis.source, held, axis.begin, axis.end, axis.size, axis.first, filter_of(axis)};
}

/// Adds the time until its end to a counter.
class Stopwatch {
 public:
  explicit Stopwatch(std::uint64_t& nanoseconds) : nanoseconds_(nanoseconds) {}
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() {
    nanoseconds_ += static_cast<std::uint64_t>(
        std::chrono::nanoseconds(std::chrono::steady_clock::now() - start_).count());
  }

 private:
  std::uint64_t& nanoseconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

Status LazyImage::open(std::span<const std::byte> bytes, const DecodeOptions& options) {
  const Stopwatch stopwatch(workspace_.decode_nanoseconds);
  Result<Size> size = workspace_.decoder.open(bytes, options);
  if (!size) return tl::unexpected<Failure>(std::move(size.error()));
  encoded_size_ = *size;
  window_ = whole(*size);
  return fuse_ ? Status{} : materialise();
}

void LazyImage::adopt_handed_out() {
  if (!handed_out_) return;
  handed_out_ = false;
  window_ = whole(image().size());
}

Size LazyImage::size() const {
  if (handed_out_) return image().size();
  return resize_ ? resize_->window.size() : window_.size();
}

Status LazyImage::crop(const Rect& rect) {
  adopt_handed_out();
  if (!rect.inside(size())) {
    return fail(
        ErrorCode::crop_out_of_bounds,
        fmt::format("a crop of {} x {} pixels at row {}, column {} does not fit into an "
                    "image of {} x {} pixels (height x width)",
                    rect.height, rect.width, rect.top, rect.left, size().height, size().width));
  }
  const Rect kept = flip_ ? mirrored(rect, size().width) : rect;
  Rect& narrowed = resize_ ? resize_->window : window_;
  narrowed = moved(kept, narrowed.top, narrowed.left);
  return fuse_ ? Status{} : materialise();
}

Status LazyImage::crop_padded(const Rect& rect, std::uint8_t fill) {
  adopt_handed_out();
  if (rect.inside(size())) return crop(rect);
  STOKER_RETURN_IF_FAILED(check_pixels(rect.size()));
  STOKER_RETURN_IF_FAILED(materialise());
  const Image& from = image();
  Image& to = spare();
  to.resize(rect.size());
  std::memset(to.data(), fill, to.bytes());
  const int top = std::max(rect.top, 0), bottom = std::min(rect.bottom(), from.size().height);
  const int left = std::max(rect.left, 0), right = std::min(rect.right(), from.size().width);
  for (int y = top; y < bottom && left < right; ++y) {
    std::memcpy(to.row(y - rect.top) + std::ptrdiff_t{left - rect.left} * Image::channels,
                from.row(y) + std::ptrdiff_t{left} * Image::channels,
                static_cast<std::size_t>(right - left) * Image::channels);
  }
  take_spare();
  return {};
}

Status LazyImage::resize(Size size, Interpolation interpolation) {
  adopt_handed_out();
  STOKER_RETURN_IF_FAILED(check_pixels(size));
  if (size == this->size()) return {};  // every filter is the identity then, as in Pillow
  // The filters' weights are not symmetric to the last bit, so a flip can't be moved behind them.
  if (resize_ || flip_) STOKER_RETURN_IF_FAILED(materialise());
  resize_ = PendingResize{size, interpolation, whole(size)};
  return fuse_ ? Status{} : materialise();
}

Status LazyImage::flip_horizontally() {
  adopt_handed_out();
  flip_ = !flip_;
  return fuse_ ? Status{} : materialise();
}

Result<Image*> LazyImage::pixels() {
  adopt_handed_out();
  STOKER_RETURN_IF_FAILED(materialise());
  handed_out_ = true;
  return &image();
}

Status LazyImage::write(const Finish& finish, std::byte* out) {
  adopt_handed_out();
  if (!resize_) {
    STOKER_RETURN_IF_FAILED(decode_window());
    finish.write(image().view().window(window_), flip_, out);
    return {};
  }
  const Result<Source> source = resize_source();
  if (!source) return tl::unexpected<Failure>(source.error());
  const Size size = resize_->window.size();
  workspace_.resampler.run(
      source->pixels, source->origin_top, source->origin_left, source->size, source->request,
      [&](int y, const std::uint8_t* row) { finish.write_row(row, y, size, flip_, out); });
  return {};
}

Status LazyImage::write_unflipped(std::byte* out, bool& flip) {
  static const Finish as_they_are(std::vector<Step>{to(DType::uint8, Layout::NHWC)});
  adopt_handed_out();
  flip = std::exchange(flip_, false);
  return write(as_they_are, out);
}

Status LazyImage::write_unresized(CropMemory& memory, UnresizedImage& unresized) {
  adopt_handed_out();
  // Decoded where it is to lie, if there is room.
  const bool there = !resize_ || device_resizes(window_.size(), pending_request());
  if (encoded_size_ && there) image().lie_in(&memory);
  Result<Source> source = unresized_source();
  image().lie_in(nullptr);
  if (!source) return tl::unexpected<Failure>(source.error());
  unresized.resized = !there || !device_resizes(source->size, source->request) ||
                      !(image().lies_elsewhere() || move_into(memory, *source));
  if (unresized.resized) STOKER_RETURN_IF_FAILED(resize_into(memory, *source));
  unresized.crop = describe(*source, memory);
  unresized.crop.flip = flip_;
  return {};
}

/// The pixels that the result is made of, whether they are to be resized or not.
Result<LazyImage::Source> LazyImage::unresized_source() {
  if (resize_) return resize_source();
  STOKER_RETURN_IF_FAILED(decode_window());
  const Size size = window_.size();
  return Source{image().view().window(window_),
                whole_request(size, size, Interpolation::bilinear, whole(size)), 0, 0, size};
}

ResizeCrop LazyImage::describe(const Source& source, const CropMemory& memory) {
  ResizeCrop crop;
  crop.offset = static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(source.pixels.data) -
                                           memory.base());
  crop.stride = static_cast<std::uint32_t>(source.pixels.stride);
  crop.across =
      to_device(resample::horizontal_axis(source.size, source.request), source.origin_left);
  crop.down = to_device(resample::vertical_axis(source.size, source.request), source.origin_top);
  return crop;
}

/// Copies pixels of this workspace. Returns false where the memory has no room for them.
bool LazyImage::move_into(CropMemory& memory, Source& source) const {
  const Size size = source.pixels.size;
  const std::size_t stride = static_cast<std::size_t>(size.width) * Image::channels;
  std::uint8_t* const to = memory.take(stride * static_cast<std::size_t>(size.height));
  if (to == nullptr) return false;
  for (int y = 0; y < size.height; ++y) {
    std::memcpy(to + static_cast<std::size_t>(y) * stride, source.pixels.row(y), stride);
  }
  source.pixels = {to, size, stride};
  return true;
}

/// Resizes here after all. By way of the spare image: what is read may lie in that memory itself.
Status LazyImage::resize_into(CropMemory& memory, Source& source) {
  Image& resized = spare();
  const Size size = source.request.window.size();
  resized.resize(size);
  workspace_.resampler.run(
      source.pixels, source.origin_top, source.origin_left, source.size, source.request,
      [&](int y, const std::uint8_t* row) { std::memcpy(resized.row(y), row, resized.stride()); });
  source = {resized.view(), whole_request(size, size, Interpolation::bilinear, whole(size)), 0, 0,
            size};
  if (move_into(memory, source)) return {};
  return fail(ErrorCode::out_of_memory, "the batch has no room for a result of its size");
}

void LazyImage::take_spare() {
  current_ = 1 - current_;
  window_ = whole(image().size());
}

Result<DecodedWindow> LazyImage::decode(const Rect& window, int denominator) {
  const Stopwatch stopwatch(workspace_.decode_nanoseconds);
  encoded_size_.reset();
  return workspace_.decoder.decode(window, denominator, image());
}

/// What the pending resize asks of the whole window.
Resampler::Request LazyImage::pending_request() const {
  return whole_request(window_.size(), resize_->size, resize_->interpolation, resize_->window);
}

/// Decodes, if that has not been done, so that `window_` names pixels of image().
Status LazyImage::decode_window() {
  if (!encoded_size_) return {};
  const Rect wanted = fuse_ ? window_ : whole(*encoded_size_);
  const Result<DecodedWindow> decoded = decode(wanted, 1);
  if (!decoded) return tl::unexpected<Failure>(decoded.error());
  window_ = moved(window_, -decoded->covers.top, -decoded->covers.left);
  return {};
}

/// Makes the pixels that the pending resize reads, decoding no more than those.
Result<LazyImage::Source> LazyImage::resize_source() {
  if (encoded_size_) {
    const int denominator = workspace_.decoder.denominator_for(window_, resize_->size);
    if (denominator > 1) return scaled_source(denominator);
  }
  Source source;
  source.size = window_.size();
  source.request = pending_request();
  if (!encoded_size_) {
    source.pixels = image().view().window(window_);
    return source;
  }
  const Rect footprint = Resampler::footprint(source.size, source.request);
  const Rect wanted = moved(footprint, window_.top, window_.left);
  const Result<DecodedWindow> decoded = decode(wanted, 1);
  if (!decoded) return tl::unexpected<Failure>(decoded.error());
  source.pixels = image().view().window(moved(wanted, -decoded->covers.top, -decoded->covers.left));
  source.origin_top = footprint.top;
  source.origin_left = footprint.left;
  return source;
}

/// The same at a DCT scale: the crop's edges then fall between the pixels of the smaller image. As
/// with a crop of the full image, pixels outside the crop take no part, but for those that the edge
/// cuts.
Result<LazyImage::Source> LazyImage::scaled_source(int denominator) {
  const Result<DecodedWindow> decoded = decode(window_, denominator);
  if (!decoded) return tl::unexpected<Failure>(decoded.error());
  const double d = denominator;
  const Size scaled = decoded->scaled;
  const Rect cut{window_.top / denominator, window_.left / denominator,
                 std::min((window_.bottom() + denominator - 1) / denominator, scaled.height) -
                     window_.top / denominator,
                 std::min((window_.right() + denominator - 1) / denominator, scaled.width) -
                     window_.left / denominator};
  Source source;
  source.size = cut.size();
  source.request =
      whole_request(source.size, resize_->size, resize_->interpolation, resize_->window);
  source.request.box = {window_.left / d - cut.left, window_.top / d - cut.top,
                        std::min(window_.right() / d - cut.left, double(cut.width)),
                        std::min(window_.bottom() / d - cut.top, double(cut.height))};
  source.pixels = image().view().window(moved(cut, -decoded->covers.top, -decoded->covers.left));
  return source;
}

Status LazyImage::settle() {
  if (!resize_) return decode_window();
  const Result<Source> source = resize_source();
  if (!source) return tl::unexpected<Failure>(source.error());
  Image& to = spare();
  to.resize(resize_->window.size());
  workspace_.resampler.run(
      source->pixels, source->origin_top, source->origin_left, source->size, source->request,
      [&](int y, const std::uint8_t* row) { std::memcpy(to.row(y), row, to.stride()); });
  resize_.reset();
  take_spare();
  return {};
}

Status LazyImage::materialise() {
  STOKER_RETURN_IF_FAILED(settle());
  if (window_ != whole(image().size())) {
    copy_pixels(image().view().window(window_), spare());
    take_spare();
  }
  if (std::exchange(flip_, false)) mirror_rows(image());
  return {};
}

}  // namespace stoker
