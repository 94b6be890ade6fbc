// A data set of one's own whose samples differ in size, with a collate function of one's own: texts
// of different length, filled up to the longest of their batch. Neither knows of stoker.
//
//   torch_custom_dataset
//
// A model learns which of four topics a text is about. Exit status 1 where it is right about fewer
// than 95 % of new texts, or where batches are not what they should be.
#include "accuracy.hpp"
#include "plain_message.hpp"
#include "progress.hpp"
#include <stoker/torch.hpp>

#include <CLI/CLI.hpp>
#include <torch/torch.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using torch::Tensor;
using Example = torch::data::Example<>;

constexpr std::int64_t topics = 4;
constexpr std::int64_t words = 400;  // 1 to 400; 0 fills up
constexpr std::int64_t batch_size = 32;

/// Texts that are made up when they are asked for: of 8 to 40 words, of which half are of the
/// topic's own hundred. Sample i has the numbers of its words, int64 [length], and its topic.
class Texts : public torch::data::datasets::Dataset<Texts> {
 public:
  Texts(std::size_t size, unsigned seed) : size_(size), seed_(seed) {}

  Example get(std::size_t index) override {
    std::mt19937 random(seed_ + static_cast<unsigned>(index));
    const auto topic = static_cast<std::int64_t>(index) % topics;
    std::vector<std::int64_t> text(8 + random() % 33);
    for (std::int64_t& word : text) {
      word = 1 + (random() % 2 == 0 ? topic * 100 + random() % 100 : random() % words);
    }
    return {torch::tensor(text), torch::tensor(topic)};
  }
  torch::optional<std::size_t> size() const override { return size_; }

 private:
  std::size_t size_;
  unsigned seed_;
};

/// The collate function: makes a batch of samples, int64 [N, longest] and int64 [N].
struct FillUp : torch::data::transforms::Collation<Example> {
  Example apply_batch(std::vector<Example> texts) override {
    std::vector<Tensor> data, target;
    for (Example& text : texts) {
      data.push_back(std::move(text.data));
      target.push_back(std::move(text.target));
    }
    return {torch::nn::utils::rnn::pad_sequence(data, /*batch_first=*/true), torch::stack(target)};
  }
};

/// The mean of a text's words decides.
struct NetImpl : torch::nn::Module {
  Tensor forward(const Tensor& texts) {
    const Tensor length = texts.ne(0).sum(1, /*keepdim=*/true);
    return linear(embedding(texts).sum(1) / length);
  }

  torch::nn::Embedding embedding = register_module(
      "embedding", torch::nn::Embedding(torch::nn::EmbeddingOptions(words + 1, 32).padding_idx(0)));
  torch::nn::Linear linear = register_module("linear", torch::nn::Linear(32, topics));
};
TORCH_MODULE(Net);

/// Which lengths batches had, and how many texts there were.
struct Seen {
  std::int64_t shortest = words, longest = 0, texts = 0;

  void note(const Example& batch) {
    shortest = std::min(shortest, batch.data.size(1));
    longest = std::max(longest, batch.data.size(1));
    texts += batch.data.size(0);
  }
};

template <class DataLoader>
Seen train(Net& net, DataLoader& loader, torch::optim::Optimizer& optimizer,
           examples::Progress& progress) {
  Seen seen;
  for (auto& batch : progress.watch(loader)) {
    seen.note(batch);
    optimizer.zero_grad();
    const Tensor loss = torch::nn::functional::cross_entropy(net(batch.data), batch.target);
    loss.backward();
    optimizer.step();
    progress.advance(batch.data.size(0));
  }
  return seen;
}

int run() {
  constexpr std::size_t size = 4000;
  const auto options = stoker::torch::DataLoaderOptions(batch_size).workers(2);
  auto loader = stoker::torch::make_data_loader<torch::data::samplers::RandomSampler>(
      Texts(size, 1).map(FillUp()), options);
  auto new_texts = stoker::torch::make_data_loader<torch::data::samplers::SequentialSampler>(
      Texts(1000, 1000000).map(FillUp()), options);

  torch::manual_seed(1);
  Net net;
  torch::optim::Adam optimizer(net->parameters(), 1e-2);
  for (int epoch = 0; epoch < 3; ++epoch) {
    examples::Progress progress("epoch " + std::to_string(epoch), size / batch_size,
                                examples::Progress::Clock::now, "texts");
    const Seen seen = train(net, *loader, optimizer, progress);
    std::cout << progress.summary() << ", texts filled up to " << seen.shortest << " to "
              << seen.longest << " words\n";
    if (seen.texts != size || seen.shortest == seen.longest) return 1;
  }
  const double reached = examples::accuracy(*new_texts, net);
  std::cout << "accuracy on new texts " << 100 * reached << " %\n";
  return reached >= 0.95 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("A bag of words learns to tell topics of made-up texts of different lengths");
  CLI11_PARSE(app, argc, argv);
  return run();
} catch (const std::exception& error) {
  std::cerr << examples::plain_message(error) << '\n';
  return 1;
}
