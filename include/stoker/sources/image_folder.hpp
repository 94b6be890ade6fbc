#pragma once

#include <stoker/sources/file_source.hpp>
#include <stoker/sources/scan_progress.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stoker {

/// How a folder is opened.
struct ImageFolderOptions {
  /// Accept class folders without images; otherwise they are an error.
  bool allow_empty = false;
  ScanProgress progress = {};
};

/// The images of a folder of class folders, with the labels and in the order of torchvision's
/// ImageFolder: the root's direct subfolders, sorted by name, are the classes 0, 1, ...; a class
/// holds every file in or below its folder that ends in .jpg, .jpeg, .png, .ppm, .bmp, .pgm, .tif,
/// .tiff or .webp in any case, folders ordered by their whole path and files by name (both by
/// bytes). Links are followed.
///
/// Differs from torchvision in two cases: a link back to a folder that it lies in is not followed
/// (there the scan repeats it until the system gives up), and a subfolder that may not be read is
/// an error (there its images are left out silently).
///
/// Opening reads folders, never files, and keeps at most 64 bytes a sample beside the file names.
class ImageFolder final : public FileSource {
 public:
  /// @throws Error(not_found), Error(permission_denied), Error(io_error); Error(invalid_argument)
  /// where `root` is no directory; Error(empty_source) where it has no class folder or no image;
  /// Error(empty_class) that names every class folder without an image.
  explicit ImageFolder(const std::filesystem::path& root, const ImageFolderOptions& options = {});

  /// The classes' names; a name's place is its label.
  const std::vector<std::string>& classes() const noexcept { return classes_; }
  /// Returns the label of the class of that name, or nothing.
  std::optional<std::int64_t> class_to_index(std::string_view name) const;

 private:
  struct Scan;
  explicit ImageFolder(Scan scan);

  std::vector<std::string> classes_;
};

}  // namespace stoker
