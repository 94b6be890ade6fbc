#pragma once

#include <stoker/sources/file_source.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace stoker {

/// How a file list is read.
struct FileListOptions {
  /// The folder that relative paths start from; nothing: the list file's own.
  std::optional<std::filesystem::path> root = {};
};

/// Files and labels as a list names them. The list is a text file, one sample a line:
///
///     n01440764/a photo.JPEG 0
///     n01440764/b.JPEG,0
///     "a path, with a comma and a "" quote.png",1
///
/// - The label is the line's last field, a whole number of 64 bits, divided from the path by a
///   comma, a tab or blanks. The path is all before it and may hold blanks and commas itself.
/// - A path that starts with a double quote ends at the next one; two of them stand for one.
/// - The first line may be a header: words divided by a comma or a tab, such as `path,label`.
/// - Blank lines, blanks around fields, CRLF line ends and a UTF-8 byte order mark are ignored.
///   There are no comments: `#` is a character like any other.
///
/// Opening reads the list, and neither opens nor checks the files.
class FileList final : public FileSource {
 public:
  struct Item {
    std::string path;
    std::int64_t label = 0;
  };

  /// @throws Error(not_found), Error(permission_denied), Error(io_error); Error(bad_list) with
  /// number and text of the first bad line; Error(empty_source) where the list names no file.
  explicit FileList(const std::filesystem::path& list, const FileListOptions& options = {});

  /// Takes the items in their order; relative paths start from `root`, or where it is empty from
  /// the working directory. @throws Error(bad_list) for an item without a path,
  /// Error(empty_source).
  explicit FileList(const std::vector<Item>& items, const std::filesystem::path& root = {});
};

}  // namespace stoker
