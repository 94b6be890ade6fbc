#include <stoker/sources/image_folder.hpp>

#include "src/sources/image_scan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace stoker {
namespace {

[[noreturn]] void throw_no_classes(const std::string& root) {
  throw Error(ErrorCode::empty_source,
              fmt::format("\"{}\" has no class folders: ImageFolder takes the images of a folder's "
                          "subfolders, one a class; for images directly in the folder use "
                          "FlatFolder, for paths and labels from a list FileList",
                          root));
}

void refuse_empty_classes(const std::string& root, const std::vector<std::string>& classes) {
  if (classes.empty()) return;
  throw Error(ErrorCode::empty_class,
              fmt::format("\"{}\" has class folders without an image: \"{}\"", root,
                          fmt::join(classes, "\", \"")));
}

}  // namespace

struct ImageFolder::Scan {
  Scan(const std::string& root, const ImageFolderOptions& options);

  std::vector<std::string> classes;
  std::shared_ptr<const FileTable> files;
};

ImageFolder::Scan::Scan(const std::string& root, const ImageFolderOptions& options) {
  ImageScan scan(root, options.progress);
  classes = scan.subdirectories();
  if (classes.empty()) throw_no_classes(root);
  std::vector<std::string> empty;
  for (std::size_t label = 0; label < classes.size(); ++label) {
    const auto found = scan.add_tree(classes[label], static_cast<std::int64_t>(label));
    if (found == 0) empty.push_back(classes[label]);
  }
  if (!options.allow_empty) refuse_empty_classes(root, empty);
  files = scan.finish();
  if (files->size() == 0) {
    throw Error(ErrorCode::empty_source, fmt::format("\"{}\" holds no image", root));
  }
}

ImageFolder::ImageFolder(const std::filesystem::path& root, const ImageFolderOptions& options)
    : ImageFolder(Scan(root.string(), options)) {}

ImageFolder::ImageFolder(Scan scan)
    : FileSource(std::move(scan.files)), classes_(std::move(scan.classes)) {}

std::optional<std::int64_t> ImageFolder::class_to_index(std::string_view name) const {
  const auto found = std::ranges::lower_bound(classes_, name);
  if (found == classes_.end() || *found != name) return std::nullopt;
  return found - classes_.begin();
}

}  // namespace stoker
