#include <stoker/sources/memory_source.hpp>

#include "tests/sources/expect_error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stoker {
namespace {

using testing::HasSubstr;

MemorySource two_samples() {
  return MemorySource({{"one", {std::byte{1}}, 10}, {"two", {std::byte{2}, std::byte{3}}, 20}});
}

TEST(MemorySource, GivesItsOwnBytesWithoutCopyingThem) {
  const MemorySource source = two_samples();
  EXPECT_EQ(source.size(), 2U);
  EXPECT_TRUE(source.in_memory());
  EncodedSample first, again;
  ASSERT_TRUE(source.read(1, first));
  ASSERT_TRUE(source.read(1, again));
  EXPECT_EQ(first.bytes.data(), again.bytes.data());
  EXPECT_EQ(first.bytes.size(), 2U);
  EXPECT_EQ(first.bytes[1], std::byte{3});
  EXPECT_EQ(first.label, 20);
  EXPECT_TRUE(first.storage.empty());
  EXPECT_EQ(source.name(1), "two");
}

TEST(MemorySource, FailsForASampleOfZeroBytes) {
  const MemorySource source({{"hollow", {}, 0}});
  EncodedSample sample;
  const Status status = source.read(0, sample);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::empty_file);
  EXPECT_THAT(status.error().message, HasSubstr("hollow"));
}

TEST(MemorySource, RefusesAnIndexBehindTheLast) {
  const MemorySource source = two_samples();
  EncodedSample sample;
  message_of_error(ErrorCode::invalid_argument, [&] { static_cast<void>(source.read(2, sample)); });
  message_of_error(ErrorCode::invalid_argument, [&] { static_cast<void>(source.name(2)); });
}

TEST(MemorySource, HasAFingerprintOfNamesAndLabelsOnly) {
  const MemorySource source = two_samples();
  EXPECT_EQ(source.fingerprint(),
            MemorySource({{"one", {}, 10}, {"two", {std::byte{9}}, 20}}).fingerprint());
  EXPECT_NE(source.fingerprint(), MemorySource({{"one", {}, 10}, {"two", {}, 21}}).fingerprint());
  EXPECT_EQ(source.fingerprint().size(), 32U);
}

TEST(MemorySource, MayBeEmpty) { EXPECT_EQ(MemorySource({}).size(), 0U); }

}  // namespace
}  // namespace stoker
