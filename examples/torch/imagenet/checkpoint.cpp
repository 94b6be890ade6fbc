#include "checkpoint.hpp"

#include <stoker/torch/state.hpp>

#include <c10/util/Exception.h>
#include <torch/serialize/archive.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace examples {

namespace {

/// LibTorch's own writer ends the process where a disk is full: it throws in a destructor. So this
/// one takes all that it is given, and says in the end whether it was written.
void write(torch::serialize::OutputArchive& archive, const std::filesystem::path& file) {
  std::ofstream out(file, std::ios::binary);
  archive.save_to([&out](const void* bytes, std::size_t count) {
    out.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
    return count;
  });
  out.close();
  if (out) return;
  const int reason = errno;
  std::filesystem::remove(file);
  throw std::system_error(reason, std::generic_category(),
                          "the checkpoint cannot be written to " + file.string());
}

}  // namespace

void check_checkpoint_name(const std::filesystem::path& file) {
  if (std::filesystem::is_directory(file)) {
    throw std::invalid_argument("--checkpoint: " + file.string() + " is a folder");
  }
  const std::filesystem::path folder = file.parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder)) {
    throw std::invalid_argument("--checkpoint: there is no folder " + folder.string());
  }
  if (!file.empty() && ::access(folder.empty() ? "." : folder.c_str(), W_OK) != 0) {
    throw std::invalid_argument("--checkpoint: nothing can be written to the folder of " +
                                file.string());
  }
}

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
  write(archive, unfinished);
  std::filesystem::rename(unfinished, file);
}

stoker::LoaderState load_checkpoint(const std::filesystem::path& file, torch::nn::Module& model,
                                    torch::optim::Optimizer& optimizer, torch::Device device) try {
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
} catch (const c10::Error& error) {
  throw std::runtime_error("the checkpoint " + file.string() +
                           " cannot be read: " + error.what_without_backtrace());
}

}  // namespace examples
