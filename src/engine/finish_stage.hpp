#pragma once

#include <stoker/engine/device_stage.hpp>
#include <stoker/transforms/finish.hpp>

#include <vector>

namespace stoker {

/// What a device needs to know of a finish; where the results go is left out.
FinishTarget finish_target(const Finish& finish, Size size, const std::byte* tables,
                           std::size_t count);

/// Does an image pipeline's finish on the device: of host fields "image" (8-bit [H, W, 3]),
/// "image.state" and "label" it makes "image" as the finish says, and copies "label".
class FinishStage final : public DeviceStage {
 public:
  enum Output : std::size_t { finished, label_copy };

  FinishStage(const Finish& finish, Size size);

  /// The fields that the host provides.
  static std::vector<FieldSpec> inputs(Size size);
  /// What the consumer gets, whoever made it.
  static std::vector<FieldSpec> image_and_label(const Finish& finish, Size size);

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
