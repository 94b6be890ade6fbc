#include <stoker/engine/batch.hpp>

#include "src/engine/batch_lease.hpp"
#include "src/engine/sample_filler.hpp"
#include <stoker/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace stoker {
namespace {

const BatchLease& checked(const std::unique_ptr<BatchLease>& lease) {
  if (!lease) throw Error(ErrorCode::invalid_state, "the batch was moved from or released");
  return *lease;
}

}  // namespace

Batch::Batch(std::unique_ptr<BatchLease> lease) noexcept : lease_(std::move(lease)) {}
Batch::Batch() noexcept = default;
Batch::~Batch() { release(); }
Batch::Batch(Batch&&) noexcept = default;

Batch& Batch::operator=(Batch&& other) noexcept {
  if (this == &other) return *this;
  release();
  lease_ = std::move(other.lease_);
  return *this;
}

void Batch::release() noexcept {
  if (!lease_) return;
  lease_->ring->release(*lease_->slot, lease_->streams);
  lease_.reset();
}

TensorView Batch::operator[](std::string_view field) const {
  const BatchLease& lease = checked(lease_);
  const SlotLayout& layout = lease.ring->layout();
  const auto found = std::ranges::find(layout.fields(), field, &FieldSpec::name);
  if (found == layout.fields().end()) {
    std::vector<std::string_view> names;
    for (const FieldSpec& spec : layout.fields()) names.push_back(spec.name);
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("the batch has no field \"{}\", it has: {}", field, fmt::join(names, ", ")));
  }
  const auto f = static_cast<std::size_t>(found - layout.fields().begin());
  const Device& device = lease.ring->device();
  return {lease.slot->memory + layout.offset(f), found->dtype,
          found->shape.prepended(static_cast<std::int64_t>(lease.slot->info.count)),
          device.zero_copy() ? DeviceId{} : device.id(), found->layout};
}

std::size_t Batch::size() const noexcept { return lease_ ? lease_->slot->info.count : 0; }
std::uint64_t Batch::epoch() const noexcept { return lease_ ? lease_->slot->info.epoch : 0; }
std::uint64_t Batch::number() const noexcept { return lease_ ? lease_->slot->info.number : 0; }

std::span<const std::uint64_t> Batch::indices() const noexcept {
  return lease_ ? std::span<const std::uint64_t>(lease_->slot->info.indices)
                : std::span<const std::uint64_t>();
}

std::span<const std::uint8_t> Batch::valid() const noexcept {
  return lease_ ? std::span<const std::uint8_t>(lease_->slot->info.valid)
                : std::span<const std::uint8_t>();
}

std::string Batch::name(std::size_t i) const {
  const BatchLease& lease = checked(lease_);
  if (i >= size()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the batch has {} samples, there is no sample {}", size(), i));
  }
  return lease.producer->name(lease.slot->info.indices[i]);
}

std::size_t Batch::field_count() const noexcept {
  return lease_ ? lease_->ring->layout().fields().size() : 0;
}

std::string_view Batch::field_name(std::size_t i) const {
  const auto& fields = checked(lease_).ring->layout().fields();
  if (i >= fields.size()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the batch has {} fields, there is no field {}", fields.size(), i));
  }
  return fields[i].name;
}

void Batch::record_use(StreamRef stream) {
  checked(lease_);
  if (std::ranges::find(lease_->streams, stream) == lease_->streams.end()) {
    lease_->streams.push_back(stream);
  }
}

}  // namespace stoker
