#pragma once

#include <tl/expected.hpp>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace stoker {

/// What went wrong. `meaning()` gives each code's line.
enum class ErrorCode {
  invalid_argument,  ///< an option or parameter has a value that is not allowed
  invalid_pipeline,  ///< the pipeline's text has a mistake, or its steps do not fit together
  invalid_state,     ///< the call is not allowed now, e.g. next() of an epoch that another replaced
  not_found,         ///< a file or directory does not exist
  permission_denied,    ///< a file or directory may not be read
  io_error,             ///< the operating system failed to read or write
  empty_source,         ///< the source has no samples
  empty_class,          ///< a class folder holds no file of an allowed kind
  bad_list,             ///< a line of a file list is not `path label`
  empty_file,           ///< a sample has zero bytes
  unknown_format,       ///< a sample's content is no image format that this build reads
  truncated,            ///< an image's data end before the image is complete
  corrupt,              ///< an image's data contradict its format
  unsupported,          ///< valid, but not supported by this build or on this machine
  image_too_large,      ///< an image declares more pixels than the limit
  crop_out_of_bounds,   ///< a crop does not fit into the image
  shape_mismatch,       ///< a sample's shape or dtype differs from what the batch was laid out for
  user_code,            ///< a callable given by the user threw
  out_of_memory,        ///< memory could not be allocated
  timeout,              ///< a batch was not ready within the timeout
  all_slots_held,       ///< every slot of the ring is held by the consumer
  device_error,         ///< the device refused or failed
  bad_state,            ///< a saved state is damaged, of another version or of another run
  bad_environment,      ///< variables that say rank and world size are incomplete or contradictory
  communication_error,  ///< the ranks of a distributed run could not exchange data
  ranks_disagree,       ///< the ranks of a distributed run have different data or settings
};

/// Returns the code's name as written in the enumeration.
std::string_view name(ErrorCode code) noexcept;
/// Returns one line that says what the code means.
std::string_view meaning(ErrorCode code) noexcept;

/// Which sample of which batch a failure belongs to; fields are set where they apply.
struct SampleContext {
  std::optional<std::uint64_t> sample_index;  ///< index in the source
  std::string sample_name;                    ///< path or name in the source; empty if none
  std::optional<std::uint64_t> epoch;
  std::optional<std::uint64_t> batch;  ///< number of the batch in its epoch, from 0
};

/// Is thrown by every public call that fails. `what()` holds the whole story in one line:
/// the code, the message and the context.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message, SampleContext context = {});

  ErrorCode code() const noexcept { return code_; }
  /// The message without code and context.
  const std::string& message() const noexcept { return message_; }
  const SampleContext& context() const noexcept { return context_; }

 private:
  ErrorCode code_;
  std::string message_;
  SampleContext context_;
};

/// A failure as a value: how one sample's failure travels inside the library.
struct Failure {
  ErrorCode code;
  std::string message;
};

/// What a call returns, or why it failed.
template <class T>
using Result = tl::expected<T, Failure>;
/// Success or a failure. [[nodiscard]] comes with tl::expected's users: check it.
using Status = tl::expected<void, Failure>;

/// Makes the failing alternative of a Result or a Status.
inline tl::unexpected<Failure> fail(ErrorCode code, std::string message) {
  return tl::unexpected<Failure>(Failure{code, std::move(message)});
}

}  // namespace stoker

/// Returns the failure of a Status or Result expression from the enclosing function.
#define STOKER_RETURN_IF_FAILED(expression)                                       \
  do {                                                                            \
    if (auto stoker_status = (expression); !stoker_status)                        \
      return tl::unexpected<::stoker::Failure>(std::move(stoker_status.error())); \
  } while (false)
