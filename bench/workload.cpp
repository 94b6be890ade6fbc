#include "bench/workload.hpp"

#include <stoker/samplers/random_sampler.hpp>
#include <stoker/samplers/sequential_sampler.hpp>
#include <stoker/sources/file_list.hpp>
#include <stoker/sources/flat_folder.hpp>
#include <stoker/sources/image_folder.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace stoker::bench {
namespace {

class RepeatedSource : public Source {
 public:
  RepeatedSource(std::shared_ptr<const Source> source, std::uint64_t times)
      : source_(std::move(source)), times_(times) {}

  std::uint64_t size() const override { return source_->size() * times_; }
  Status read(std::uint64_t index, EncodedSample& sample) const override {
    return source_->read(index % source_->size(), sample);
  }
  std::string name(std::uint64_t index) const override {
    return source_->name(index % source_->size());
  }
  bool in_memory() const override { return source_->in_memory(); }
  std::string fingerprint() const override { return source_->fingerprint(); }

 private:
  std::shared_ptr<const Source> source_;
  std::uint64_t times_;
};

/// Shows the count on stderr where that is a terminal, and wipes it away when the scan is over.
class ScanLine {
 public:
  ScanProgress progress() {
    return [this](std::uint64_t files) {
      if (!terminal_) return;
      fmt::print(stderr, "\r\x1b[Kscanning: {} files", files);
      shown_ = true;
    };
  }
  ~ScanLine() {
    if (shown_) fmt::print(stderr, "\r\x1b[K");
  }

 private:
  bool terminal_ = ::isatty(STDERR_FILENO) == 1;
  bool shown_ = false;
};

bool has_subfolders(const std::filesystem::path& folder) {
  std::error_code unreadable;  // the source reports it, with the path
  const std::filesystem::directory_iterator entries(folder, unreadable);
  return std::any_of(begin(entries), end(entries),
                     [](const auto& entry) { return entry.is_directory(); });
}

}  // namespace

std::unique_ptr<Sampler> Workload::sampler() const {
  if (shuffle) return std::make_unique<RandomSampler>(epoch_size());
  return std::make_unique<SequentialSampler>(epoch_size());
}

std::string Workload::device_name() const {
  const DeviceId id = device->id();
  return id.kind == DeviceId::Kind::cpu ? "host" : fmt::format("cuda:{}", id.ordinal);
}

std::string name_of(FinishOn finish) {
  switch (finish) {
    case FinishOn::cpu: return "cpu";
    case FinishOn::device: return "device";
    case FinishOn::automatic: break;
  }
  return "auto";
}

std::string name_of(ResizeOn resize) { return resize == ResizeOn::device ? "device" : "cpu"; }

std::shared_ptr<const Source> open_data(const std::string& path) {
  std::error_code missing;  // FileList reports it, with the path
  if (!std::filesystem::is_directory(path, missing)) return std::make_shared<FileList>(path);
  ScanLine line;
  if (!has_subfolders(path)) return std::make_shared<FlatFolder>(path, line.progress());
  ImageFolderOptions options;
  options.progress = line.progress();
  return std::make_shared<ImageFolder>(path, options);
}

std::shared_ptr<const Source> repeated(std::shared_ptr<const Source> source, std::uint64_t times) {
  return std::make_shared<RepeatedSource>(std::move(source), times);
}

}  // namespace stoker::bench
