#include "src/sources/image_scan.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace stoker {
namespace {

using Clock = std::chrono::steady_clock;

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool ends_with(std::string_view name, std::string_view extension) noexcept {
  return name.size() >= extension.size() &&
         std::ranges::equal(name.substr(name.size() - extension.size()), extension, {}, lower);
}

}  // namespace

// Source: torchvision/datasets/folder.py, IMG_EXTENSIONS.
bool has_image_extension(std::string_view name) noexcept {
  using namespace std::string_view_literals;
  constexpr std::array extensions{".jpg"sv, ".jpeg"sv, ".png"sv,  ".ppm"sv, ".bmp"sv,
                                  ".pgm"sv, ".tif"sv,  ".tiff"sv, ".webp"sv};
  return std::ranges::any_of(extensions,
                             [&](auto extension) { return ends_with(name, extension); });
}

ImageScan::ImageScan(std::string root, const ScanProgress& progress, Clock::duration interval)
    : files_(std::make_shared<FileTable>(std::move(root))),
      root_identity_(open("").identity()),
      progress_(progress),
      interval_(interval),
      next_report_(Clock::now() + interval) {}

Directory ImageScan::open(std::string_view path) const {
  std::string whole = files_->root();
  append_to_path(whole, path);
  return Directory(std::move(whole));
}

std::vector<std::string> ImageScan::subdirectories() const {
  std::vector<std::string> names;
  Directory root = open("");
  while (const auto entry = root.next()) {
    if (entry->is_directory) names.emplace_back(entry->name);
  }
  std::ranges::sort(names);
  return names;
}

std::uint64_t ImageScan::add_tree(const std::string& top, std::int64_t label) {
  const std::uint64_t first = files_->size();
  visited_.clear();
  if (!top.empty()) visited_.push_back({root_identity_, no_parent});
  pending_.push_back({top, top.empty() ? no_parent : 0});
  while (!pending_.empty()) {
    const Pending next = std::move(pending_.back());
    pending_.pop_back();
    visit(next, label);
    report();
  }
  files_->sort_from(first);
  return files_->size() - first;
}

void ImageScan::visit(const Pending& pending, std::int64_t label) {
  Directory directory = open(pending.path);
  const DirectoryIdentity identity = directory.identity();
  if (leads_back(identity, pending.parent)) return;
  const std::size_t here = visited_.size();
  visited_.push_back({identity, pending.parent});
  std::optional<FileTable::Directory> stored;
  while (const auto entry = directory.next()) {
    if (entry->is_directory) {
      std::string below = pending.path;
      append_to_path(below, entry->name);
      pending_.push_back({std::move(below), here});
    } else if (has_image_extension(entry->name)) {
      if (!stored) stored = files_->add_directory(pending.path);
      files_->add(*stored, entry->name, label);
      if (files_->size() % 1024 == 0) report();
    }
  }
}

bool ImageScan::leads_back(DirectoryIdentity identity, std::size_t parent) const {
  for (; parent != no_parent; parent = visited_[parent].parent) {
    if (visited_[parent].identity == identity) return true;
  }
  return false;
}

void ImageScan::report() {
  if (!progress_) return;
  const auto now = Clock::now();
  if (now < next_report_) return;
  progress_(files_->size());
  next_report_ = now + interval_;
}

std::shared_ptr<const FileTable> ImageScan::finish() {
  files_->shrink();
  return std::move(files_);
}

}  // namespace stoker
