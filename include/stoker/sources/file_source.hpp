#pragma once

#include <stoker/sources/source.hpp>

#include <memory>
#include <string>

namespace stoker {

class FileTable;  // paths and labels; private to the sources

/// A source whose samples are files: what ImageFolder, FlatFolder and FileList have in common.
/// Files are opened only by `read`, which follows links, refuses whatever is no regular file, and
/// fails with not_found, permission_denied, empty_file or io_error; the message names the path.
/// Copies share one table of paths. Immutable and thread-safe.
class FileSource : public Source {
 public:
  std::uint64_t size() const override;
  Status read(std::uint64_t index, EncodedSample& sample) const override;
  /// The same as `path`.
  std::string name(std::uint64_t index) const override { return path(index); }
  /// Depends on the paths relative to the root and on the labels: the same wherever the root lies.
  /// Computed at the first call.
  std::string fingerprint() const override;

  /// Returns the sample's path: the root as it was given, and the path below it.
  /// @throws Error(invalid_argument) where there is no such sample.
  std::string path(std::uint64_t index) const;
  /// @throws Error(invalid_argument) where there is no such sample.
  std::int64_t label(std::uint64_t index) const;

 protected:
  explicit FileSource(std::shared_ptr<const FileTable> files) noexcept : files_(std::move(files)) {}
  FileSource(const FileSource&) = default;
  FileSource& operator=(const FileSource&) = default;
  ~FileSource() override = default;

 private:
  std::shared_ptr<const FileTable> files_;
};

}  // namespace stoker
