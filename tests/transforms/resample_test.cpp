#include <stoker/transforms/resample.hpp>

#include "tests/transforms/formula_image.hpp"
#include <stoker/core/error.hpp>

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cstring>
#include <fstream>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace stoker {
namespace {

using testing::cut;
using testing::digest;
using testing::formula_image;
using testing::same_pixels;

Rect whole(Size size) { return {0, 0, size.height, size.width}; }

Box whole_box(Size size) {
  return {0, 0, static_cast<double>(size.width), static_cast<double>(size.height)};
}

Resampler::Request request(Size source, Size size, Interpolation interpolation) {
  return {whole_box(source), size, whole(size), interpolation};
}

/// A case that Pillow has been asked about.
struct PillowCase {
  std::uint32_t seed;
  Size source;
  Resampler::Request request;
  std::string digest;
};

std::vector<PillowCase> pillow_cases() {
  std::ifstream file(STOKER_TEST_DATA "/resample_digests.json");
  const nlohmann::json document = nlohmann::json::parse(file);
  std::vector<PillowCase> cases;
  for (const nlohmann::json& entry : document.at("cases")) {
    const std::array<int, 2> source = entry.at("source"), size = entry.at("size");
    const std::array<double, 4> box = entry.at("box");
    const auto interpolation = parse_interpolation(entry.at("interpolation").get<std::string>());
    const Size target{size[0], size[1]};
    cases.push_back(
        {entry.at("seed"),
         {source[0], source[1]},
         {{box[0], box[1], box[2], box[3]}, target, whole(target), interpolation.value()},
         entry.at("digest")});
  }
  return cases;
}

void expect_as_pillow(const PillowCase& expected, Resampler& resampler) {
  const Image image = formula_image(expected.seed, expected.source);
  Image resized;
  resampler.run(image.view(), expected.request, resized);
  EXPECT_EQ(digest(resized), expected.digest) << "case " << expected.seed;
}

/// Random requests of all kinds, the same in every run.
class RandomRequests {
 public:
  Size source() { return {side(), side()}; }

  Resampler::Request next(Size source) {
    const Size size{side(), side()};
    const int left = below(source.width), top = below(source.height);
    Resampler::Request made;
    made.size = size;
    made.box = whole_box(source);
    if (below(2) == 0) {
      made.box = {left + 0.25, top + 0.5, left + 1 + 0.75 * below(source.width - left),
                  top + 1 + 0.75 * below(source.height - top)};
    }
    made.window.top = below(size.height), made.window.left = below(size.width);
    made.window.height = 1 + below(size.height - made.window.top);
    made.window.width = 1 + below(size.width - made.window.left);
    made.interpolation = static_cast<Interpolation>(below(3));
    return made;
  }

 private:
  int below(int end) { return static_cast<int>(generator_() % static_cast<unsigned>(end)); }
  int side() { return below(4) == 0 ? 1 + below(6) : 1 + below(130); }

  std::mt19937 generator_{7};
};

constexpr int random_rounds = 300;

TEST(Resampler, EqualsPillow) {
  Resampler resampler;
  const std::vector<PillowCase> cases = pillow_cases();
  ASSERT_GE(cases.size(), 300u);
  for (const PillowCase& expected : cases) expect_as_pillow(expected, resampler);
}

TEST(Resampler, GivesTheSameBitsWithEveryKindOfVectors) {
  const std::vector<PillowCase> cases = pillow_cases();
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    Resampler resampler;
    hwy::SetSupportedTargetsForTest(0);
    for (const PillowCase& expected : cases) expect_as_pillow(expected, resampler);
  }
}

TEST(Resampler, ComputesAWindowAsThatPartOfTheWhole) {
  RandomRequests requests;
  Resampler resampler;
  for (int round = 0; round < random_rounds; ++round) {
    const Image image = formula_image(static_cast<std::uint32_t>(round), requests.source());
    const Resampler::Request windowed = requests.next(image.size());
    Resampler::Request full = windowed;
    full.window = whole(full.size);
    Image part, all;
    resampler.run(image.view(), windowed, part);
    resampler.run(image.view(), full, all);
    ASSERT_TRUE(same_pixels(part, cut(all, windowed.window))) << "round " << round;
  }
}

TEST(Resampler, NeedsNoPixelOutsideItsFootprint) {
  RandomRequests requests;
  Resampler resampler;
  for (int round = 0; round < random_rounds; ++round) {
    const Image image = formula_image(static_cast<std::uint32_t>(round), requests.source());
    const Resampler::Request wanted = requests.next(image.size());
    const Rect footprint = Resampler::footprint(image.size(), wanted);
    ASSERT_TRUE(footprint.inside(image.size()));
    Image from_all, from_part(wanted.window.size());
    resampler.run(image.view(), wanted, from_all);
    const Image part = cut(image, footprint);
    resampler.run(part.view(), footprint.top, footprint.left, image.size(), wanted,
                  [&](int y, const std::uint8_t* row) {
                    std::memcpy(from_part.row(y), row, from_part.stride());
                  });
    ASSERT_TRUE(same_pixels(from_all, from_part)) << "round " << round;
  }
}

TEST(Resampler, LetsPixelsOutsideTheFootprintChangeNothing) {
  RandomRequests requests;
  Resampler resampler;
  for (int round = 0; round < random_rounds; ++round) {
    const Image image = formula_image(static_cast<std::uint32_t>(round), requests.source());
    const Resampler::Request wanted = requests.next(image.size());
    const Rect footprint = Resampler::footprint(image.size(), wanted);
    Image poisoned(image.size());
    std::memset(poisoned.data(), 0xa5, poisoned.bytes() + Image::padding);
    for (int y = footprint.top; y < footprint.bottom(); ++y) {
      const std::ptrdiff_t left = std::ptrdiff_t{footprint.left} * Image::channels;
      std::memcpy(poisoned.row(y) + left, image.row(y) + left,
                  static_cast<std::size_t>(footprint.width) * Image::channels);
    }
    Image clean, other;
    resampler.run(image.view(), wanted, clean);
    resampler.run(poisoned.view(), wanted, other);
    ASSERT_TRUE(same_pixels(clean, other)) << "round " << round;
  }
}

TEST(Resampler, HasASmallestFootprintForACrop) {
  for (const auto interpolation :
       {Interpolation::nearest, Interpolation::bilinear, Interpolation::bicubic}) {
    const Resampler::Request crop{{7, 9, 37, 29}, {20, 30}, {2, 3, 4, 5}, interpolation};
    EXPECT_EQ(Resampler::footprint({40, 60}, crop), (Rect{11, 10, 4, 5}));
  }
}

TEST(Resampler, HandsOverEachRowOnceFromTheTop) {
  const Image image = formula_image(1, {50, 40});
  Resampler::Request wanted = request(image.size(), {30, 20}, Interpolation::bilinear);
  wanted.window = {5, 2, 20, 10};
  std::vector<int> rows;
  Resampler().run(image.view(), 0, 0, image.size(), wanted,
                  [&](int y, const std::uint8_t*) { rows.push_back(y); });
  std::vector<int> expected(20);
  for (int y = 0; y < 20; ++y) expected[static_cast<std::size_t>(y)] = y;
  EXPECT_EQ(rows, expected);
}

TEST(Resampler, NeedsNoMoreMemoryForTheSameSizesAgain) {
  const Image image = formula_image(2, {90, 120});
  Resampler resampler;
  Image out;
  const auto run_all = [&] {
    for (const auto interpolation : {Interpolation::bilinear, Interpolation::bicubic}) {
      resampler.run(image.view(), request(image.size(), {40, 50}, interpolation), out);
    }
  };
  run_all();
  const std::size_t held = resampler.capacity();
  EXPECT_GT(held, 0u);
  run_all();
  EXPECT_EQ(resampler.capacity(), held);
}

TEST(Resampler, GoesOnAfterASinkThrew) {
  const Image image = formula_image(0, {40, 40});
  const Resampler::Request wanted = request(image.size(), {25, 25}, Interpolation::bicubic);
  Resampler resampler;
  EXPECT_THROW(resampler.run(image.view(), 0, 0, image.size(), wanted,
                             [](int, const std::uint8_t*) { throw std::runtime_error("full"); }),
               std::runtime_error);
  Image after, fresh;
  resampler.run(image.view(), wanted, after);
  Resampler().run(image.view(), wanted, fresh);
  EXPECT_TRUE(same_pixels(after, fresh));
}

TEST(Resampler, CanBeMoved) {
  const Image image = formula_image(0, {9, 9});
  const Resampler::Request wanted = request(image.size(), {4, 5}, Interpolation::bilinear);
  Resampler first;
  Image before, after;
  first.run(image.view(), wanted, before);
  Resampler second = std::move(first);
  second.run(image.view(), wanted, after);
  EXPECT_TRUE(same_pixels(before, after));
}

template <class Call>
void expect_invalid(Call call) {
  try {
    call();
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument) << error.what();
  }
}

TEST(Resampler, RefusesAWindowOutsideTheResult) {
  Resampler::Request wanted = request({10, 10}, {5, 5}, Interpolation::bilinear);
  for (const Rect window : {Rect{0, 0, 6, 5}, Rect{-1, 0, 2, 2}, Rect{0, 0, 0, 5}}) {
    wanted.window = window;
    expect_invalid([&] { Resampler::footprint({10, 10}, wanted); });
  }
}

TEST(Resampler, RefusesABoxThatIsEmptyOrReachesOutside) {
  Resampler::Request wanted = request({10, 10}, {5, 5}, Interpolation::bilinear);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Box box : {Box{0, 0, 0, 10}, Box{-0.5, 0, 10, 10}, Box{0, 0, 10, 10.5},
                        Box{5, 0, 4, 10}, Box{0, nan, 10, 10}}) {
    wanted.box = box;
    expect_invalid([&] { Resampler::footprint({10, 10}, wanted); });
  }
}

TEST(Resampler, RefusesPixelsThatMissAPartOfTheFootprint) {
  const Image image = formula_image(0, {10, 10});
  const Resampler::Request wanted = request({10, 12}, {5, 5}, Interpolation::bilinear);
  expect_invalid([&] {
    Resampler().run(image.view(), 0, 0, {10, 12}, wanted, [](int, const std::uint8_t*) {});
  });
}

TEST(Interpolation, IsParsedByItsName) {
  for (const auto interpolation :
       {Interpolation::nearest, Interpolation::bilinear, Interpolation::bicubic}) {
    EXPECT_EQ(parse_interpolation(name(interpolation)), interpolation);
  }
  EXPECT_EQ(parse_interpolation("lanczos"), std::nullopt);
}

}  // namespace
}  // namespace stoker
