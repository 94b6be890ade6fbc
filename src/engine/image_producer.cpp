#include "src/engine/image_producer.hpp"

#include "src/engine/finish_stage.hpp"
#include "src/engine/resize_stage.hpp"

#include <algorithm>
#include <cstring>

namespace stoker {
namespace {

/// Workspaces that are kept for the next sample; more calls at the same time make their own.
constexpr std::size_t kept_workspaces = 512;
/// Photos' random crops are about twice as large as what models take; some batches' are larger.
constexpr std::size_t results_in_budget = 3;

void check(const ImagePlacement& placement) {
  const auto refuse = [](const char* why) { throw Error(ErrorCode::invalid_argument, why); };
  if (!placement.has_device && placement.finish == FinishOn::device) {
    refuse("finish = device needs a device to deliver to");
  }
  if (!placement.has_device && placement.resize == ResizeOn::device) {
    refuse("resize_on = device needs a device to deliver to");
  }
  if (placement.resize == ResizeOn::device && placement.finish == FinishOn::cpu) {
    refuse("resize_on = device does the finish there too: leave finish automatic");
  }
}

bool finishes_on_device(const Plan& plan, const ImagePlacement& placement) {
  const bool fewer_bytes_before = size_of(plan.finish().dtype()) > 1;
  return placement.finish == FinishOn::device ||
         (placement.finish == FinishOn::automatic && placement.has_device && fewer_bytes_before);
}

/// A slot's ragged room as what a plan leaves pixels in.
class CropsInSlot final : public CropMemory {
 public:
  explicit CropsInSlot(const SamplePlace& place) : place_(place) {}
  std::uint8_t* take(std::size_t bytes) override {
    return reinterpret_cast<std::uint8_t*>(place_.take(ResizeStage::pixels, bytes));
  }
  const std::byte* base() const override { return place_[ResizeStage::pixels]; }

 private:
  const SamplePlace& place_;
};

}  // namespace

ImageProducer::ImageProducer(const Source& source, const Pipeline& pipeline,
                             const ImagePlacement& placement)
    : source_(source), plan_(pipeline), idle_(kept_workspaces) {
  const Shape shape = plan_.output_shape();  // throws where there is none
  const Size size = *plan_.output_size();
  check(placement);
  if (placement.resize == ResizeOn::device) {
    work_ = Work::decode;
    stage_ = std::make_shared<ResizeStage>(plan_.finish(), size);
    const std::size_t result = std::size_t{3} * static_cast<std::size_t>(size.height) *
                               static_cast<std::size_t>(size.width);
    fields_ = ResizeStage::inputs(
        size, placement.crop_bytes != 0 ? placement.crop_bytes : results_in_budget * result);
  } else if (finishes_on_device(plan_, placement)) {
    work_ = Work::all_but_finish;
    stage_ = std::make_shared<FinishStage>(plan_.finish(), size);
    fields_ = FinishStage::inputs(size);
  } else {
    fields_ = {{"image", plan_.finish().dtype(), shape, 0, plan_.finish().layout()},
               {"label", DType::int64, {}}};
  }
  label_field_ = fields_.size() - 1;
}

ImageProducer::~ImageProducer() {
  idle_.consume_all([](Workspace* workspace) { delete workspace; });
}

bool ImageProducer::may_block() const {
  return std::ranges::any_of(plan_.pipeline().steps(),
                             [](const Step& step) { return step->may_block(); });
}

std::unique_ptr<Workspace> ImageProducer::borrow() const {
  Workspace* idle = nullptr;
  if (idle_.pop(idle)) return std::unique_ptr<Workspace>(idle);
  return std::make_unique<Workspace>();
}

void ImageProducer::give_back(std::unique_ptr<Workspace> workspace) const {
  if (idle_.push(workspace.get())) static_cast<void>(workspace.release());
}

Status ImageProducer::make_unfinished(const EncodedSample& sample, const SamplePlace& place,
                                      const RandomKey& key, Workspace& workspace) const {
  bool flip = false;
  STOKER_RETURN_IF_FAILED(
      plan_.run_unfinished(sample.bytes, key, workspace, place[FinishStage::pixels], flip));
  const ImageState state = flip ? ImageState::mirrored : ImageState::upright;
  std::memcpy(place[FinishStage::state], &state, sizeof state);
  return {};
}

Status ImageProducer::make_unresized(const EncodedSample& sample, const SamplePlace& place,
                                     const RandomKey& key, Workspace& workspace,
                                     ProduceCounters& counters) const {
  CropsInSlot memory(place);
  UnresizedImage image;
  STOKER_RETURN_IF_FAILED(plan_.run_unresized(sample.bytes, key, workspace, memory, image));
  counters.resized_on_cpu += image.resized ? 1 : 0;
  std::memcpy(place[ResizeStage::crop], &image.crop, sizeof image.crop);
  return {};
}

Status ImageProducer::make_image(const EncodedSample& sample, const SamplePlace& place,
                                 const RandomKey& key, Workspace& workspace,
                                 ProduceCounters& counters) const {
  switch (work_) {
    case Work::all_but_finish: return make_unfinished(sample, place, key, workspace);
    case Work::decode: return make_unresized(sample, place, key, workspace, counters);
    case Work::all: break;
  }
  return plan_.run(sample.bytes, key, workspace, place[0]);
}

Status ImageProducer::produce(std::uint64_t /*index*/, const EncodedSample& sample,
                              const SamplePlace& place, const RandomKey& key,
                              ProduceCounters& counters) const {
  std::unique_ptr<Workspace> workspace = borrow();
  const std::uint64_t nanoseconds = workspace->decode_nanoseconds();
  const std::uint64_t pixels = workspace->pixels_decoded();
  Status status = make_image(sample, place, key, *workspace, counters);
  counters.decode_nanoseconds += workspace->decode_nanoseconds() - nanoseconds;
  counters.pixels_decoded += workspace->pixels_decoded() - pixels;
  give_back(std::move(workspace));
  std::memcpy(place[label_field_], &sample.label, sizeof sample.label);
  return status;
}

}  // namespace stoker
