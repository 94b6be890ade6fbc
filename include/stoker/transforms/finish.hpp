#pragma once

#include <stoker/core/dtype.hpp>
#include <stoker/core/image.hpp>
#include <stoker/core/operation.hpp>
#include <stoker/core/tensor_view.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace stoker {

/// The last pass over an image: casts, normalises, flips and lays out 8-bit RGB pixels while it
/// writes them to their place in a batch. What the value operations make of a pixel depends on its
/// channel and its 256 values alone, so one table a channel defines every bit of the result:
/// entries are computed as torch does, each step rounded to float32, then rounded to nearest even
/// to float16 or bfloat16. Vector arithmetic stands in for the table only where, at construction,
/// it gave the table's bits for all values of all channels. Immutable; copies share the tables; all
/// members may be called by many threads at the same time.
class Finish {
 public:
  /// Makes uint8, NCHW: the pixels as they are.
  Finish();
  /// Executes the value operations at the end of a pipeline, in their order. `normalize` and a
  /// conversion from uint8 to a float type scale by 1/255 unless the pixels are floats already.
  /// @throws Error(invalid_pipeline) for a step that is no value operation, a second normalize, a
  /// normalize behind to(float16) or to(bfloat16), or to(uint8) behind a step that makes floats.
  explicit Finish(std::span<const Step> operations);

  /// True for the steps that the constructor takes: Normalize and To.
  static bool is_value_operation(const Operation& operation) noexcept;

  DType dtype() const noexcept;
  Layout layout() const noexcept;
  /// Returns a sample's shape: [3, H, W], or [H, W, 3] for NHWC.
  Shape shape(Size size) const;
  std::size_t bytes(Size size) const noexcept;

  /// Writes row `y` of a sample of `size` to its place in the sample that starts at `out`, mirrored
  /// where `flip` says so. Reads up to Image::padding bytes behind the row's pixels; writes nothing
  /// but the row's own elements. `out` need not be aligned.
  /// A sample's rows are written by one thread, the last one (y = height - 1) last: a large sample
  /// is written past the caches, and only behind its last row may it be handed to another thread.
  void write_row(const std::uint8_t* rgb, int y, Size size, bool flip, std::byte* out) const;
  /// Writes all rows of an image.
  void write(const ImageView& image, bool flip, std::byte* out) const;

  /// Returns the tables for a device to do the pass with: [3, 256] elements of dtype(), one table a
  /// channel.
  std::vector<std::byte> tables() const;

  /// Says what the pass does: "float32 NCHW of (v / 255 - mean) / std with ...".
  std::string text() const;
  /// True where vector arithmetic stands in for the tables.
  bool computes() const noexcept;

  /// True where both give the same bits for every image.
  friend bool operator==(const Finish& a, const Finish& b) noexcept;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace stoker
