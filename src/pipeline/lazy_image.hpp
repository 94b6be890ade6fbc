#pragma once

#include <stoker/decoders/decoder.hpp>
#include <stoker/pipeline/plan.hpp>
#include <stoker/transforms/canvas.hpp>
#include <stoker/transforms/finish.hpp>
#include <stoker/transforms/resample.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace stoker {

/// Memory that a LazyImage works in, kept from sample to sample.
struct ImageWorkspace {
  Decoder decoder;
  Resampler resampler;
  std::array<Image, 2> images;  ///< the image as it is, and room for the next step's result
  std::uint64_t decode_nanoseconds = 0;
};

/// The canvas that puts work off until its result is needed, and then does only the part that is:
///   base (encoded file or pixels) → window → resize → window of the result → flip
/// Crops narrow one of the windows, a flip waits for whoever reads the pixels. A step that does not
/// fit into this chain (a second resize, a resize behind a flip, padding, a user's transform) first
/// carries out what waits. With `fuse` off every step is carried out at once on whole images.
class LazyImage final : public Canvas {
 public:
  LazyImage(ImageWorkspace& workspace, bool fuse) : workspace_(workspace), fuse_(fuse) {}

  /// Starts with an encoded image; `bytes` must stay valid until the pixels are written.
  Status open(std::span<const std::byte> bytes, const DecodeOptions& options);

  Size size() const override;
  Status crop(const Rect& rect) override;
  Status crop_padded(const Rect& rect, std::uint8_t fill) override;
  Status resize(Size size, Interpolation interpolation) override;
  Status flip_horizontally() override;
  Result<Image*> pixels() override;

  /// Does what waits while it writes the result to `out` through the finish pass.
  Status write(const Finish& finish, std::byte* out);
  /// Writes 8-bit pixels [H, W, 3] without a flip: says whether one is left to do.
  Status write_unflipped(std::byte* out, bool& flip);
  /// Leaves pixels in `memory` and says how they are to be resized and mirrored.
  Status write_unresized(CropMemory& memory, UnresizedImage& unresized);

 private:
  struct PendingResize {
    Size size;
    Interpolation interpolation;
    Rect window;  ///< the part of the result that is kept
  };
  /// Pixels ready to be read, and where the wanted ones lie.
  struct Source {
    ImageView pixels;
    Resampler::Request request;
    int origin_top = 0, origin_left = 0;
    Size size;
  };

  void adopt_handed_out();
  Image& image() const { return workspace_.images[current_]; }
  Image& spare() const { return workspace_.images[1 - current_]; }
  void take_spare();

  Status decode_window();
  Result<Source> resize_source();
  Result<Source> scaled_source(int denominator);
  Resampler::Request pending_request() const;
  Result<Source> unresized_source();
  bool move_into(CropMemory& memory, Source& source) const;
  Status resize_into(CropMemory& memory, Source& source);
  static ResizeCrop describe(const Source& source, const CropMemory& memory);
  Result<DecodedWindow> decode(const Rect& window, int denominator);
  Status settle();       ///< carries out all that waits, but for a crop and a flip
  Status materialise();  ///< carries out all that waits

  ImageWorkspace& workspace_;
  bool fuse_;
  std::size_t current_ = 0;
  std::optional<Size> encoded_size_;  ///< set until the image is decoded
  Rect window_;                       ///< kept part of the base
  std::optional<PendingResize> resize_;
  bool flip_ = false;
  bool handed_out_ = false;  ///< the caller of pixels() may have changed the image's size
};

}  // namespace stoker
