#include "decoders/jpeg_session.hpp"

#include "tests/decoders/test_images.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stoker::test {
namespace {

bool read_header(JpegSession& session, const File& file) {
  session.begin(file);
  return session.run([](jpeg_decompress_struct& info) { jpeg_read_header(&info, TRUE); });
}

TEST(JpegSession, TurnsAFailureOfLibjpegIntoAValue) {
  JpegSession session;
  EXPECT_FALSE(read_header(session, read_file("bad_header_only.jpg")));
  EXPECT_EQ(session.failure().code, ErrorCode::truncated);
  EXPECT_FALSE(read_header(session, read_file("bad_not_jpeg.jpg")));
  EXPECT_EQ(session.failure().code, ErrorCode::corrupt);
  EXPECT_THAT(session.failure().message, testing::StartsWith("JPEG: Not a JPEG file"));
}

TEST(JpegSession, WorksAgainAfterAFailure) {
  JpegSession session;
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(read_header(session, read_file("bad_zero_height.jpg")));
    ASSERT_TRUE(read_header(session, read_file("var_444.jpg")));
    EXPECT_EQ(session.info().image_width, 480u);
    session.end();
  }
}

TEST(JpegSession, PrintsNothing) {
  testing::internal::CaptureStderr();
  JpegSession session;
  read_header(session, read_file("odd_junk_before_marker.jpg"));
  EXPECT_GT(session.info().err->num_warnings, 0);
  read_header(session, read_file("bad_zero_height.jpg"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(JpegSession, ForgetsTheTablesOfTheImageBefore) {
  JpegSession session;
  ASSERT_TRUE(read_header(session, read_file("var_444.jpg")));
  EXPECT_NE(session.info().quant_tbl_ptrs[0], nullptr);
  EXPECT_NE(session.info().dc_huff_tbl_ptrs[0], nullptr);
  const File nothing;
  session.begin(nothing);
  EXPECT_EQ(session.info().quant_tbl_ptrs[0], nullptr);
  EXPECT_EQ(session.info().dc_huff_tbl_ptrs[0], nullptr);
}

}  // namespace
}  // namespace stoker::test
