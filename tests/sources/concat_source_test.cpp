#include <stoker/sources/concat_source.hpp>

#include "tests/sources/expect_error.hpp"
#include <stoker/sources/memory_source.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace stoker {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Holds samples named "<name>0", "<name>1", ... of one byte, their number, labelled from `label`
/// on; it may block, and keeps the hints that it gets.
class HintedSource final : public Source {
 public:
  HintedSource(std::string name, std::uint64_t size, std::int64_t label)
      : name_(std::move(name)), size_(size), label_(label) {}

  std::uint64_t size() const override { return size_; }
  Status read(std::uint64_t index, EncodedSample& sample) const override {
    if (index == broken) return fail(ErrorCode::io_error, "broken");
    sample.storage.assign(1, std::byte(index));
    sample.bytes = sample.storage;
    sample.label = label_ + std::int64_t(index);
    return {};
  }
  std::string name(std::uint64_t index) const override { return name_ + std::to_string(index); }
  std::string fingerprint() const override { return name_ + std::to_string(label_); }
  void will_need(std::span<const std::uint64_t> indices) const override {
    hints.insert(hints.end(), indices.begin(), indices.end());
  }

  std::uint64_t broken = ~std::uint64_t{0};
  mutable std::vector<std::uint64_t> hints;

 private:
  std::string name_;
  std::uint64_t size_;
  std::int64_t label_;
};

std::shared_ptr<HintedSource> hinted(const std::string& name, std::uint64_t size,
                                     std::int64_t label = 0) {
  return std::make_shared<HintedSource>(name, size, label);
}

std::shared_ptr<const Source> memory(std::vector<MemorySample> samples) {
  return std::make_shared<const MemorySource>(std::move(samples));
}

TEST(ConcatSource, HoldsItsPartsSamplesOneBehindTheOther) {
  const ConcatSource source({hinted("a", 2, 10), hinted("none", 0), hinted("b", 3, 20)});
  EXPECT_EQ(source.size(), 5U);
  EXPECT_THAT(source.sizes(), ElementsAre(2, 0, 3));
  EXPECT_EQ(source.parts().size(), 3U);
  const std::pair<const char*, std::int64_t> expected[] = {
      {"a0", 10}, {"a1", 11}, {"b0", 20}, {"b1", 21}, {"b2", 22}};
  for (std::uint64_t i = 0; i < 5; ++i) {
    EncodedSample sample;
    ASSERT_TRUE(source.read(i, sample));
    EXPECT_EQ(source.name(i), expected[i].first);
    EXPECT_EQ(sample.label, expected[i].second);
    EXPECT_EQ(sample.bytes.size(), 1U);
  }
}

TEST(ConcatSource, PassesAFailureOn) {
  const auto part = hinted("b", 3);
  part->broken = 1;
  const ConcatSource source({hinted("a", 2), part});
  EncodedSample sample;
  const Status status = source.read(3, sample);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::io_error);
}

TEST(ConcatSource, PassesHintsOnToThePartsInOrder) {
  const auto a = hinted("a", 2);
  const auto b = hinted("b", 3);
  const ConcatSource source({a, b});
  source.will_need(std::vector<std::uint64_t>{4, 1, 2, 0});
  EXPECT_THAT(a->hints, ElementsAre(1, 0));
  EXPECT_THAT(b->hints, ElementsAre(2, 0));
}

TEST(ConcatSource, IsInMemoryWhereAllPartsAre) {
  const auto held = memory({{"x", {std::byte{1}}, 0}});
  EXPECT_TRUE(ConcatSource({held, held}).in_memory());
  EXPECT_FALSE(ConcatSource({held, hinted("a", 2)}).in_memory());
}

TEST(ConcatSource, MakesItsFingerprintOfItsPartsInOrder) {
  const auto a = hinted("a", 2);
  const auto b = hinted("b", 2);
  const std::string fingerprint = ConcatSource({a, b}).fingerprint();
  EXPECT_EQ(fingerprint.size(), 32U);
  EXPECT_EQ(ConcatSource({a, b}).fingerprint(), fingerprint);
  EXPECT_NE(ConcatSource({b, a}).fingerprint(), fingerprint);
  EXPECT_NE(ConcatSource({a}).fingerprint(), fingerprint);
  EXPECT_NE(ConcatSource({a, hinted("b", 2, 1)}).fingerprint(), fingerprint);
  EXPECT_NE(ConcatSource({a, hinted("b", 3)}).fingerprint(), fingerprint);
}

TEST(ConcatSource, RefusesNoPartsNoSourceAndASampleBehindItsEnd) {
  using Parts = std::vector<std::shared_ptr<const Source>>;
  EXPECT_THAT(message_of_error(ErrorCode::empty_source, [] { ConcatSource(Parts{}); }),
              HasSubstr("no sources"));
  EXPECT_THAT(message_of_error(ErrorCode::invalid_argument,
                               [] {
                                 ConcatSource({hinted("a", 1), nullptr});
                               }),
              HasSubstr("source 1 of those to join is null"));
  EXPECT_THAT(message_of_error(ErrorCode::invalid_argument,
                               [] { return ConcatSource({hinted("a", 3)}).name(3); }),
              HasSubstr("no sample 3"));
}

}  // namespace
}  // namespace stoker
