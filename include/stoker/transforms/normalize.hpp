#pragma once

#include <stoker/core/arguments.hpp>
#include <stoker/core/operation.hpp>

#include <array>

namespace stoker {

/// Mean and standard deviation of each channel, red first, of pixels scaled to [0, 1].
struct ChannelStatistics {
  std::array<double, 3> mean{};
  std::array<double, 3> std{};
  friend bool operator==(const ChannelStatistics&, const ChannelStatistics&) = default;
};

/// Source: torchvision.models, the statistics that its ImageNet models were trained with.
inline constexpr ChannelStatistics imagenet_statistics{{0.485, 0.456, 0.406},
                                                       {0.229, 0.224, 0.225}};

/// Subtracts each channel's mean and divides by its standard deviation, to float32, as
/// torchvision's `normalize` does; 8-bit pixels are scaled to [0, 1] first, as its v2 `to_dtype`
/// does. Finish executes it.
class Normalize final : public Operation {
 public:
  /// @throws Error(invalid_argument) for a mean or std that float32 cannot hold or a std of 0.
  explicit Normalize(const ChannelStatistics& statistics);

  const ChannelStatistics& statistics() const noexcept { return statistics_; }
  std::string text() const override;

 private:
  ChannelStatistics statistics_;
};

/// Makes a step of Normalize, with its errors.
Step normalize(const ChannelStatistics& statistics);

/// normalize(imagenet) or normalize(mean, std), each one number or one for each channel.
/// @throws Error(invalid_pipeline)
Step make_normalize(Arguments& arguments);

}  // namespace stoker
