#pragma once

#include <stoker/core/error.hpp>
#include <stoker/core/image.hpp>
#include <stoker/core/random.hpp>
#include <stoker/core/tensor_view.hpp>
#include <stoker/device/resize_task.hpp>
#include <stoker/pipeline/pipeline.hpp>
#include <stoker/transforms/finish.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace stoker {

class Decode;
class Transform;
class LazyImage;

/// How a pipeline is planned.
struct PlanOptions {
  /// Decode only what the crops need, resize only what is kept, flip while writing. Off, each step
  /// is carried out on the whole image; the results are the same to the bit.
  bool fuse = true;
};

/// Where the end of a pipeline is done: flip, normalise, cast and layout.
enum class FinishOn : std::uint8_t {
  automatic,  ///< on the device where there is one, and its bytes are fewer before than behind
  cpu,
  device,  ///< 8-bit pixels cross the bus
};

/// Where crops are resized: the same bits either way.
enum class ResizeOn : std::uint8_t {
  cpu,
  device,  ///< decoded crops cross the bus, so that the CPU only decodes; brings the finish along
};

/// Where a plan leaves a sample's pixels that a device resizes.
class CropMemory : public ImageMemory {
 public:
  /// Where offsets are counted from.
  virtual const std::byte* base() const = 0;

 protected:
  ~CropMemory() = default;
};

/// What a plan left of a sample for a device to do.
struct UnresizedImage {
  ResizeCrop crop;
  bool resized = false;  ///< it had to be resized after all
};

/// The memory with which one worker executes plans: decoder, resampler, scratch images. Used by one
/// thread at a time, again and again; grows to the largest sample and then allocates no more.
class Workspace {
 public:
  Workspace();
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;

  /// Bytes of memory held, for accounting.
  std::size_t capacity() const noexcept;
  /// Time spent in decoders and pixels decoded since construction.
  std::uint64_t decode_nanoseconds() const noexcept;
  std::uint64_t pixels_decoded() const noexcept;

 private:
  friend class Plan;
  struct State;
  std::unique_ptr<State> state_;
};

/// What a plan made of one sample where the size is not known ahead.
struct PlanOutput {
  DType dtype = DType::uint8;
  Layout layout = Layout::NCHW;
  Size size;
  std::vector<std::byte> data;  ///< C x H x W or H x W x C elements
};

/// How a pipeline is carried out: decode, transforms, and one finish pass that flips, normalises,
/// casts and lays out while it writes the result. Immutable; may be used by many threads at the
/// same time, each with its own workspace.
class Plan {
 public:
  /// @throws Error(invalid_pipeline) unless `decode` comes first and only, value steps
  /// (`normalize`, `to`) fit together, and behind them only steps follow that move pixels.
  explicit Plan(Pipeline pipeline, PlanOptions options = {});

  const Pipeline& pipeline() const noexcept { return pipeline_; }
  const Finish& finish() const noexcept { return finish_; }
  /// The size of every output, or nothing where it depends on the image.
  std::optional<Size> output_size() const noexcept { return output_size_; }
  /// Shape of an output, without batch dimension: [3, H, W] or [H, W, 3].
  /// @throws Error(invalid_pipeline) where there is no fixed size, with advice.
  Shape output_shape() const;

  /// Decodes and transforms one sample and writes it to `out`, `output_shape()` elements of
  /// `finish().dtype()`. The random numbers of step i of the pipeline (decode is step 0) are those
  /// of Random(key, i). Fails as decoding and the transforms do, with shape_mismatch where a step
  /// of the user's changed the size, and with user_code where one threw.
  Status run(std::span<const std::byte> encoded, const RandomKey& key, Workspace& workspace,
             std::byte* out) const;

  /// The same but for the end that a device may do: writes 8-bit pixels [H, W, 3] and says whether
  /// they are left to be mirrored. finish() is then to be done to them.
  Status run_unfinished(std::span<const std::byte> encoded, const RandomKey& key,
                        Workspace& workspace, std::byte* out, bool& flip) const;

  /// The same but for the resize too, where that comes last: decodes into `memory`, if possible
  /// without a copy, and says how it is to be resized and mirrored. An image whose pixels `memory`
  /// has no room for, or that ResizeTask is not for, is resized here; so many bytes as the result
  /// has (8-bit) must then be there.
  Status run_unresized(std::span<const std::byte> encoded, const RandomKey& key,
                       Workspace& workspace, CropMemory& memory, UnresizedImage& image) const;

  /// The same for outputs of any size, into memory of its own.
  Result<PlanOutput> apply(std::span<const std::byte> encoded, const RandomKey& key,
                           Workspace& workspace) const;

  /// Says step by step how the plan is carried out, for people, where finish and resize are done
  /// there.
  std::string explain(FinishOn finish = FinishOn::cpu, ResizeOn resize = ResizeOn::cpu) const;

 private:
  Status open(LazyImage& image, std::span<const std::byte> encoded, const RandomKey& key) const;
  Status transform(LazyImage& image, const RandomKey& key) const;

  Pipeline pipeline_;
  PlanOptions options_;
  std::shared_ptr<const Decode> decode_;
  std::vector<std::pair<std::uint32_t, std::shared_ptr<const Transform>>> transforms_;
  Finish finish_;
  std::optional<Size> output_size_;
};

}  // namespace stoker
