// Data parallel training: each rank has its part of the data and its copy of the model, and the
// ranks average their gradients with c10d, over Gloo on CPUs and over NCCL on GPUs.
//
//   torch_ddp [--ranks 2]                                            (starts the ranks itself)
//   torchrun --nproc-per-node 2 --no-python torch_ddp                (so does a launcher)
//   torch_ddp --bench --device cuda --model resnet50 --photos FOLDER --batch-size 256 --crop 224
//
// Without --bench a small model learns drawn images in float64. Exit status 1 unless the ranks end
// with the same parameters, and these are what one rank comes to by itself on batches of all ranks'
// samples.
// With --bench the ranks tell how fast they train, and how long they wait for batches. Exit status
// 77 where there are fewer GPUs than ranks; a line says so.
#include "../digest.hpp"
#include "../drawn_images.hpp"
#include "../photos.hpp"
#include "../plain_message.hpp"
#include "bench.hpp"
#include "cli/numbers.hpp"
#include "process_group.hpp"
#include "trainer.hpp"
#include <stoker/distributed/agreement.hpp>
#include <stoker/torch/c10d.hpp>

#include <CLI/CLI.hpp>
#include <c10/core/DeviceGuard.h>
#include <torch/cuda.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using examples::DdpSettings;
using examples::Rank;
using torch::Tensor;
using torch::nn::Sequential;

constexpr int no_device = 77;

/// How far ranks may end from what one rank comes to: they add up the same numbers in another
/// order. Within four epochs that makes about 1e-15. In float32 it would make 1e-7 until a value
/// before a ReLU is so near 0 that its sign differs, and 1e-3 soon after: no less than what a real
/// fault makes.
constexpr double tolerance = 1e-9;

/// @throws std::invalid_argument where an epoch would have no step.
void check_steps(const stoker::Loader& loader, const DdpSettings& settings, const Rank& rank,
                 std::uint64_t images) {
  if (loader.size() > 0) return;
  throw std::invalid_argument("--batch-size: a rank has " +
                              std::to_string(images / rank.ranks.world_size) + " of the " +
                              std::to_string(images) + " images, fewer than a batch of " +
                              std::to_string(settings.batch_size));
}

/// @throws std::runtime_error where nothing was learned. One epoch has none to compare it with.
void check_learned(const DdpSettings& settings, double first, double last) {
  if (!std::isfinite(last)) throw std::runtime_error("nothing was learned: the loss is not finite");
  if (settings.epochs > 1 && last >= first) {
    throw std::runtime_error("nothing was learned: the loss did not fall");
  }
}

/// Returns the trained model. Collective. @throws as the checks above.
Sequential train(const DdpSettings& settings, const examples::Photos& photos, const Rank& rank) {
  stoker::Loader loader(*photos.source, examples::training_pipeline(settings.crop, rank.device),
                        examples::loader_options(settings, rank));
  check_steps(loader, settings, rank, photos.source->size());
  examples::Trainer trainer(settings, photos.classes, rank);
  double first = 0, last = 0;
  for (std::uint64_t epoch = 0; epoch < settings.epochs; ++epoch) {
    Tensor losses = torch::zeros({}, rank.device);
    for (auto& batch : stoker::torch::batches(loader, epoch, epoch + 1 == settings.epochs)) {
      losses += trainer.step(batch);
    }
    last = losses.item<double>() / static_cast<double>(loader.size());
    if (epoch == 0) first = last;
    std::cout << "rank " + std::to_string(rank.ranks.rank) + " of " +
                     std::to_string(rank.ranks.world_size) + ", epoch " + std::to_string(epoch) +
                     ": loss " + std::to_string(last) + '\n'
              << std::flush;
  }
  check_learned(settings, first, last);
  return trainer.model();
}

/// Returns the largest difference between two models' parameters.
double difference(const Sequential& a, const Sequential& b) {
  const std::vector<Tensor> first = a->parameters(), second = b->parameters();
  double largest = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    largest = std::max(largest, (first[i] - second[i]).abs().max().item<double>());
  }
  return largest;
}

/// Trains on all ranks, then on rank 0 by itself. Returns the exit status.
int compare(DdpSettings settings, const Rank& rank) {
  const examples::Photos photos = examples::as_photos(examples::draw_shapes(500, 1));
  const Sequential together = train(settings, photos, rank);
  stoker::agree(*rank.communicator, {{{"parameters", examples::digest(*together)}}, {}});
  if (rank.ranks.rank != 0) return 0;
  settings.batch_size *= rank.ranks.world_size;
  const Sequential alone = train(settings, photos, {{}, rank.device, {}, {}});
  const double apart = difference(together, alone);
  std::cout << "all ranks have the same parameters; one rank by itself comes within " << apart
            << '\n';
  return apart < tolerance ? 0 : 1;
}

/// Says where there is none.
bool has_gpu(std::uint64_t ordinal, const stoker::Ranks& ranks) {
  const std::uint64_t count = torch::cuda::device_count();
  if (ordinal < count) return true;
  std::cerr << "rank " + std::to_string(ranks.rank) + ": --device cuda needs a GPU a rank; there " +
                   (count == 1 ? "is 1" : "are " + std::to_string(count)) + "\n";
  return false;
}

int run_rank(const DdpSettings& settings, torch::Device device, const stoker::Ranks& ranks,
             const examples::StorePtr& store) {
  if (device.is_cuda()) {
    const std::uint64_t ordinal = ranks.local_rank.value_or(ranks.rank);
    if (!has_gpu(ordinal, ranks)) return no_device;
    device.set_index(static_cast<c10::DeviceIndex>(ordinal));
  }
  const c10::DeviceGuard current(device);
  const auto group = examples::make_group(store, ranks, device);
  const Rank rank{ranks, device, group,
                  std::make_shared<stoker::torch::ProcessGroupCommunicator>(group, device)};
  int status = 0;
  if (settings.bench) {
    examples::measure(settings, rank);
  } else {
    status = compare(settings, rank);
  }
  examples::shut_down(*group);
  return status;
}

}  // namespace

int main(int argc, char** argv) try {
  using stoker::cli::whole_number;
  DdpSettings settings;
  CLI::App app("Trains on several ranks");
  app.footer("Exit status 77 where --device cuda finds fewer GPUs than ranks.");
  app.option_defaults()->always_capture_default();
  app.add_option("--ranks", settings.ranks, "where no launcher starts them")
      ->check(whole_number<int>(1));
  app.add_option("--device", settings.device, "cpu, or cuda: one GPU a rank");
  app.add_option("--batch-size", settings.batch_size, "of a rank")
      ->check(whole_number<std::uint64_t>(1));
  app.add_option("--crop", settings.crop, "height and width of the model's images")
      ->check(whole_number<int>(1));
  app.add_option("--epochs", settings.epochs)->check(whole_number<std::uint64_t>(1));
  CLI::Option* bench = app.add_flag("--bench", settings.bench, "measure");
  app.add_option("--model", settings.model)
      ->needs(bench)
      ->check(CLI::IsMember({"small", "resnet18", "resnet50"}));
  app.add_option("--photos", settings.photos, "folder; without, drawn images")->needs(bench);
  app.add_option("--steps", settings.steps, "that are measured")
      ->needs(bench)
      ->check(whole_number<std::uint64_t>(1));
  app.add_option("--warmup", settings.warmup, "steps before them")
      ->needs(bench)
      ->check(whole_number());
  CLI11_PARSE(app, argc, argv);
  const torch::Device device(settings.device);
  return examples::run_ranks(settings.ranks, [&](const auto& ranks, const auto& store) {
    return run_rank(settings, device, ranks, store);
  });
} catch (const std::exception& error) {
  std::cerr << examples::plain_message(error) << '\n';
  return 1;
}
