#pragma once

#include <stoker/sources/file_source.hpp>
#include <stoker/sources/scan_progress.hpp>

#include <filesystem>

namespace stoker {

/// The images in and below one folder, without classes: every label is 0. Which files count, and in
/// which order, is as within one class of an ImageFolder.
class FlatFolder final : public FileSource {
 public:
  /// @throws Error(not_found), Error(permission_denied), Error(io_error); Error(invalid_argument)
  /// where `root` is no directory; Error(empty_source) where there is no image.
  explicit FlatFolder(const std::filesystem::path& root, const ScanProgress& progress = {});
};

}  // namespace stoker
