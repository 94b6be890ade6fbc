#pragma once

#include "src/sources/directory.hpp"
#include "src/sources/file_table.hpp"
#include <stoker/sources/scan_progress.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace stoker {

/// True where a file of that name counts as an image: by its extension, in any case.
bool has_image_extension(std::string_view name) noexcept;

/// Fills a table of files with the images below a root. Used once, by one thread.
class ImageScan {
 public:
  /// `progress`, which must outlive the scan, is told at most once an `interval`.
  /// @throws as Directory does, here and in the calls that follow.
  ImageScan(std::string root, const ScanProgress& progress,
            std::chrono::steady_clock::duration interval = std::chrono::milliseconds(100));

  /// Returns the names of the root's direct subdirectories, sorted by bytes.
  std::vector<std::string> subdirectories() const;
  /// Adds the images in and below `top`, a subdirectory of the root or "" for the root itself, in
  /// the order that FileTable::sort_from makes. Returns how many they are.
  std::uint64_t add_tree(const std::string& top, std::int64_t label);
  /// Ends the scan.
  std::shared_ptr<const FileTable> finish();

 private:
  static constexpr std::size_t no_parent = ~std::size_t{0};
  /// A directory that was visited, linked to the one that it was found in.
  struct Visited {
    DirectoryIdentity identity;
    std::size_t parent;
  };
  struct Pending {
    std::string path;
    std::size_t parent;
  };

  Directory open(std::string_view path) const;
  void visit(const Pending& pending, std::int64_t label);
  bool leads_back(DirectoryIdentity identity, std::size_t parent) const;
  void report();

  std::shared_ptr<FileTable> files_;
  DirectoryIdentity root_identity_;
  const ScanProgress& progress_;
  std::chrono::steady_clock::duration interval_;
  std::chrono::steady_clock::time_point next_report_;
  std::vector<Visited> visited_;
  std::vector<Pending> pending_;
};

}  // namespace stoker
