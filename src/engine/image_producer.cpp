#include "src/engine/image_producer.hpp"

#include <cstring>

namespace stoker {
namespace {

/// Workspaces that are kept for the next sample; more calls at the same time make their own.
constexpr std::size_t kept_workspaces = 512;

}  // namespace

ImageProducer::ImageProducer(const Source& source, const Pipeline& pipeline)
    : source_(source), plan_(pipeline), idle_(kept_workspaces) {
  fields_ = {{"image", plan_.finish().dtype(), plan_.output_shape()}, {"label", DType::int64, {}}};
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

Status ImageProducer::produce(std::uint64_t /*index*/, const EncodedSample& sample,
                              std::span<std::byte* const> place, const RandomKey& key,
                              ProduceCounters& counters) const {
  std::unique_ptr<Workspace> workspace = borrow();
  const std::uint64_t nanoseconds = workspace->decode_nanoseconds();
  const std::uint64_t pixels = workspace->pixels_decoded();
  Status status = plan_.run(sample.bytes, key, *workspace, place[0]);
  counters.decode_nanoseconds += workspace->decode_nanoseconds() - nanoseconds;
  counters.pixels_decoded += workspace->pixels_decoded() - pixels;
  give_back(std::move(workspace));
  std::memcpy(place[1], &sample.label, sizeof sample.label);
  return status;
}

}  // namespace stoker
