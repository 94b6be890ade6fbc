#include "bench/torch_contender.hpp"

#include <stoker/core/error.hpp>

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <utility>
#include <vector>

namespace stoker::bench {
namespace {

constexpr const char* module_file = "libstoker_compare_torch.so";

/// The first place that has the module, or where it should be.
std::filesystem::path module_path() {
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const auto installed = folder / STOKER_MODULE_FOLDER / module_file;
  return std::filesystem::exists(installed) ? installed : folder / module_file;
}

using ErrorLine = std::array<char, 1024>;

[[noreturn]] void throw_line(const ErrorLine& line) {
  throw Error(ErrorCode::unsupported, fmt::format("LibTorch's loader: {}", line.data()));
}

/// The files' paths in the form that the seam wants; owns what it points to.
class FileTable {
 public:
  explicit FileTable(const Source& source) {
    for (std::uint64_t i = 0; i < source.size(); ++i) names_.push_back(source.name(i));
    for (const std::string& name : names_) paths_.push_back(name.c_str());
  }
  void fill(TorchRequest& request) const {
    request.paths = paths_.data();
    request.files = paths_.size();
  }

 private:
  std::vector<std::string> names_;
  std::vector<const char*> paths_;
};

TorchLoader* open(const TorchApi& api, const Workload& workload, TorchDecoder decoder) {
  const FileTable files(*workload.files);
  const std::string pipeline = workload.pipeline.text();
  TorchRequest request{};
  files.fill(request);
  request.repeat = workload.repeat;
  request.pipeline = pipeline.c_str();
  request.seed = workload.seed;
  request.batch_size = workload.batch_size;
  request.num_workers = workload.num_workers;
  request.shuffle = workload.shuffle ? 1 : 0;
  request.decoder = decoder;
  ErrorLine error{};
  TorchLoader* loader = api.open(&request, error.data(), error.size());
  if (loader == nullptr) throw_line(error);
  return loader;
}

}  // namespace

TorchModule::TorchModule() {
  const auto path = module_path();
  void* module = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) {
    throw Error(
        ErrorCode::unsupported,
        fmt::format("--compare torch needs a build with LibTorch (libtorch-dev): {}", ::dlerror()));
  }
  const auto entry = reinterpret_cast<const TorchApi* (*)()>(::dlsym(module, torch_api_symbol));
  if (entry == nullptr) {
    throw Error(ErrorCode::unsupported, fmt::format("{} is no module of stoker's", path.string()));
  }
  api_ = entry();
}

TorchContender::TorchContender(const TorchModule& module, const Workload& workload,
                               TorchDecoder decoder)
    : decoder_(decoder),
      num_workers_(workload.num_workers),
      loader_(open(module.api(), workload, decoder), Close{&module.api()}) {}

Measurement TorchContender::describe() const {
  const bool opencv = decoder_ == TorchDecoder::opencv;
  Measurement measurement;
  measurement.key = opencv ? "torch_opencv" : "torch_stoker_decode";
  measurement.title = opencv ? "LibTorch, OpenCV" : "LibTorch, stoker's decode";
  measurement.num_workers = num_workers_;
  return measurement;
}

Repetition TorchContender::run(std::uint64_t epoch, const Progress& progress) {
  const auto forward = [](void* context, std::uint64_t images) {
    (*static_cast<const Progress*>(context))(images);
  };
  TorchRepetition walk{};
  ErrorLine error{};
  const double cpu_before = cpu_seconds_now();
  void* context = const_cast<Progress*>(&progress);
  const auto& api = *loader_.get_deleter().api;
  if (api.run(loader_.get(), epoch, forward, context, &walk, error.data(), error.size()) == 0) {
    throw_line(error);
  }
  return {walk.images, walk.seconds, walk.first_batch_seconds, cpu_seconds_now() - cpu_before};
}

}  // namespace stoker::bench
