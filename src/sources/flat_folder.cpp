#include <stoker/sources/flat_folder.hpp>

#include "src/sources/image_scan.hpp"

#include <fmt/format.h>

namespace stoker {
namespace {

std::shared_ptr<const FileTable> scan(const std::string& root, const ScanProgress& progress) {
  ImageScan scan(root, progress);
  if (scan.add_tree("", 0) == 0) {
    throw Error(ErrorCode::empty_source, fmt::format("\"{}\" holds no image", root));
  }
  return scan.finish();
}

}  // namespace

FlatFolder::FlatFolder(const std::filesystem::path& root, const ScanProgress& progress)
    : FileSource(scan(root.string(), progress)) {}

}  // namespace stoker
