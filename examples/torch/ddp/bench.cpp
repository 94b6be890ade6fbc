#include "bench.hpp"

#include "../drawn_images.hpp"
#include "../photos.hpp"
#include "../progress.hpp"
#include <stoker/samplers/random_sampler.hpp>

#include <torch/cuda.h>

#include <iostream>
#include <memory>
#include <string>

namespace examples {
namespace {

/// One epoch of as many samples as there are steps to train, however few photos there are.
stoker::LoaderOptions one_long_epoch(const DdpSettings& settings, const Rank& rank,
                                     std::uint64_t photos) {
  const std::uint64_t samples =
      (settings.warmup + settings.steps) * settings.batch_size * rank.ranks.world_size;
  stoker::LoaderOptions options = loader_options(settings, rank);
  options.shuffle = false;
  options.sampler = std::make_shared<stoker::RandomSampler>(
      photos, stoker::RandomOptions{.num_samples = samples});
  return options;
}

/// Waits for all that is queued.
void synchronize(torch::Device device) {
  if (device.is_cuda()) torch::cuda::synchronize(device.index());
}

/// Returns the speed in images a second.
double train(Trainer& trainer, stoker::torch::Batches& batches, const DdpSettings& settings,
             const Rank& rank) {
  for (std::uint64_t i = 0; i < settings.warmup; ++i) trainer.step(*batches.next());
  synchronize(rank.device);
  Progress progress("rank " + std::to_string(rank.ranks.rank), settings.steps);
  while (const auto batch = progress.timed([&] { return batches.next(); })) {
    trainer.step(*batch);
    progress.advance(batch->data.size(0));
  }
  synchronize(rank.device);
  const double images_per_second = progress.images_per_second();
  std::cout << progress.summary() + '\n' << std::flush;
  return images_per_second;
}

}  // namespace

void measure(const DdpSettings& settings, const Rank& rank) {
  at::globalContext().setBenchmarkCuDNN(true);
  if (settings.photos.empty() && rank.ranks.rank == 0) std::cout << "no --photos: drawn images\n";
  const Photos photos =
      settings.photos.empty() ? as_photos(draw_shapes(500, 1)) : open_photos(settings.photos);
  stoker::Loader loader(*photos.source, training_pipeline(settings.crop, rank.device),
                        one_long_epoch(settings, rank, photos.source->size()));
  Trainer trainer(settings, photos.classes, rank);
  stoker::torch::Batches batches = stoker::torch::batches(loader, 0, /*last=*/true);
  const double mine = train(trainer, batches, settings, rank);
  double total = 0;
  for (const std::string& one : rank.communicator->all_gather(std::to_string(mine))) {
    total += std::stod(one);
  }
  if (rank.ranks.rank == 0) std::cout << "all ranks: " << total << " images/s\n";
}

}  // namespace examples
