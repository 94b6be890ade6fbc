#pragma once

#include <stoker/core/arguments.hpp>
#include <stoker/core/operation.hpp>
#include <stoker/decoders/decoder.hpp>

#include <string>

namespace stoker {

/// The step that turns a sample's encoded bytes into an image: `decode` in the pipeline language.
class Decode : public Operation {
 public:
  /// @throws Error(invalid_argument) unless max_pixels is from 1 to 2^53, the whole numbers that
  /// the pipeline language can write.
  explicit Decode(const DecodeOptions& options);

  const DecodeOptions& options() const noexcept { return options_; }
  /// "decode(strict=false, orient=true, scaled=false, max_pixels=178956970)"
  std::string text() const override;

 private:
  DecodeOptions options_;
};

/// Makes a decoding step. @throws Error(invalid_argument) as Decode's constructor does.
Step decode(const DecodeOptions& options = {});

/// Makes a decoding step of parsed arguments: strict, orient, scaled, max_pixels, in this order.
/// @throws Error(invalid_pipeline)
Step make_decode(Arguments& arguments);

}  // namespace stoker
