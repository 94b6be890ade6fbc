#pragma once

#include <stoker/core/error.hpp>

#include <cstdio>
#include <jpeglib.h>

#include <array>
#include <csetjmp>
#include <cstddef>
#include <span>
#include <type_traits>

namespace stoker {

/// Owns one libjpeg decompressor, made once and used for image after image, and keeps libjpeg's way
/// of failing inside: calls run under `run`, which turns a longjmp into `false`. Each image decodes
/// as with a decompressor of its own, whatever the image before left behind. Warnings are counted
/// but ignored, and nothing is ever printed. Neither movable nor thread-safe.
class JpegSession {
 public:
  /// Scans that a file may have; more are corrupt. Encoders write about ten, a file made to waste
  /// time millions. Source: libjpeg-turbo's fuzz targets stop at the same number.
  static constexpr int max_scans = 500;

  /// @throws Error where libjpeg refuses, e.g. because another version than the headers' is loaded.
  JpegSession();
  ~JpegSession();
  JpegSession(const JpegSession&) = delete;
  JpegSession& operator=(const JpegSession&) = delete;

  /// Gives up the image before and starts another, whose bytes must stay valid until `end`.
  void begin(std::span<const std::byte> bytes) noexcept;
  /// Frees the image's memory; harmless where there is none.
  void end() noexcept { jpeg_abort_decompress(&info_); }

  /// Calls `steps(jpeg_decompress_struct&)`. Returns false where libjpeg failed: `failure` then
  /// says why, and only `begin` may follow. libjpeg leaves `steps` by longjmp, so nothing with a
  /// destructor may live in it.
  template <class Steps>
  bool run(Steps steps) {
    static_assert(std::is_trivially_destructible_v<Steps>);
    struct Call {
      Steps* steps;
      jpeg_decompress_struct* info;
    } call{&steps, &info_};
    return run_guarded(
        [](void* data) {
          const Call& made = *static_cast<Call*>(data);
          (*made.steps)(*made.info);
        },
        &call);
  }

  /// Makes every later call fail once the image has more than `max_scans` scans.
  void watch_scans() noexcept { info_.progress = &progress_; }

  const jpeg_decompress_struct& info() const noexcept { return info_; }
  Failure failure() const;

 private:
  bool run_guarded(void (*steps)(void*), void* data);
  /// Leaves `run`; keeps the text that is there where none is given.
  [[noreturn]] void give_up(ErrorCode code, const char* text);

  // libjpeg's hooks.
  static void exit_with_error(j_common_ptr info);
  static void count_warning(j_common_ptr info, int level);
  static void print_nothing(j_common_ptr) {}
  static void start_or_end_source(j_decompress_ptr) {}
  static boolean refuse_to_fill(j_decompress_ptr info);
  static void skip_bytes(j_decompress_ptr info, long count);
  static void check_scans(j_common_ptr info);
  static void* allocate_small(j_common_ptr info, int pool, std::size_t bytes);

  static constexpr std::size_t table_slot = (sizeof(JHUFF_TBL) + alignof(std::max_align_t) - 1) /
                                            alignof(std::max_align_t) * alignof(std::max_align_t);
  static constexpr std::size_t table_slots = NUM_QUANT_TBLS + 2 * NUM_HUFF_TBLS;
  static_assert(sizeof(JQUANT_TBL) <= table_slot);

  jpeg_decompress_struct info_{};
  jpeg_error_mgr errors_{};
  jpeg_source_mgr source_{};
  jpeg_progress_mgr progress_{};
  std::jmp_buf escape_{};
  ErrorCode code_ = ErrorCode::corrupt;
  std::array<char, JMSG_LENGTH_MAX> text_{};
  void* (*library_allocate_small_)(j_common_ptr, int, std::size_t) = nullptr;
  std::size_t tables_used_ = 0;
  alignas(std::max_align_t) std::array<std::byte, table_slot * table_slots> tables_{};
};

}  // namespace stoker
