#pragma once

#include <stoker/core/image.hpp>

#include <cstdio>
#include <jpeglib.h>

#include <csetjmp>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace stoker::bench {

/// Decodes parts of JPEG images with libjpeg-turbo's C API as directly as it allows. Shares no code
/// with stoker's decoders, whose limit it is to show. Used by one thread at a time.
class JpegDecompressor {
 public:
  JpegDecompressor();
  ~JpegDecompressor();
  JpegDecompressor(const JpegDecompressor&) = delete;
  JpegDecompressor& operator=(const JpegDecompressor&) = delete;

  /// Reads a header. Returns the size, or nothing where the data is no JPEG that libjpeg-turbo
  /// turns into RGB. `bytes` must stay valid until `decode` or the next `open`.
  std::optional<Size> open(std::span<const std::byte> bytes);
  /// Decodes at least `crop` of the open image into a buffer of its own. Returns whether it could.
  bool decode(const Rect& crop);

 private:
  struct ErrorManager : jpeg_error_mgr {
    std::jmp_buf back;
  };
  static void jump_back(j_common_ptr info);
  void read_rows(const Rect& crop);

  ErrorManager errors_{};
  jpeg_decompress_struct info_{};
  std::vector<JSAMPLE> pixels_;
  std::vector<JSAMPROW> rows_;
};

}  // namespace stoker::bench
