#include "src/sources/file_table.hpp"

#include "src/core/fingerprint.hpp"
#include <stoker/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace stoker {

void append_to_path(std::string& path, std::string_view part) {
  if (!path.empty() && !part.empty() && path.back() != '/') path += '/';
  path += part;
}

std::string_view FileTable::stored(std::string_view text) {
  if (text.empty()) return {};
  auto* place = static_cast<char*>(text_.allocate(text.size(), 1));
  std::memcpy(place, text.data(), text.size());
  return {place, text.size()};
}

FileTable::Directory FileTable::add_directory(std::string_view path) {
  directories_.push_back(stored(path));
  return static_cast<Directory>(directories_.size() - 1);
}

void FileTable::add(Directory directory, std::string_view name, std::int64_t label) {
  const std::string_view kept = stored(name);
  files_.push_back({kept.data(), static_cast<std::uint32_t>(kept.size()), directory, label});
}

void FileTable::sort_from(std::uint64_t first) {
  const auto before = [this](const File& a, const File& b) {
    return a.directory == b.directory ? a.name_view() < b.name_view()
                                      : directories_[a.directory] < directories_[b.directory];
  };
  std::sort(files_.begin() + static_cast<std::ptrdiff_t>(first), files_.end(), before);
}

void FileTable::shrink() {
  files_.shrink_to_fit();
  directories_.shrink_to_fit();
}

const FileTable::File& FileTable::at(std::uint64_t index) const {
  if (index >= files_.size()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("there is no sample {}: the source has {}", index, files_.size()));
  }
  return files_[index];
}

void FileTable::append_path(std::uint64_t index, std::string& text) const {
  const File& file = at(index);
  const std::string_view directory = directories_[file.directory];
  if (!directory.starts_with('/')) append_to_path(text, root_);
  append_to_path(text, directory);
  append_to_path(text, file.name_view());
}

const std::string& FileTable::fingerprint() const {
  std::call_once(fingerprint_once_, [this] {
    Fingerprint fingerprint;
    for (const File& file : files_) {
      const std::string_view directory = directories_[file.directory];
      fingerprint.add({directory, directory.empty() ? "" : "/", file.name_view()}, file.label);
    }
    fingerprint_ = fingerprint.text();
  });
  return fingerprint_;
}

}  // namespace stoker
