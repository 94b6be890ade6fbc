// ImageNet as it is trained in earnest: a ResNet on a folder of JPEGs through a native loader, in
// bfloat16 and channels_last where there is a GPU, several batches to a step where asked for, and
// checkpoints from which a run that was stopped anywhere goes on as if it had not been.
//
//   torch_imagenet --data FOLDER --model resnet50 --checkpoint run.pt
//   torch_imagenet --model small --batch-size 32 --crop 32 --epochs 4        (drawn images)
//
// FOLDER holds `train` and `val`, each with a folder a class. Where the checkpoint exists the run
// goes on from it; it is written every so many steps, at the end of each epoch and so of the run.
// `--help` lists all options. Exit status 1 where fewer than 70 % of other drawn images are
// recognised; of a folder's images, where the loss does not fall.
//
// The last line names what the parameters came to. It is the same however often the run was
// stopped: on CPUs with OMP_NUM_THREADS=1; with more threads, and on GPUs, as far as LibTorch adds
// up in the same order each time.
#include "../accuracy.hpp"
#include "../autocast.hpp"
#include "../digest.hpp"
#include "../drawn_images.hpp"
#include "../host_lead.hpp"
#include "../photos.hpp"
#include "../plain_message.hpp"
#include "../progress.hpp"
#include "../resnet.hpp"
#include "checkpoint.hpp"
#include "cli/numbers.hpp"
#include <stoker/stoker.hpp>
#include <stoker/torch.hpp>

#include <CLI/CLI.hpp>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using torch::Tensor;

/// Of drawn images.
constexpr double least_accuracy = 0.7;

/// So many images to a step are what the learning rate is given for.
constexpr double usual_step = 256;

/// Which part of the run it takes until the learning rate is reached: 5 epochs of 90.
constexpr double warm_up = 5. / 90;

struct Settings {
  std::string data;
  std::string model = "resnet18";
  std::string device = torch::cuda::is_available() ? "cuda" : "cpu";
  std::uint64_t epochs = 90;
  std::uint64_t batch_size = 256;
  std::uint64_t accumulate = 1;
  double learning_rate = 0.1;
  int crop = 224;
  int num_workers = std::max(stoker::available_processors() - 1, 1);
  std::string checkpoint;
  std::uint64_t checkpoint_every = 500;
  std::uint64_t stop_after = 0;
};

struct Data {
  examples::Photos train, val;
};

/// Images that fill no batch are left out of an epoch: of fewer than a batch none would be left.
Data checked_for_steps(Data data, std::uint64_t batch_size) {
  const std::uint64_t images = data.train.source->size();
  if (images >= batch_size) return data;
  throw std::invalid_argument("--batch-size: there are " + std::to_string(images) +
                              " images to train on, fewer than a batch of " +
                              std::to_string(batch_size));
}

Data open_data(const std::filesystem::path& folder) {
  if (!folder.empty()) {
    return {examples::open_photos(folder / "train"), examples::open_photos(folder / "val")};
  }
  std::cout << "no --data: drawn images\n";
  return {examples::as_photos(examples::draw_shapes(2000, 1)),
          examples::as_photos(examples::draw_shapes(200, 2))};
}

examples::ResNet make_model(const Settings& settings, std::int64_t classes) {
  torch::manual_seed(1);
  auto model = settings.model == "small"      ? examples::small_resnet(classes)
               : settings.model == "resnet18" ? examples::resnet18(classes)
                                              : examples::resnet50(classes);
  model->to(torch::Device(settings.device));
  examples::to_channels_last(*model);
  return model;
}

class Run {
 public:
  explicit Run(const Settings& settings)
      : settings_(settings),
        device_(settings.device),
        data_(checked_for_steps(open_data(settings.data), settings.batch_size)),
        loader_(*data_.train.source, examples::training_pipeline(settings.crop, device_),
                loader_options(/*training=*/true)),
        val_loader_(*data_.val.source, examples::test_pipeline(settings.crop, device_),
                    loader_options(/*training=*/false)),
        model_(make_model(settings, data_.train.classes)),
        optimizer_(
            model_->parameters(),
            torch::optim::SGDOptions(settings.learning_rate).momentum(0.9).weight_decay(5e-5)) {}

  /// Returns the exit status.
  int train() {
    for (std::uint64_t epoch = resume_or_start(); epoch < settings_.epochs; ++epoch) {
      if (!train_epoch(epoch)) return 0;
    }
    if (losses_.empty()) std::cout << "nothing left to train\n";
    std::cout << "parameters " << examples::digest(*model_) << '\n';
    return has_learned() ? 0 : 1;
  }

 private:
  stoker::LoaderOptions loader_options(bool training) const {
    return {.batch_size = settings_.batch_size,
            .shuffle = training,
            .seed = 1,
            .num_workers = settings_.num_workers,
            .drop_last = training,
            .device = stoker::torch::device(device_),
            .resize_on = device_.is_cuda() ? stoker::ResizeOn::device : stoker::ResizeOn::cpu,
            .workers = workers_};
  }

  std::uint64_t resume_or_start() {
    examples::check_checkpoint_name(settings_.checkpoint);
    if (!std::filesystem::exists(settings_.checkpoint)) return 0;
    const stoker::LoaderState state =
        examples::load_checkpoint(settings_.checkpoint, *model_, optimizer_, device_);
    loader_.load_state(state);
    return state.epoch;
  }

  /// Goes on where the epoch stands. Returns false where it is time to stop.
  bool train_epoch(std::uint64_t epoch) {
    auto batches = stoker::torch::batches(loader_, epoch, epoch + 1 == settings_.epochs);
    // Where a run goes on with larger batches, what its epoch has left may fill none.
    if (batches.size() == 0) return true;
    model_->train();
    examples::Progress progress("epoch " + std::to_string(epoch), batches.size());
    Tensor loss_sum = torch::zeros({}, device_);
    for (auto& batch : progress.watch(batches)) {
      loss_sum += accumulate(batch);
      lead_.queued();
      progress.advance(batch.data.size(0));
      if (!step_is_complete(batch.number)) continue;
      step(batch);
      const bool stop = ++steps_ == settings_.stop_after;
      if (stop || steps_ % settings_.checkpoint_every == 0) save_checkpoint();
      if (stop) return false;
    }
    if (steps_ != saved_step_) save_checkpoint();
    losses_.push_back(loss_sum.item<double>() / static_cast<double>(batches.size()));
    std::cout << progress.summary() << '\n';
    accuracy_ = accuracy(epoch);
    std::cout << "epoch " << epoch << ": loss " << losses_.back() << ", accuracy "
              << 100 * accuracy_ << " %" << std::endl;
    return true;
  }

  bool has_learned() const {
    if (losses_.empty()) return true;
    if (settings_.data.empty()) return accuracy_ >= least_accuracy;
    return losses_.back() <= losses_.front();
  }

  /// So many batches make a step together; at an epoch's end those that are left.
  std::uint64_t batches_together(std::uint64_t batch) const {
    const std::uint64_t first = batch - batch % settings_.accumulate;
    return std::min(settings_.accumulate, loader_.size() - first);
  }
  bool step_is_complete(std::uint64_t batch) const {
    return batch % settings_.accumulate + 1 == batches_together(batch);
  }

  /// Adds a batch's part to the gradients. Returns its loss.
  Tensor accumulate(const stoker::torch::Batch& batch) {
    const Tensor loss = torch::nn::functional::cross_entropy(scores(batch.data), batch.target);
    (loss / static_cast<double>(batches_together(batch.number))).backward();
    return loss.detach();
  }

  Tensor scores(const Tensor& images) {
    const examples::Autocast autocast(device_.type(), torch::kBFloat16, device_.is_cuda());
    return model_->forward(images).to(torch::kFloat32);
  }

  /// In proportion to the images of a step: a rate for 256 of them makes steps of 8 diverge. It
  /// rises at first, then falls along a cosine, by the place in the run alone: a run that goes on
  /// needs to know nothing else.
  /// Source: Goyal et al., "Accurate, large minibatch SGD: training ImageNet in 1 hour", 2017.
  double learning_rate(const stoker::torch::Batch& batch) const {
    const auto epoch_size = static_cast<double>(loader_.size());
    const double epochs =
        static_cast<double>(batch.epoch) + (static_cast<double>(batch.number) + 0.5) / epoch_size;
    const double part = epochs / static_cast<double>(settings_.epochs);
    const auto images = static_cast<double>(settings_.batch_size * settings_.accumulate);
    return settings_.learning_rate * images / usual_step *
           std::min(part / warm_up, (1 + std::cos(std::numbers::pi * part)) / 2);
  }

  void step(const stoker::torch::Batch& batch) {
    for (auto& group : optimizer_.param_groups()) group.options().set_lr(learning_rate(batch));
    optimizer_.step();
    optimizer_.zero_grad();
  }

  /// The loader's state is behind the batches that were delivered, whatever was prefetched.
  void save_checkpoint() {
    saved_step_ = steps_;
    if (settings_.checkpoint.empty()) return;
    const stoker::LoaderState state = loader_.state();
    examples::save_checkpoint(settings_.checkpoint, *model_, optimizer_, state);
    std::cout << "checkpoint in epoch " << state.epoch << " behind image " << state.position
              << std::endl;
  }

  double accuracy(std::uint64_t epoch) {
    model_->eval();
    return examples::accuracy(stoker::torch::batches(val_loader_, epoch, /*last=*/true),
                              [this](const Tensor& images) { return scores(images); });
  }

  Settings settings_;
  torch::Device device_;
  Data data_;
  std::shared_ptr<stoker::WorkerPool> workers_ =
      settings_.num_workers > 0 ? std::make_shared<stoker::WorkerPool>(settings_.num_workers)
                                : nullptr;
  stoker::Loader loader_, val_loader_;
  examples::ResNet model_;
  torch::optim::SGD optimizer_;
  examples::HostLead lead_{device_};
  std::uint64_t steps_ = 0;  ///< of this process
  std::uint64_t saved_step_ = 0;
  std::vector<double> losses_;  ///< of its epochs
  double accuracy_ = 0;         ///< behind the last of them
};

}  // namespace

int main(int argc, char** argv) try {
  using stoker::cli::whole_number;
  Settings settings;
  CLI::App app("Trains a ResNet on a folder of JPEGs");
  app.option_defaults()->always_capture_default();
  app.add_option("--data", settings.data, "folder with train and val; without, drawn images");
  app.add_option("--model", settings.model)
      ->check(CLI::IsMember({"small", "resnet18", "resnet50"}));
  app.add_option("--device", settings.device, "cpu, cuda, cuda:1, ...");
  app.add_option("--epochs", settings.epochs)->check(whole_number<std::uint64_t>(1));
  app.add_option("--batch-size", settings.batch_size)->check(whole_number<std::uint64_t>(1));
  app.add_option("--accumulate", settings.accumulate, "batches to a step of the optimizer")
      ->check(whole_number<std::uint64_t>(1));
  app.add_option("--learning-rate", settings.learning_rate,
                 "for steps of 256 images; in proportion for others")
      ->check(stoker::cli::positive_number());
  app.add_option("--crop", settings.crop, "height and width of the model's images")
      ->check(whole_number<int>(1));
  app.add_option("--num-workers", settings.num_workers, "0: all in the training thread")
      ->check(whole_number<int>());
  CLI::Option* checkpoint =
      app.add_option("--checkpoint", settings.checkpoint,
                     "file to go on from, and to write at the end of each epoch")
          ->check([](const std::string& name) { return name.empty() ? "must name a file" : ""; });
  app.add_option("--checkpoint-every", settings.checkpoint_every, "steps, within an epoch too")
      ->needs(checkpoint)
      ->check(whole_number<std::uint64_t>(1));
  app.add_option("--stop-after", settings.stop_after, "steps, with a checkpoint; 0: at the end")
      ->needs(checkpoint)
      ->check(whole_number());
  CLI11_PARSE(app, argc, argv);
  return Run(settings).train();
} catch (const std::exception& error) {
  std::cerr << examples::plain_message(error) << '\n';
  return 1;
}
