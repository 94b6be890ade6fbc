#include "examples/torch/drawn_folder.hpp"

#include "tests/sources/temporary_folder.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>
#include <string>

namespace examples {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class DrawnFolder : public ::testing::Test {
 protected:
  /// Returns what is told.
  std::string draw() {
    std::ostringstream out;
    draw_where_missing(folder_ / "set",
                       {"Photos",
                        "dots",
                        {folder_ / "set/images", folder_ / "set/labels"},
                        [this] {
                          ++drawn_;
                          folder_.write("set/images");
                          folder_.write("set/labels");
                        }},
                       out);
    return out.str();
  }

  stoker::TemporaryFolder folder_;
  int drawn_ = 0;
};

TEST_F(DrawnFolder, IsSaidToBeEachTime) {
  const auto told = AllOf(HasSubstr("Photos"), HasSubstr("dots"), HasSubstr("drawn"),
                          HasSubstr((folder_ / "set").string()));
  EXPECT_THAT(draw(), told);
  EXPECT_THAT(draw(), told);
  EXPECT_EQ(drawn_, 1);
}

TEST_F(DrawnFolder, IsDrawnAgainWhereAFileIsMissing) {
  draw();
  std::filesystem::remove(folder_ / "set/labels");
  draw();
  EXPECT_EQ(drawn_, 2);
}

TEST_F(DrawnFolder, NeverTakesThePlaceOfFilesThatAreTheUsers) {
  folder_.write("set/labels", "mine");
  EXPECT_THAT(draw(), IsEmpty());
  folder_.write("set/images", "mine");
  EXPECT_THAT(draw(), IsEmpty());
  EXPECT_EQ(drawn_, 0);
}

}  // namespace
}  // namespace examples
