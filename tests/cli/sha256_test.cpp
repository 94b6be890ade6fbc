#include "cli/sha256.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace stoker::cli {
namespace {

std::span<const std::uint8_t> bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// Source of the known answers: FIPS 180-4's examples.
TEST(Sha256, DigestsNothing) {
  EXPECT_EQ(Sha256().finish(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256, DigestsPieceByPiece) {
  Sha256 digest;
  digest.update(bytes("a"));
  digest.update(bytes("bc"));
  EXPECT_EQ(digest.finish(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace stoker::cli
