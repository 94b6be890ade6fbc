#pragma once

#include <stoker/core/dtype.hpp>
#include <stoker/transforms/normalize.hpp>
#include <stoker/transforms/to.hpp>

#include <array>
#include <optional>
#include <string>

namespace stoker::finish {

/// What a chain of value operations makes of each channel's 256 values.
class Values {
 public:
  /// Starts with 8-bit pixels as they are, NCHW.
  Values();

  /// Both throw Error(invalid_pipeline) where the operation does not fit behind those before it.
  void apply(const To& operation);
  void apply(const Normalize& operation);

  DType dtype() const noexcept { return dtype_; }
  Layout layout() const noexcept { return layout_; }
  /// What value `v` of channel `c` becomes; a number that dtype() holds exactly.
  float at(std::size_t c, std::size_t v) const noexcept { return table_[c][v]; }

  /// The same as one formula, (v * scale - mean) / std in float32, rounded to dtype() at the end;
  /// off where a chain rounds to a narrower type in between.
  float scale() const noexcept { return scale_; }
  ChannelStatistics statistics() const;
  std::string text() const;

 private:
  void scale_to_unit();
  template <class Function>
  void change(Function function);

  DType dtype_ = DType::uint8;
  Layout layout_ = Layout::NCHW;
  float scale_ = 1;
  std::optional<ChannelStatistics> statistics_;
  std::array<std::array<float, 256>, 3> table_{};
};

}  // namespace stoker::finish
