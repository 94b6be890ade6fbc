#include <stoker/core/error.hpp>
#include <stoker/decoders/decode.hpp>
#include <stoker/pipeline/pipeline.hpp>
#include <stoker/pipeline/plan.hpp>
#include <stoker/transforms/random_resized_crop.hpp>

#include <gmock/gmock.h>

#include <functional>

namespace stoker {
namespace {

using ::testing::HasSubstr;

std::string complaint(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_pipeline) << error.what();
    return error.what();
  }
  return "nothing was thrown";
}

std::string parse_complaint(const std::string& text) {
  return complaint([&] { (void)Pipeline::parse(text); });
}

TEST(PipelineText, WritesEveryParameterAndParsesBackToItself) {
  for (const char* text :
       {"decode", "decode|resize(256)|center_crop(224)|normalize(imagenet)",
        "decode(strict=true) | random_resized_crop(224, scale=[0.2, 1.0], interpolation=bicubic) | "
        "random_horizontal_flip | normalize(mean=[0.5, 0.5, 0.5], std=[0.5,0.25,1e-1]) | "
        "to(float16, NHWC)",
        "  decode(orient = false)\n | random_crop( [32 , 48], padding=4 ) "
        "|\tto(dtype=float32,scale=false) ",
        "decode | resized_crop(top=-0, left=1, height=5, width=+6, size=[7, 8])"}) {
    const std::string written = Pipeline::parse(text).text();
    EXPECT_EQ(Pipeline::parse(written).text(), written) << text;
    EXPECT_THAT(written, HasSubstr("decode(strict="));
  }
}

TEST(PipelineText, TakesArgumentsByPlaceAndByName) {
  EXPECT_EQ(Pipeline::parse("decode | resize([32, 48], bicubic)").text(),
            Pipeline::parse("decode | resize(interpolation=bicubic, size=[32, 48])").text());
}

TEST(PipelineText, EqualsThePipelineComposedInCode) {
  const Pipeline composed = decode() | random_resized_crop(Size{224, 224});
  EXPECT_EQ(composed.text(), Pipeline::parse("decode | random_resized_crop(224)").text());
}

TEST(PipelineText, KnowsTheUsersOperations) {
  const Pipeline pipeline =
      Pipeline::parse("decode | mine | center_crop(8)", {{"mine", [](Image&, Random&) {}}});
  EXPECT_THAT(pipeline.text(), HasSubstr(" | mine | "));
  EXPECT_THAT(complaint([] {
                (void)Pipeline::parse("decode | mine(3)", {{"mine", [](Image&, Random&) {}}});
              }),
              HasSubstr("mine"));
}

TEST(PipelineText, PointsAtTheColumnOfAMistake) {
  struct Mistake {
    const char* text;
    std::size_t column;
    const char* words;
  };
  for (const Mistake& m : {
           Mistake{"decode | random_resised_crop(224)", 10, "did you mean random_resized_crop?"},
           Mistake{"decode | ", 10, "expected an operation, found the end"},
           Mistake{"", 1, "expected an operation, found the end"},
           Mistake{"| decode", 1, "expected an operation, found '|'"},
           Mistake{"decode random_crop(3)", 8, "expected '|' or the end, found 'r'"},
           Mistake{"decode | resize 256)", 17, "expected '|' or the end, found '2'"},
           Mistake{"decode | resize(256", 20, "expected ')'"},
           Mistake{"decode | resize(256,)", 21, "expected a value, found ')'"},
           Mistake{"decode | resize([32, 48)", 24, "expected ']'"},
           Mistake{"decode | resize(sice=3)", 22, "size is missing, but sice is given"},
           Mistake{"decode | resize(3, sice=3)", 25, "no parameter sice"},
           Mistake{"decode | resize(256, bilinear, true, 7)", 38, "at most 3"},
           Mistake{"decode | resize(3, size=4)", 25, "by place and by name"},
           Mistake{"decode | resize(size=4, 3)", 25, "behind one by name"},
           Mistake{"decode | resize(1e999)", 17, "out of range"},
           Mistake{"decode | resize(-3)", 17, "from 1 to 65535"},
           Mistake{"decode | center_crop(2.5)", 22, "whole number"},
           Mistake{"decode | zzzzzz", 10, "no operation is called zzzzzz"},
           Mistake{"decode | resize([[[[[[[[[[3]]]]]]]]]])", 25, "nested"},
           Mistake{"decode | resize(\xff)", 17, "expected a value"},
       }) {
    const std::string complaint = parse_complaint(m.text);
    EXPECT_THAT(complaint, HasSubstr(m.words)) << m.text;
    EXPECT_THAT(complaint, HasSubstr("(column " + std::to_string(m.column) + ")")) << m.text;
  }
}

TEST(PlanOrder, RefusesStepsThatDoNotFitTogether) {
  const auto plan_complaint = [](const std::string& text) {
    return complaint([&] { Plan{Pipeline::parse(text)}; });
  };
  EXPECT_THAT(plan_complaint("resize(3)"), HasSubstr("must begin with decode"));
  EXPECT_THAT(plan_complaint("decode | decode"), HasSubstr("only at the beginning"));
  EXPECT_THAT(plan_complaint("decode | normalize(imagenet) | resize(3)"),
              HasSubstr("must stand before"));
  EXPECT_THAT(plan_complaint("decode | normalize(imagenet) | normalize(imagenet)"),
              HasSubstr("normalize"));
  EXPECT_THAT(plan_complaint("decode | to(float16) | normalize(imagenet)"), HasSubstr("normalize"));
  EXPECT_THAT(complaint([] { (void)Plan(Pipeline::parse("decode | resize(256)")).output_shape(); }),
              HasSubstr("center_crop"));
  EXPECT_EQ(
      Plan(
          Pipeline::parse(
              "decode | center_crop(6) | normalize(imagenet) | crop(0, 0, 4, 4) | horizontal_flip"))
          .output_shape(),
      (Shape{3, 4, 4}));
  EXPECT_EQ(
      Plan(Pipeline::parse("decode | center_crop([4, 5]) | to(bfloat16, NHWC)")).output_shape(),
      (Shape{4, 5, 3}));
}

TEST(PlanExplain, SaysHowEachStepIsCarriedOut) {
  const std::string text =
      Plan(Pipeline::parse(
               "decode | random_resized_crop(224) | random_horizontal_flip | normalize(imagenet)"))
          .explain();
  EXPECT_THAT(text, HasSubstr("decodes the rows and columns"));
  EXPECT_THAT(text, HasSubstr("deferred"));
  EXPECT_THAT(text, HasSubstr("float32 NCHW"));
}

TEST(UserTransform, RefusesNamesThatAreNoWords) {
  for (const char* name : {"", "two words", "3rd", "a|b"}) {
    EXPECT_THROW((void)transform(name, [](Image&, Random&) {}), Error) << name;
  }
  EXPECT_THROW((void)transform("empty", nullptr), Error);
}

}  // namespace
}  // namespace stoker
