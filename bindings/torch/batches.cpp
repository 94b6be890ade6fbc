#include <stoker/torch/batches.hpp>

#include "bindings/torch/slot_tensors.hpp"
#include <stoker/torch/device.hpp>

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <span>

namespace stoker::torch {
namespace {

at::Tensor copied_indices(std::span<const std::uint64_t> indices) {
  at::Tensor tensor = at::empty({static_cast<std::int64_t>(indices.size())}, at::kLong);
  if (!indices.empty()) std::memcpy(tensor.data_ptr(), indices.data(), indices.size_bytes());
  return tensor;
}

at::Tensor copied_mask(std::span<const std::uint8_t> valid) {
  at::Tensor tensor = at::empty({static_cast<std::int64_t>(valid.size())}, at::kBool);
  std::ranges::transform(valid, tensor.data_ptr<bool>(), [](std::uint8_t v) { return v != 0; });
  return tensor;
}

}  // namespace

const at::Tensor& Batch::operator[](std::string_view field) const {
  for (const auto& [name, tensor] : fields) {
    if (name == field) return tensor;
  }
  std::vector<std::string_view> names;
  for (const auto& entry : fields) names.emplace_back(entry.first);
  throw Error(ErrorCode::invalid_argument, fmt::format("the batch has no field \"{}\", it has: {}",
                                                       field, fmt::join(names, ", ")));
}

void Batch::record_use(c10::Stream stream) const {
  for (const auto& entry : fields) {
    if (torch::record_use(entry.second, stream)) return;
  }
}

bool record_use(const at::Tensor& tensor, c10::Stream stream) {
  const std::shared_ptr<SlotLease> lease = lease_of(tensor);
  if (!lease) return false;
  const std::lock_guard lock(lease->mutex);
  lease->batch.record_use(torch::stream(stream));
  return true;
}

Batch as_tensors(stoker::Batch batch) {
  const auto lease = std::make_shared<SlotLease>(std::move(batch));
  const stoker::Batch& slot = lease->batch;
  Batch tensors;
  for (std::size_t i = 0; i < slot.field_count(); ++i) {
    const std::string_view name = slot.field_name(i);
    tensors.fields.emplace_back(name, slot_tensor(lease, slot[name]));
  }
  tensors.data = tensors.fields[0].second;
  if (tensors.fields.size() > 1) tensors.target = tensors.fields[1].second;
  tensors.indices = copied_indices(slot.indices());
  tensors.valid = copied_mask(slot.valid());
  tensors.epoch = slot.epoch();
  tensors.number = slot.number();
  return tensors;
}

std::optional<Batch> Batches::next() {
  std::optional<stoker::Batch> batch = epoch_.next(current_stream(device_));
  if (!batch) return std::nullopt;
  return as_tensors(std::move(*batch));
}

Batches batches(Loader& loader, std::uint64_t epoch, bool last) {
  return {loader.epoch(epoch, last), loader.options().device->id()};
}

}  // namespace stoker::torch
