// What docs/torch.md shows, compiled and run: its code blocks are lines of this file.

#include <stoker/stoker.hpp>
#include <stoker/torch.hpp>

#include <gmock/gmock.h>
#include <torch/torch.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <numeric>
#include <sstream>
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
  const auto* values = target.data_ptr<std::int64_t>();
  seen.insert(seen.end(), values, values + target.numel());
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
  auto dataset = Squares().map(torch::data::transforms::Stack<>());
  const auto device = torch::Device(torch::kCPU);
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

TEST(Migration, Checkpoint) {
  const auto make = [] {
    return stoker::torch::make_data_loader(Squares().map(torch::data::transforms::Stack<>()),
                                           torch::data::samplers::SequentialSampler(100), 16);
  };
  auto loader = make();
  auto batch = loader->begin();
  ++batch;
  std::ostringstream file;

  torch::serialize::OutputArchive archive;
  torch::serialize::OutputArchive place;
  place << *loader;
  archive.write("loader", place);
  archive.save_to(file);  // a path or a stream

  auto resumed = make();
  std::istringstream saved(file.str());

  torch::serialize::InputArchive stored, at;
  stored.load_from(saved);
  stored.read("loader", at);
  at >> *resumed;
  seen.clear();
  for (auto& rest : *resumed) step(rest.data, rest.target);
  EXPECT_EQ(seen.front(), 32 * 32);
  EXPECT_EQ(seen.size(), 68U);
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
