#include "src/engine/slot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace stoker {
namespace {

constexpr std::size_t alignment = 256;

[[noreturn]] void too_large(const FieldSpec& field, std::size_t batch_size) {
  throw Error(ErrorCode::invalid_argument,
              fmt::format("field {} of shape {} times a batch size of {} does not fit into memory",
                          field.name, field.shape.text(), batch_size));
}

}  // namespace

SlotLayout::SlotLayout(std::vector<FieldSpec> fields, std::size_t batch_size)
    : fields_(std::move(fields)), batch_size_(batch_size) {
  if (fields_.empty() || fields_.size() > max_fields) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the producer has {} fields, it must have from 1 to {}", fields_.size(),
                            max_fields));
  }
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / 4;
  for (const FieldSpec& field : fields_) {
    if (field.budget > most) too_large(field, batch_size);  // rounding it up could overflow
    const std::size_t least =
        field.budget == 0 ? field.bytes() : RaggedRoom::rounded(field.bytes());
    const std::size_t bytes = std::max(least, RaggedRoom::rounded(field.budget));
    if (bytes > most / batch_size || bytes_ > most - bytes * batch_size) {
      too_large(field, batch_size);
    }
    offsets_.push_back(bytes_);
    sample_bytes_.push_back(least);
    field_bytes_.push_back(bytes * batch_size);
    bytes_ += (bytes * batch_size + alignment - 1) / alignment * alignment;
  }
}

std::vector<RaggedRoom> SlotLayout::rooms(std::byte* memory) const {
  std::vector<RaggedRoom> rooms(fields_.size());
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    if (!is_ragged(f)) continue;
    rooms[f] = RaggedRoom(memory + offsets_[f], field_bytes_[f], sample_bytes_[f], batch_size_);
  }
  return rooms;
}

}  // namespace stoker
