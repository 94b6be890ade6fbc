#include "decoders/jpeg_session.hpp"

#include <fmt/format.h>
#include <jerror.h>

#include <algorithm>
#include <cstring>

namespace stoker {
namespace {

ErrorCode code_of(int message) {
  switch (message) {
    case JERR_OUT_OF_MEMORY: return ErrorCode::out_of_memory;
    case JERR_IMAGE_TOO_BIG:
    case JERR_WIDTH_OVERFLOW: return ErrorCode::image_too_large;
#if JPEG_LIB_VERSION < 70
    case JERR_ARITH_NOTIMPL:
#endif
    case JERR_BAD_LIB_VERSION:
    case JERR_BAD_PRECISION:
    case JERR_BAD_STRUCT_SIZE:
    case JERR_CCIR601_NOTIMPL:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_NOTIMPL:
    case JERR_NOT_COMPILED:
    case JERR_SOF_UNSUPPORTED: return ErrorCode::unsupported;
    default: return ErrorCode::corrupt;
  }
}

}  // namespace

JpegSession::JpegSession() {
  info_.err = jpeg_std_error(&errors_);
  info_.client_data = this;
  errors_.error_exit = exit_with_error;
  errors_.emit_message = count_warning;
  errors_.output_message = print_nothing;
  source_.init_source = start_or_end_source;
  source_.term_source = start_or_end_source;
  source_.fill_input_buffer = refuse_to_fill;
  source_.skip_input_data = skip_bytes;
  source_.resync_to_restart = jpeg_resync_to_restart;
  progress_.progress_monitor = check_scans;
  const bool created = run([](jpeg_decompress_struct& info) {
    jpeg_CreateDecompress(&info, JPEG_LIB_VERSION, sizeof(info));
  });
  if (!created) throw Error(code_, failure().message);
  info_.src = &source_;
  library_allocate_small_ = info_.mem->alloc_small;
  info_.mem->alloc_small = allocate_small;
}

JpegSession::~JpegSession() { jpeg_destroy_decompress(&info_); }

void JpegSession::begin(std::span<const std::byte> bytes) noexcept {
  end();
  source_.next_input_byte = reinterpret_cast<const JOCTET*>(bytes.data());
  source_.bytes_in_buffer = bytes.size();
  info_.progress = nullptr;
  tables_used_ = 0;
  std::ranges::fill(info_.quant_tbl_ptrs, nullptr);
  std::ranges::fill(info_.dc_huff_tbl_ptrs, nullptr);
  std::ranges::fill(info_.ac_huff_tbl_ptrs, nullptr);
}

// A frame of its own: setjmp may not return into a frame whose variables live in registers.
bool JpegSession::run_guarded(void (*steps)(void*), void* data) {
  if (setjmp(escape_) != 0) return false;
  steps(data);
  return true;
}

Failure JpegSession::failure() const { return {code_, fmt::format("JPEG: {}", text_.data())}; }

void JpegSession::give_up(ErrorCode code, const char* text) {
  code_ = code;
  if (text) std::strncpy(text_.data(), text, text_.size() - 1);
  std::longjmp(escape_, 1);
}

void JpegSession::exit_with_error(j_common_ptr info) {
  auto& session = *static_cast<JpegSession*>(info->client_data);
  info->err->format_message(info, session.text_.data());
  session.give_up(code_of(info->err->msg_code), nullptr);
}

void JpegSession::count_warning(j_common_ptr info, int level) {
  if (level < 0) ++info->err->num_warnings;
}

boolean JpegSession::refuse_to_fill(j_decompress_ptr info) {
  static_cast<JpegSession*>(info->client_data)
      ->give_up(ErrorCode::truncated, "the data end before the image is complete");
}

void JpegSession::skip_bytes(j_decompress_ptr info, long count) {
  if (count <= 0) return;
  const auto wanted = static_cast<std::size_t>(count);
  if (wanted > info->src->bytes_in_buffer) refuse_to_fill(info);
  info->src->next_input_byte += wanted;
  info->src->bytes_in_buffer -= wanted;
}

void JpegSession::check_scans(j_common_ptr info) {
  auto& session = *static_cast<JpegSession*>(info->client_data);
  if (session.info_.input_scan_number <= max_scans) return;
  session.give_up(ErrorCode::corrupt, "the image has more than 500 scans");
}

// libjpeg keeps quantisation and Huffman tables for the decompressor's life, so that an image which
// lacks them would decode with the image before's. Here they live as long as an image: `begin`
// forgets the pointers and this hands the same memory out again.
void* JpegSession::allocate_small(j_common_ptr info, int pool, std::size_t bytes) {
  auto& session = *static_cast<JpegSession*>(info->client_data);
  const bool is_table = bytes == sizeof(JQUANT_TBL) || bytes == sizeof(JHUFF_TBL);
  if (pool != JPOOL_PERMANENT || !is_table || session.tables_used_ == table_slots) {
    return session.library_allocate_small_(info, pool, bytes);
  }
  return session.tables_.data() + table_slot * session.tables_used_++;
}

}  // namespace stoker
