// The main job on real files: folder in, batches out.
#include "tests/engine/fake_producer.hpp"
#include <stoker/engine/loader.hpp>
#include <stoker/sources/image_folder.hpp>
#include <stoker/sources/memory_source.hpp>

#include <gmock/gmock.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

namespace stoker {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr const char* pipeline_text =
    "decode | random_resized_crop(32) | random_horizontal_flip | normalize(imagenet)";

fs::path jpeg(const std::string& name) { return fs::path(STOKER_TEST_DATA) / "jpegs" / name; }

#ifdef STOKER_WITH_OPENCV
constexpr const char* thirteenth = "png_called.JPEG";
#else
constexpr const char* thirteenth = "var_q5.jpg";
#endif

/// A folder of two classes with good JPEGs, in the test's own place.
class ImageFolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(::testing::TempDir()) /
            ("stoker_" + std::to_string(::getpid()) +
             ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(root_);
    for (const char* name : {"var_420.jpg", "var_444.jpg", "var_411.jpg", "var_progressive.jpg",
                             "var_cmyk_adobe.jpg", "var_orientation_6.jpg"}) {
      add("b_class", name, name);
      add("a_class", name, std::string("again_") + name);
    }
    add("a_class", thirteenth, "png_called.JPEG");
  }
  void TearDown() override { fs::remove_all(root_); }

  void add(const std::string& folder, const std::string& from, const std::string& to) const {
    fs::create_directories(root_ / folder);
    fs::copy_file(jpeg(from), root_ / folder / to);
  }

  fs::path root_;
};

struct EpochContent {
  std::vector<std::byte> images;
  std::vector<std::int64_t> labels;
  std::vector<std::uint64_t> indices;
  friend bool operator==(const EpochContent&, const EpochContent&) = default;
};

EpochContent walk(Loader& loader, std::uint64_t epoch) {
  EpochContent content;
  for (Batch& batch : loader.epoch(epoch)) {
    const TensorView images = batch["image"], labels = batch["label"];
    content.images.insert(content.images.end(), images.as<std::byte>(),
                          images.as<std::byte>() + images.bytes());
    content.labels.insert(content.labels.end(), labels.as<std::int64_t>(),
                          labels.as<std::int64_t>() + batch.size());
    content.indices.insert(content.indices.end(), batch.indices().begin(), batch.indices().end());
  }
  return content;
}

TEST_F(ImageFolderTest, GivesTheSameBatchesForAnyNumberOfThreadsAndAnyBatchSize) {
  const ImageFolder data(root_);
  ASSERT_EQ(data.size(), 13U);
  const auto pipeline = Pipeline::parse(pipeline_text);
  const auto run = [&](int workers, int readers, std::size_t prefetch, std::size_t batch_size) {
    LoaderOptions options;
    options.batch_size = batch_size;
    options.shuffle = true;
    options.seed = 9;
    options.num_workers = workers;
    options.num_readers = readers;
    options.prefetch = prefetch;
    Loader loader(data, pipeline, options);
    std::vector<EpochContent> epochs;
    for (const std::uint64_t epoch : {0, 1, 5}) epochs.push_back(walk(loader, epoch));
    return epochs;
  };
  const auto reference = run(0, 1, 1, 4);
  EXPECT_NE(reference[0].images, reference[1].images);
  EXPECT_EQ(run(1, 1, 1, 4), reference);
  EXPECT_EQ(run(2, 3, 2, 4), reference);
  EXPECT_EQ(run(5, 2, 7, 1), reference);
  EXPECT_EQ(run(3, 1, 3, 13), reference);
}

TEST_F(ImageFolderTest, AugmentsTheRestOfAResumedEpochAsIfItHadNotBeenStopped) {
  const ImageFolder data(root_);
  const auto pipeline = Pipeline::parse(pipeline_text);
  LoaderOptions options{.batch_size = 2, .shuffle = true, .seed = 9};
  Loader whole(data, pipeline, options);
  const EpochContent expected = walk(whole, 3);
  Loader stopped(data, pipeline, options);
  Epoch epoch = stopped.epoch(3);
  for (int i = 0; i < 4; ++i) epoch.next();
  options.batch_size = 3;
  options.num_workers = 2;
  const ImageFolder moved(root_.string() + "/.");
  Loader resumed(moved, pipeline, options);
  resumed.load_state(LoaderState::parse(stopped.state().json()));
  const EpochContent rest = walk(resumed, 3);
  ASSERT_EQ(rest.labels.size(), 5U);
  const auto ends_with = [](const auto& all, const auto& end) {
    return std::equal(end.rbegin(), end.rend(), all.rbegin());
  };
  EXPECT_TRUE(ends_with(expected.images, rest.images));
  EXPECT_TRUE(ends_with(expected.labels, rest.labels));
  EXPECT_TRUE(ends_with(expected.indices, rest.indices));
}

TEST_F(ImageFolderTest, RefusesTheStateOfOtherFilesOrAnotherPipeline) {
  const ImageFolder data(root_);
  const auto pipeline = Pipeline::parse(pipeline_text);
  const LoaderState state = Loader(data, pipeline).state();
  const auto load = [&](const ImageFolder& source, const Pipeline& with) {
    Loader(source, with).load_state(state);
  };
  EXPECT_NO_THROW(load(data, Pipeline::parse(pipeline.text())));
  EXPECT_THROW(load(data, pipeline | Pipeline::parse("random_horizontal_flip")), Error);
  add("b_class", "var_420.jpg", "one_more.jpg");
  EXPECT_THROW(load(ImageFolder(root_), pipeline), Error);
}

TEST_F(ImageFolderTest, DeliversLabelsNamesAndShapes) {
  const ImageFolder data(root_);
  LoaderOptions options;
  options.batch_size = 13;
  options.num_workers = 2;
  Loader loader(data, Pipeline::parse(pipeline_text), options);
  Epoch epoch = loader.epoch(0);
  const Batch batch = *epoch.next();
  EXPECT_EQ(batch["image"].shape, (Shape{13, 3, 32, 32}));
  EXPECT_EQ(batch["image"].dtype, DType::float32);
  EXPECT_EQ(batch["label"].shape, (Shape{13}));
  for (std::size_t i = 0; i < 13; ++i) {
    EXPECT_EQ(batch["label"].as<std::int64_t>()[i], i < 7 ? 0 : 1);
    EXPECT_THAT(batch.name(i), HasSubstr(i < 7 ? "a_class" : "b_class"));
  }
}

TEST_F(ImageFolderTest, EachBadFileIsOneClearErrorAndNoBatchBeforeItIsLost) {
  const std::map<std::string, ErrorCode> bad{
      {"bad_empty.jpg", ErrorCode::empty_file},
      {"bad_not_jpeg.jpg", ErrorCode::unknown_format},
      {"bad_header_only.jpg", ErrorCode::truncated},
      {"bad_declares_65500x65500.jpg", ErrorCode::image_too_large},
      {"bad_zero_height.jpg", ErrorCode::corrupt}};
  for (const auto& [file, code] : bad) {
    add("c_class", file, file);
    const ImageFolder data(root_);
    for (const int workers : {0, 2}) {
      LoaderOptions options;
      options.batch_size = 2;
      options.num_workers = workers;
      Loader loader(data, Pipeline::parse(pipeline_text), options);
      Epoch epoch = loader.epoch(0);
      for (int i = 0; i < 6; ++i) EXPECT_EQ(epoch.next()->number(), static_cast<std::uint64_t>(i));
      try {
        (void)epoch.next();
        ADD_FAILURE() << file << " came through";
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), code) << error.what();
        EXPECT_EQ(error.context().sample_index, 13U);
        EXPECT_EQ(error.context().batch, 6U);
        EXPECT_THAT(error.what(), HasSubstr(file));
      }
      EXPECT_FALSE(epoch.next());
    }
    fs::remove_all(root_ / "c_class");
  }
}

TEST_F(ImageFolderTest, AFileThatVanishedAfterTheScanIsNamed) {
  const ImageFolder data(root_);
  fs::remove(root_ / "a_class" / "again_var_420.jpg");
  LoaderOptions options;
  options.batch_size = 13;
  options.num_workers = 2;
  Loader loader(data, Pipeline::parse(pipeline_text), options);
  Epoch epoch = loader.epoch(0);
  try {
    (void)epoch.next();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_THAT(error.what(), HasSubstr("again_var_420.jpg"));
  }
}

TEST_F(ImageFolderTest, AnImageSmallerThanTheCropIsNamed) {
  fs::remove_all(root_);
  add("a_class", "var_size_15x17.jpg", "small.jpg");
  const ImageFolder data(root_);
  LoaderOptions options;
  options.num_workers = 1;
  Loader loader(data, Pipeline::parse("decode | random_crop(224)"), options);
  Epoch epoch = loader.epoch(0);
  try {
    (void)epoch.next();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::crop_out_of_bounds);
    EXPECT_THAT(error.what(), HasSubstr("small.jpg"));
    EXPECT_THAT(error.what(), HasSubstr("batch 0"));
  }
}

TEST(ImageLoader, RefusesAPipelineWithoutAFixedSizeAtOnce) {
  const MemorySource data({{"one", {}, 0}});
  try {
    Loader loader(data, Pipeline::parse("decode | resize(256)"), {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_pipeline);
    EXPECT_THAT(error.what(), HasSubstr("center_crop"));
  }
}

/// oneTBB counts a thread that waits as one that runs, so the other loader would not get it.
TEST_F(ImageFolderTest, LoadersBesideOneWhoseTransformWaitsGetTheirThreads) {
  testing::Gate gate;
  const ImageFolder data(root_);
  std::atomic<int> calls = 0;
  const auto first_waits = [&](Image&, Random&) {
    if (calls.fetch_add(1) == 0) gate.pass();
  };
  const auto pipeline =
      Pipeline::parse("decode | center_crop(8) | wait | to(float32)", {{"wait", first_waits}});
  Loader waiting(data, pipeline, {.batch_size = 1, .num_workers = 2});
  Epoch epoch = waiting.epoch(0);
  gate.wait_for_arrivals(1);
  for (int i = 0; i < 20; ++i) {
    Loader other(data, Pipeline::parse(pipeline_text), {.batch_size = 5, .num_workers = 1});
    std::size_t samples = 0;
    for (const Batch& batch : other.epoch(0)) samples += batch.size();
    EXPECT_EQ(samples, data.size());
  }
  gate.open();
  EXPECT_EQ(epoch.next()->size(), 1U);
}

}  // namespace
}  // namespace stoker
