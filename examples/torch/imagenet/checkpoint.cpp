#include "checkpoint.hpp"

#include <stoker/torch/state.hpp>

#include <torch/serialize/archive.h>

namespace examples {

void save_checkpoint(const std::filesystem::path& file, const torch::nn::Module& model,
                     const torch::optim::Optimizer& optimizer, const stoker::LoaderState& state) {
  torch::serialize::OutputArchive archive, model_archive, optimizer_archive, loader_archive;
  model.save(model_archive);
  optimizer.save(optimizer_archive);
  loader_archive << state;
  archive.write("model", model_archive);
  archive.write("optimizer", optimizer_archive);
  archive.write("loader", loader_archive);
  std::filesystem::path unfinished = file;
  unfinished += ".unfinished";
  archive.save_to(unfinished.string());
  std::filesystem::rename(unfinished, file);
}

stoker::LoaderState load_checkpoint(const std::filesystem::path& file, torch::nn::Module& model,
                                    torch::optim::Optimizer& optimizer, torch::Device device) {
  torch::serialize::InputArchive archive, model_archive, optimizer_archive, loader_archive;
  archive.load_from(file.string(), device);
  archive.read("model", model_archive);
  archive.read("optimizer", optimizer_archive);
  archive.read("loader", loader_archive);
  model.load(model_archive);
  optimizer.load(optimizer_archive);
  stoker::LoaderState state;
  loader_archive >> state;
  return state;
}

}  // namespace examples
