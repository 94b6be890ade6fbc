#include "cli/synth_set.hpp"

#include "cli/files.hpp"
#include "cli/synth_images.hpp"
#include <stoker/core/error.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace stoker::cli {
namespace {

namespace fs = std::filesystem;

// Changes whenever the same seed gives other images.
constexpr int generator_version = 1;
constexpr const char* note_name = "stoker-synth.json";

void require(bool holds, const std::string& message) {
  if (!holds) throw Error(ErrorCode::invalid_argument, message);
}

ErrorCode code_of(const std::error_code& error) {
  if (error == std::errc::permission_denied || error == std::errc::operation_not_permitted ||
      error == std::errc::read_only_file_system)
    return ErrorCode::permission_denied;
  return ErrorCode::io_error;
}

void create_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw Error(code_of(error),
                fmt::format("cannot create {}: {}", folder.string(), error.message()));
}

/// Writes a file so that it is there as a whole or not at all.
void write_whole(const fs::path& path, std::span<const std::byte> bytes) {
  const fs::path part = path.string() + ".part";
  std::error_code error;
  try {
    write_file(part, bytes);
  } catch (const Error&) {
    fs::remove(part, error);  // the first error is the one to tell
    throw;
  }
  fs::rename(part, path, error);
  if (error)
    throw Error(code_of(error), fmt::format("cannot write {}: {}", path.string(), error.message()));
}

nlohmann::ordered_json note_of(const SynthOptions& options) {
  nlohmann::ordered_json note;
  note["generator"] = generator_version;
  note["seed"] = options.seed;
  note["classes"] = options.classes;
  note["quality"] = options.quality ? nlohmann::ordered_json(*options.quality) : nullptr;
  note["count"] = options.count;
  return note;
}

/// Says whether the folder holds the same set, of at most as many images.
bool holds_same_set(const SynthOptions& options) {
  const fs::path path = options.folder / note_name;
  if (!fs::exists(path)) return false;
  const std::vector<std::byte> bytes = read_file(path);
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  auto note = nlohmann::ordered_json::parse(text, text + bytes.size(), nullptr, false);
  if (!note.is_object() || !note.contains("count") || !note["count"].is_number_unsigned())
    return false;
  if (note["count"].get<std::uint64_t>() > options.count) return false;
  note["count"] = options.count;
  return note == note_of(options);
}

void check(const SynthOptions& options) {
  require(options.count >= 1, "a set needs at least one image");
  require(options.classes >= 1 && options.classes <= options.count,
          fmt::format("{} images cannot fill {} classes", options.count, options.classes));
  require(!options.quality || (*options.quality >= 1 && *options.quality <= 100),
          "quality must lie between 1 and 100");
  require(options.num_workers >= 1, "num_workers must be at least 1");
}

/// Returns whether images that are there may be kept.
bool open_folder(const SynthOptions& options) {
  const std::string name = options.folder.string();
  require(!fs::exists(options.folder) || fs::is_directory(options.folder), name + " is no folder");
  create_folder(options.folder);
  const bool same = holds_same_set(options);
  require(same || options.force || fs::is_empty(options.folder),
          fmt::format("{} is not empty and holds no set of images that this call would continue; "
                      "--force writes into it all the same",
                      name));
  return same;
}

/// The run of a call: workers take one image after the other.
class SynthRun {
 public:
  SynthRun(const SynthOptions& options, const std::function<void(std::uint64_t)>& progress)
      : options_(options), progress_(progress), maker_(options.seed, options.quality) {}

  SynthResult run() {
    check(options_);
    keep_ = open_folder(options_);
    const std::string note = note_of(options_).dump(2) + "\n";
    write_whole(options_.folder / note_name, std::as_bytes(std::span(note)));
    for (std::uint64_t i = 0; i < options_.classes; ++i) create_folder(class_folder(i));
    {
      std::vector<std::jthread> workers;
      for (int i = 0; i < options_.num_workers; ++i) workers.emplace_back([this] { work(); });
    }
    if (failure_) std::rethrow_exception(failure_);
    return result_;
  }

 private:
  std::string class_name(std::uint64_t index) const {
    return fmt::format("class_{:04}", index % options_.classes);
  }
  fs::path class_folder(std::uint64_t index) const { return options_.folder / class_name(index); }
  fs::path path(std::uint64_t index) const {
    return class_folder(index) / fmt::format("{}_{:08}.JPEG", class_name(index), index);
  }

  void work() noexcept {
    while (!failed_) {
      const std::uint64_t index = next_.fetch_add(1);
      if (index >= options_.count) return;
      try {
        make(index);
      } catch (...) {
        keep_failure(std::current_exception());
      }
    }
  }
  void make(std::uint64_t index) {
    const fs::path file = path(index);
    std::error_code missing;
    const std::uintmax_t size = keep_ ? fs::file_size(file, missing) : 0;
    if (keep_ && !missing && size > 0) return count(result_.kept, size);
    const std::vector<std::byte> bytes = maker_.make(index);
    write_whole(file, bytes);
    count(result_.written, bytes.size());
  }
  void count(std::uint64_t& counter, std::uint64_t bytes) {
    const std::lock_guard held(mutex_);
    ++counter;
    result_.bytes += bytes;
    progress_(1);
  }
  void keep_failure(std::exception_ptr failure) {
    const std::lock_guard held(mutex_);
    if (!failed_.exchange(true)) failure_ = std::move(failure);
  }

  const SynthOptions& options_;
  const std::function<void(std::uint64_t)>& progress_;
  PhotoMaker maker_;
  bool keep_ = false;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;  // guards what follows
  std::exception_ptr failure_;
  SynthResult result_;
};

}  // namespace

SynthResult make_synth_set(const SynthOptions& options,
                           const std::function<void(std::uint64_t)>& progress) {
  try {
    return SynthRun(options, progress).run();
  } catch (const fs::filesystem_error& error) {
    throw Error(code_of(error.code()),
                fmt::format("cannot use {}: {}", error.path1().string(), error.code().message()));
  }
}

}  // namespace stoker::cli
