#include "src/engine/device_transfer.hpp"

#include <array>
#include <cstring>
#include <utility>

namespace stoker {
namespace {

/// A stream, an event and host memory for a copy that is waited for.
class Upload {
 public:
  Upload(Device& device, std::span<const std::byte> bytes)
      : device_(device),
        bytes_(bytes.size()),
        host_(device.allocate_host(bytes.size())),
        stream_(device.create_stream()),
        done_(device.create_event()) {
    std::memcpy(host_, bytes.data(), bytes.size());
  }
  ~Upload() {
    device_.destroy_event(done_);
    device_.destroy_stream(stream_);
    device_.free_host(host_, bytes_);
  }
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;

  void run(std::byte* to) {
    device_.copy_to_device(to, host_, bytes_, stream_);
    device_.record(done_, stream_);
    device_.synchronize(done_);
  }

 private:
  Device& device_;
  std::size_t bytes_;
  void* host_;
  StreamRef stream_;
  EventRef done_;
};

}  // namespace

DeviceMemory::DeviceMemory(DevicePtr device, std::size_t bytes)
    : device_(std::move(device)),
      bytes_(bytes),
      memory_(static_cast<std::byte*>(device_->allocate_device(bytes))) {}

DeviceMemory::~DeviceMemory() { device_->free_device(memory_, bytes_); }

DeviceTransfer::DeviceTransfer(DevicePtr device, const SlotLayout& host, const SlotLayout& target,
                               std::shared_ptr<const DeviceStage> stage)
    : device_(std::move(device)), host_(host), target_(target), stage_(std::move(stage)) {
  if (!stage_) return;
  output_of_.resize(host_.fields().size());
  for (std::size_t output = 0; output < target_.fields().size(); ++output) {
    if (const auto field = stage_->source_of(output)) output_of_[*field] = output;
  }
  staging_.emplace(device_, host_.bytes());
  upload_constants();
}

void DeviceTransfer::upload_constants() {
  const std::span<const std::byte> constants = stage_->constants();
  if (constants.empty()) return;
  constants_.emplace(device_, constants.size());
  Upload(*device_, constants).run(constants_->data());
}

std::size_t DeviceTransfer::copy(const Slot& from, const Slot& to, std::size_t count,
                                 StreamRef stream) const {
  return stage_ ? copy_for_stage(from, to, count, stream) : copy_all(from, to, count, stream);
}

/// Where a host field that the stage reads lies on the device; null for one that is only copied.
std::byte* DeviceTransfer::staged(std::size_t field) const noexcept {
  return output_of_[field] ? nullptr : staging_->data() + host_.offset(field);
}

/// What a field of a batch takes in its slot.
std::size_t DeviceTransfer::bytes_of(const Slot& from, std::size_t field, std::size_t count) const {
  return host_.is_ragged(field) ? from.rooms[field].used() : host_.sample_bytes(field) * count;
}

/// One copy where the batch is full: its fields lie together.
std::size_t DeviceTransfer::copy_all(const Slot& from, const Slot& to, std::size_t count,
                                     StreamRef stream) const {
  if (count == host_.batch_size()) {
    device_->copy_to_device(to.memory, from.memory, host_.bytes(), stream);
    return host_.bytes();
  }
  std::size_t copied = 0;
  for (std::size_t f = 0; f < host_.fields().size(); ++f) {
    const std::size_t bytes = host_.sample_bytes(f) * count;
    device_->copy_to_device(to.memory + host_.offset(f), from.memory + host_.offset(f), bytes,
                            stream);
    copied += bytes;
  }
  return copied;
}

std::size_t DeviceTransfer::copy_for_stage(const Slot& from, const Slot& to, std::size_t count,
                                           StreamRef stream) const {
  std::size_t copied = 0;
  for (std::size_t f = 0; f < host_.fields().size(); ++f) {
    const std::size_t bytes = bytes_of(from, f, count);
    const std::optional<std::size_t> output = output_of_[f];
    std::byte* const place = output ? to.memory + target_.offset(*output) : staged(f);
    device_->copy_to_device(place, from.memory + host_.offset(f), bytes, stream);
    copied += bytes;
  }
  return copied;
}

void DeviceTransfer::finish(const Slot& to, std::size_t count, StreamRef stream) const {
  if (!stage_) return;
  std::array<std::byte*, SlotLayout::max_fields> inputs{}, outputs{};
  for (std::size_t f = 0; f < host_.fields().size(); ++f) inputs[f] = staged(f);
  for (std::size_t o = 0; o < target_.fields().size(); ++o) {
    outputs[o] = to.memory + target_.offset(o);
  }
  stage_->enqueue(*device_, stream, {inputs.data(), host_.fields().size()},
                  {outputs.data(), target_.fields().size()},
                  constants_ ? constants_->data() : nullptr, count);
}

}  // namespace stoker
