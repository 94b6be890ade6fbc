#include <stoker/core/error.hpp>

#include <fmt/format.h>

#include <array>

namespace stoker {
namespace {

struct CodeEntry {
  ErrorCode code;
  std::string_view name;
  std::string_view meaning;
};

constexpr std::array entries{
    CodeEntry{ErrorCode::invalid_argument, "invalid_argument",
              "an option or parameter has a value that is not allowed"},
    CodeEntry{ErrorCode::invalid_pipeline, "invalid_pipeline",
              "the pipeline's text has a mistake, or its steps do not fit together"},
    CodeEntry{ErrorCode::invalid_state, "invalid_state", "the call is not allowed now"},
    CodeEntry{ErrorCode::not_found, "not_found", "a file or directory does not exist"},
    CodeEntry{ErrorCode::permission_denied, "permission_denied",
              "a file or directory may not be read"},
    CodeEntry{ErrorCode::io_error, "io_error", "the operating system failed to read or write"},
    CodeEntry{ErrorCode::empty_source, "empty_source", "the source has no samples"},
    CodeEntry{ErrorCode::empty_class, "empty_class",
              "a class folder holds no file of an allowed kind"},
    CodeEntry{ErrorCode::bad_list, "bad_list", "a line of a file list is not a path and a label"},
    CodeEntry{ErrorCode::empty_file, "empty_file", "a sample has zero bytes"},
    CodeEntry{ErrorCode::unknown_format, "unknown_format",
              "a sample's content is no image format that this build reads"},
    CodeEntry{ErrorCode::truncated, "truncated",
              "an image's data end before the image is complete"},
    CodeEntry{ErrorCode::corrupt, "corrupt", "an image's data contradict its format"},
    CodeEntry{ErrorCode::unsupported, "unsupported",
              "valid, but not supported by this build or on this machine"},
    CodeEntry{ErrorCode::image_too_large, "image_too_large",
              "an image declares more pixels than the limit"},
    CodeEntry{ErrorCode::crop_out_of_bounds, "crop_out_of_bounds",
              "a crop does not fit into the image"},
    CodeEntry{ErrorCode::shape_mismatch, "shape_mismatch",
              "a sample's shape or dtype differs from what the batch was laid out for"},
    CodeEntry{ErrorCode::user_code, "user_code", "a callable given by the user threw"},
    CodeEntry{ErrorCode::out_of_memory, "out_of_memory", "memory could not be allocated"},
    CodeEntry{ErrorCode::timeout, "timeout", "a batch was not ready within the timeout"},
    CodeEntry{ErrorCode::all_slots_held, "all_slots_held",
              "every slot of the ring is held by the consumer"},
    CodeEntry{ErrorCode::device_error, "device_error", "the device refused or failed"},
    CodeEntry{ErrorCode::bad_state, "bad_state",
              "a saved state is damaged, of another version or of another run"},
    CodeEntry{ErrorCode::bad_environment, "bad_environment",
              "the variables that say rank and world size are incomplete or contradict each other"},
    CodeEntry{ErrorCode::communication_error, "communication_error",
              "the ranks of a distributed run could not exchange data"},
    CodeEntry{ErrorCode::ranks_disagree, "ranks_disagree",
              "the ranks of a distributed run have different data or settings"},
};

const CodeEntry& entry(ErrorCode code) noexcept { return entries[static_cast<std::size_t>(code)]; }

std::string context_text(const SampleContext& context) {
  std::string text;
  const auto add = [&text](std::string part) {
    text += text.empty() ? "" : ", ";
    text += part;
  };
  if (context.sample_index) {
    add(context.sample_name.empty()
            ? fmt::format("sample {}", *context.sample_index)
            : fmt::format("sample {} \"{}\"", *context.sample_index, context.sample_name));
  }
  if (context.batch) add(fmt::format("batch {}", *context.batch));
  if (context.epoch) add(fmt::format("epoch {}", *context.epoch));
  return text;
}

std::string full_text(ErrorCode code, const std::string& message, const SampleContext& context) {
  const std::string where = context_text(context);
  return where.empty() ? fmt::format("{}: {}", name(code), message)
                       : fmt::format("{}: {} ({})", name(code), message, where);
}

}  // namespace

std::string_view name(ErrorCode code) noexcept { return entry(code).name; }
std::string_view meaning(ErrorCode code) noexcept { return entry(code).meaning; }

Error::Error(ErrorCode code, const std::string& message, SampleContext context)
    : std::runtime_error(full_text(code, message, context)),
      code_(code),
      message_(message),
      context_(std::move(context)) {}

}  // namespace stoker
