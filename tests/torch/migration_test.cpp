// What docs/torch.md shows, compiled and run: its code blocks are lines of this file.

#include <stoker/stoker.hpp>
#include <stoker/torch.hpp>

#include <gmock/gmock.h>
#include <torch/torch.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

struct Squares : torch::data::datasets::Dataset<Squares> {
  torch::data::Example<> get(std::size_t index) override {
    const auto i = static_cast<std::int64_t>(index);
    return {torch::full({4}, static_cast<float>(i)), torch::tensor(i * i)};
  }
  torch::optional<std::size_t> size() const override { return 100; }
};

std::vector<std::int64_t> squares(std::int64_t count) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) all[static_cast<std::size_t>(i)] = i * i;
  return all;
}

std::vector<std::int64_t> seen;
void step(const torch::Tensor& data, const torch::Tensor& target) {
  EXPECT_EQ(data.size(0), target.size(0));
  const torch::Tensor on_host = target.cpu();
  const auto* values = on_host.data_ptr<std::int64_t>();
  seen.insert(seen.end(), values, values + on_host.numel());
}

TEST(Migration, Before) {
  seen.clear();
  auto dataset = Squares().map(torch::data::transforms::Stack<>());
  auto loader = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(
      std::move(dataset), torch::data::DataLoaderOptions().batch_size(16).workers(2));
  for (auto& batch : *loader) step(batch.data, batch.target);
  EXPECT_EQ(seen, squares(100));
}

TEST(Migration, After) {
  seen.clear();
  auto dataset = Squares().map(torch::data::transforms::Stack<>());
  auto loader = stoker::torch::make_data_loader<torch::data::samplers::SequentialSampler>(
      std::move(dataset), torch::data::DataLoaderOptions().batch_size(16).workers(2));
  for (auto& batch : *loader) step(batch.data, batch.target);
  EXPECT_EQ(seen, squares(100));
}

TEST(Migration, OptionsOfBoth) {
  seen.clear();
  const torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  auto dataset = Squares().map(torch::data::transforms::Stack<>());
  auto loader = stoker::torch::make_data_loader(
      std::move(dataset), stoker::RandomSampler(100),
      stoker::torch::DataLoaderOptions().batch_size(16).workers(2).device(device).seed(7));
  for (auto& batch : *loader) step(batch.data, batch.target);
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, squares(100));
}

TEST(Migration, GoesOnBehindABadBatch) {
  auto loader = stoker::torch::make_data_loader(Squares().map(torch::data::transforms::Stack<>()),
                                                torch::data::samplers::SequentialSampler(100), 16);
  int batches = 0;
  for (auto& batch : *loader) {
    step(batch.data, batch.target);
    if (++batches == 3) break;  // fine: the next begin() starts the next epoch
  }
  EXPECT_EQ(batches, 3);
}

/// Throws where it is asked for the first sample, and for number 40.
struct Failing : torch::data::datasets::Dataset<Failing> {
  torch::data::Example<> get(std::size_t index) override {
    if (index == 0 || index == 40) throw std::runtime_error("unreadable");
    return Squares().get(index);
  }
  torch::optional<std::size_t> size() const override { return 100; }
};

TEST(Migration, GoesOnBehindBatchesThatThrow) {
  seen.clear();
  auto loader = stoker::torch::make_data_loader<torch::data::samplers::SequentialSampler>(
      Failing().map(torch::data::transforms::Stack<>()), 16);
  ::testing::internal::CaptureStderr();
  for (auto batch = loader->begin();;) {
    try {
      if (batch == loader->end()) break;
    } catch (const stoker::Error& error) {
      std::cerr << error.what() << '\n';
      continue;
    }
    step(batch->data, batch->target);
    try {
      ++batch;
    } catch (const stoker::Error& error) {
      std::cerr << error.what() << '\n';
    }
  }
  const std::string errors = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(errors, ::testing::HasSubstr("sample 0"));
  EXPECT_THAT(errors, ::testing::HasSubstr("sample 40"));
  std::vector<std::int64_t> expected = squares(100);
  expected.erase(expected.begin() + 32, expected.begin() + 48);
  expected.erase(expected.begin(), expected.begin() + 16);
  EXPECT_EQ(seen, expected);
}

auto make_random_loader() {
  return stoker::torch::make_data_loader(Squares().map(torch::data::transforms::Stack<>()),
                                         torch::data::samplers::RandomSampler(100), 16);
}

torch::nn::Linear make_model() {
  torch::nn::Linear model(4, 1);
  torch::nn::init::constant_(model->weight, 0.5);
  return model;
}

/// Stands in for a training step that draws numbers too.
template <class Loader>
void train_epoch(Loader& loader) {
  for (auto& batch : loader) {
    torch::rand({3});
    step(batch.data, batch.target);
  }
}

TEST(Migration, Checkpoint) {
  std::ostringstream file;
  torch::manual_seed(7);
  auto model = make_model();
  torch::optim::Adam optimizer(model->parameters());
  auto loader = make_random_loader();
  auto batch = loader->begin();
  ++batch;
  batch->data.sum();

  {
    torch::serialize::OutputArchive archive, weights, momenta, place;
    model->save(weights);
    optimizer.save(momenta);
    place << *loader;
    archive.write("model", weights);
    archive.write("optimizer", momenta);
    archive.write("loader", place);
    archive.write("generator", at::globalContext().defaultGenerator(torch::kCPU).get_state());
    archive.save_to(file);  // a path or a stream
  }

  seen.clear();
  for (++batch; batch != loader->end(); ++batch) step(batch->data, batch->target);
  train_epoch(*loader);
  const auto expected = std::exchange(seen, {});
  ASSERT_EQ(expected.size(), 100U - 32 + 100);

  torch::manual_seed(8);
  torch::nn::Linear resumed_model(4, 1);
  torch::optim::Adam resumed_optimizer(resumed_model->parameters());
  auto resumed = make_random_loader();
  std::istringstream saved(file.str());
  {
    torch::serialize::InputArchive stored, weights, momenta, place;
    torch::Tensor generator_state;
    stored.load_from(saved);
    stored.read("model", weights);
    stored.read("optimizer", momenta);
    stored.read("loader", place);
    stored.read("generator", generator_state);
    resumed_model->load(weights);
    resumed_optimizer.load(momenta);
    place >> *resumed;
    torch::Generator generator = at::globalContext().defaultGenerator(torch::kCPU);
    generator.set_state(generator_state);
  }
  EXPECT_TRUE(resumed_model->weight.equal(model->weight));
  for (auto& rest : *resumed) step(rest.data, rest.target);
  train_epoch(*resumed);
  EXPECT_EQ(seen, expected);
}

/// Images in a folder a class, gone in the end.
class Images : public ::testing::Test {
 protected:
  Images() {
    const std::filesystem::path all = STOKER_TEST_DATA "/jpegs";
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(all)) {
      if (entry.path().filename().string().rfind("var_", 0) != 0) continue;
      const auto label = folder / (++count % 2 == 0 ? "even" : "odd");
      std::filesystem::create_directories(label);
      std::filesystem::copy(entry.path(), label);
    }
  }
  ~Images() override { std::filesystem::remove_all(folder); }

  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("stoker-migration-" + std::to_string(::getpid()));
  const torch::Device device{torch::kCPU};
};

TEST_F(Images, AreBatchesOfANativeLoader) {
  const std::uint64_t epochs = 2;
  seen.clear();

  stoker::ImageFolder data(folder);  // a folder a class
  stoker::Loader loader(
      data,
      stoker::Pipeline::parse("decode | random_resized_crop(224) | random_horizontal_flip | "
                              "normalize(imagenet) | to(float32, NHWC)"),
      {.batch_size = 256,
       .shuffle = true,
       .seed = 42,
       .num_workers = 8,
       .device = stoker::torch::device(device)});
  for (std::uint64_t epoch = 0; epoch < epochs; ++epoch) {
    const bool last = epoch + 1 == epochs;  // then nothing is prefetched behind it
    for (auto& batch : stoker::torch::batches(loader, epoch, last)) step(batch.data, batch.target);
  }

  EXPECT_EQ(seen.size(), 2 * data.size());
}

TEST_F(Images, GoOnFromANativeLoadersState) {
  stoker::ImageFolder data(folder);
  const auto pipeline = stoker::Pipeline::parse("decode | random_resized_crop(32)");
  const stoker::LoaderOptions options{.batch_size = 2, .shuffle = true, .num_workers = 2};
  stoker::Loader loader(data, pipeline, options), resumed(data, pipeline, options);
  auto walk = stoker::torch::batches(loader, 0);
  ASSERT_TRUE(walk.next());
  std::ostringstream file;
  {
    torch::serialize::OutputArchive place;
    place << loader.state();
    place.save_to(file);
  }
  seen.clear();
  for (auto& batch : walk) step(batch.data, batch.target);
  const auto expected = std::exchange(seen, {});

  std::istringstream saved(file.str());
  torch::serialize::InputArchive place;
  place.load_from(saved);
  stoker::LoaderState state;
  place >> state;
  resumed.load_state(state);
  for (auto& batch : stoker::torch::batches(resumed, state.epoch)) step(batch.data, batch.target);
  EXPECT_EQ(seen, expected);
}

std::vector<std::string> trimmed_lines(std::istream& text) {
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) {
    const auto first = line.find_first_not_of(' ');
    if (first != std::string::npos) lines.push_back(line.substr(first));
  }
  return lines;
}

/// The blocks of C++ in a page, as lines without indentation.
std::vector<std::vector<std::string>> code_blocks(const std::vector<std::string>& page) {
  std::vector<std::vector<std::string>> blocks;
  bool inside = false;
  for (const std::string& line : page) {
    if (line.rfind("```", 0) == 0) {
      inside = line == "```cpp";
      if (inside) blocks.emplace_back();
    } else if (inside) {
      blocks.back().push_back(line);
    }
  }
  return blocks;
}

TEST(Migration, TheGuideShowsWhatIsCompiledHere) {
  std::ifstream page(STOKER_TEST_DATA "/../../docs/torch.md"),
      source(STOKER_TEST_DATA "/../torch/migration_test.cpp");
  const auto blocks = code_blocks(trimmed_lines(page));
  const auto lines = trimmed_lines(source);
  ASSERT_GE(blocks.size(), 4U);
  for (const auto& block : blocks) {
    EXPECT_NE(std::search(lines.begin(), lines.end(), block.begin(), block.end()), lines.end())
        << "not in this file: " << block.front();
  }
}

}  // namespace
