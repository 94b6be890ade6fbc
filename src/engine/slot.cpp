#include "src/engine/slot.hpp"

#include <fmt/format.h>

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
    const std::size_t bytes = field.bytes();
    if (bytes > most / batch_size || bytes_ > most - bytes * batch_size) {
      too_large(field, batch_size);
    }
    offsets_.push_back(bytes_);
    sample_bytes_.push_back(bytes);
    bytes_ += (bytes * batch_size + alignment - 1) / alignment * alignment;
  }
}

}  // namespace stoker
