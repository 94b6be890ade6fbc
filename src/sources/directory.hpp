#pragma once

#include <dirent.h>
#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace stoker {

/// What makes two paths the same directory.
struct DirectoryIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  friend bool operator==(const DirectoryIdentity&, const DirectoryIdentity&) = default;
};

/// An entry of a directory; the name is valid until the next is read.
struct DirectoryEntry {
  std::string_view name;
  bool is_directory = false;
};

/// Reads a directory's entries in the order in which the system gives them, without "." and "..".
/// Looks only at entries that are links, or whose kind the file system does not tell.
class Directory {
 public:
  /// @throws Error(not_found), Error(permission_denied), Error(io_error); Error(invalid_argument)
  /// where the path leads to something else.
  explicit Directory(std::string path);

  DirectoryIdentity identity() const;
  /// Returns the next entry, or nothing behind the last. @throws Error(io_error)
  std::optional<DirectoryEntry> next();

 private:
  struct Close {
    void operator()(DIR* directory) const noexcept { ::closedir(directory); }
  };

  std::string path_;
  std::unique_ptr<DIR, Close> directory_;
};

/// True where the entry `name` of an open directory is a directory or a link to one, given the kind
/// that readdir told. An entry that cannot be looked at, such as a broken link, is none.
bool is_directory(int directory, const char* name, unsigned char kind) noexcept;

}  // namespace stoker
