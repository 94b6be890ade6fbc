#include "src/engine/image_producer.hpp"

#include "src/engine/finish_stage.hpp"

#include <cstring>

namespace stoker {
namespace {

/// Workspaces that are kept for the next sample; more calls at the same time make their own.
constexpr std::size_t kept_workspaces = 512;

std::shared_ptr<const DeviceStage> stage_for(const Plan& plan, FinishOn where, bool has_device) {
  static_cast<void>(plan.output_shape());  // throws where there is none
  if (where == FinishOn::device && !has_device) {
    throw Error(ErrorCode::invalid_argument, "finish = device needs a device to deliver to");
  }
  const bool fewer_bytes_before = size_of(plan.finish().dtype()) > 1;
  const bool there = where == FinishOn::device ||
                     (where == FinishOn::automatic && has_device && fewer_bytes_before);
  if (!there) return nullptr;
  return std::make_shared<FinishStage>(plan.finish(), *plan.output_size());
}

}  // namespace

ImageProducer::ImageProducer(const Source& source, const Pipeline& pipeline, FinishOn finish,
                             bool has_device)
    : source_(source),
      plan_(pipeline),
      stage_(stage_for(plan_, finish, has_device)),
      idle_(kept_workspaces) {
  if (stage_) {
    fields_ = FinishStage::inputs(*plan_.output_size());
  } else {
    fields_ = {{"image", plan_.finish().dtype(), plan_.output_shape()},
               {"label", DType::int64, {}}};
  }
  label_field_ = fields_.size() - 1;
}

ImageProducer::~ImageProducer() {
  idle_.consume_all([](Workspace* workspace) { delete workspace; });
}

std::unique_ptr<Workspace> ImageProducer::borrow() const {
  Workspace* idle = nullptr;
  if (idle_.pop(idle)) return std::unique_ptr<Workspace>(idle);
  return std::make_unique<Workspace>();
}

void ImageProducer::give_back(std::unique_ptr<Workspace> workspace) const {
  if (idle_.push(workspace.get())) static_cast<void>(workspace.release());
}

Status ImageProducer::make_image(const EncodedSample& sample, std::span<std::byte* const> place,
                                 const RandomKey& key, Workspace& workspace) const {
  if (!stage_) return plan_.run(sample.bytes, key, workspace, place[0]);
  bool flip = false;
  STOKER_RETURN_IF_FAILED(plan_.run_unfinished(sample.bytes, key, workspace, place[0], flip));
  *place[1] = std::byte{flip};
  return {};
}

Status ImageProducer::produce(std::uint64_t /*index*/, const EncodedSample& sample,
                              std::span<std::byte* const> place, const RandomKey& key,
                              ProduceCounters& counters) const {
  std::unique_ptr<Workspace> workspace = borrow();
  const std::uint64_t nanoseconds = workspace->decode_nanoseconds();
  const std::uint64_t pixels = workspace->pixels_decoded();
  Status status = make_image(sample, place, key, *workspace);
  counters.decode_nanoseconds += workspace->decode_nanoseconds() - nanoseconds;
  counters.pixels_decoded += workspace->pixels_decoded() - pixels;
  give_back(std::move(workspace));
  std::memcpy(place[label_field_], &sample.label, sizeof sample.label);
  return status;
}

}  // namespace stoker
