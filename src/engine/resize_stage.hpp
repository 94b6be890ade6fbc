#pragma once

#include <stoker/engine/device_stage.hpp>
#include <stoker/transforms/finish.hpp>

#include <cstddef>
#include <vector>

namespace stoker {

/// Does an image pipeline's resize and finish on the device: of host fields "image.pixels" (decoded
/// crops of any size, ragged), "image.crop" (a ResizeCrop each) and "label" it makes "image" as the
/// finish says, and copies "label".
class ResizeStage final : public DeviceStage {
 public:
  enum Input : std::size_t { pixels, crop, label };

  ResizeStage(const Finish& finish, Size size);

  /// The fields that the host provides; `budget` is what a batch holds of pixels, in bytes a
  /// sample.
  static std::vector<FieldSpec> inputs(Size size, std::size_t budget);

  const std::vector<FieldSpec>& outputs() const override { return outputs_; }
  std::optional<std::size_t> source_of(std::size_t output) const override;
  std::span<const std::byte> constants() const override { return tables_; }
  void enqueue(Device& device, StreamRef stream, std::span<std::byte* const> inputs,
               std::span<std::byte* const> outputs, const std::byte* constants,
               std::size_t count) const override;

 private:
  Size size_;
  Finish finish_;
  std::vector<std::byte> tables_;
  std::vector<FieldSpec> outputs_;
};

}  // namespace stoker
