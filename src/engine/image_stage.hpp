#pragma once

#include <stoker/device/finish_task.hpp>
#include <stoker/engine/device_stage.hpp>
#include <stoker/transforms/finish.hpp>

#include <cstddef>
#include <vector>

namespace stoker {

/// What the stages of image pipelines have in common: they make "image" as the finish says, with
/// its tables as constants, and copy "label", the last field of the host's.
class ImageStage : public DeviceStage {
 public:
  const std::vector<FieldSpec>& outputs() const override { return outputs_; }
  std::optional<std::size_t> source_of(std::size_t output) const override;
  std::span<const std::byte> constants() const override { return tables_; }

 protected:
  /// `label` is the number of the host's field.
  ImageStage(const Finish& finish, Size size, std::size_t label);

  /// What the device needs to know of the finish of a batch.
  FinishTarget target(std::span<std::byte* const> outputs, const std::byte* constants,
                      std::size_t count) const;

 private:
  Size size_;
  Finish finish_;
  std::size_t label_;
  std::vector<std::byte> tables_;
  std::vector<FieldSpec> outputs_;
};

}  // namespace stoker
