#pragma once

#include <cstdint>
#include <memory_resource>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace stoker {

/// Paths and labels of files below a root, kept small for millions of them: 24 bytes a file, its
/// name, and the path of each directory once. Filled by one thread, then shared as const and
/// thread-safe.
class FileTable {
 public:
  using Directory = std::uint32_t;

  /// `root` is put before relative directories as it is; it may be empty.
  explicit FileTable(std::string root) : root_(std::move(root)) {}

  /// Adds a directory: "" (the root), "a/b" (below it) or "/a/b" (elsewhere).
  Directory add_directory(std::string_view path);
  void add(Directory directory, std::string_view name, std::int64_t label);
  /// Sorts the files from `first` on by their directory's whole path, then by name, both by bytes.
  void sort_from(std::uint64_t first);
  /// Gives back memory that growing took ahead.
  void shrink();

  const std::string& root() const noexcept { return root_; }
  std::uint64_t size() const noexcept { return files_.size(); }
  /// @throws Error(invalid_argument) for an index that is not below size(), as `label` does.
  void append_path(std::uint64_t index, std::string& text) const;
  std::int64_t label(std::uint64_t index) const { return at(index).label; }
  /// Computed at the first call; depends on paths below the root and labels.
  const std::string& fingerprint() const;

 private:
  struct File {
    const char* name;
    std::uint32_t name_size;
    Directory directory;
    std::int64_t label;

    std::string_view name_view() const noexcept { return {name, name_size}; }
  };

  const File& at(std::uint64_t index) const;
  std::string_view stored(std::string_view text);

  std::string root_;
  std::pmr::monotonic_buffer_resource text_;
  std::vector<std::string_view> directories_;
  std::vector<File> files_;
  mutable std::once_flag fingerprint_once_;
  mutable std::string fingerprint_;
};

/// Appends `part` to `path`, with a slash between where it needs one.
void append_to_path(std::string& path, std::string_view part);

}  // namespace stoker
