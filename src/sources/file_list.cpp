#include <stoker/sources/file_list.hpp>

#include "src/sources/file_table.hpp"
#include "src/sources/list_line.hpp"
#include "src/sources/read_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace stoker {
namespace {

namespace fs = std::filesystem;

// Splits paths into directory and name, and shares a directory among neighbours.
class TableBuilder {
 public:
  explicit TableBuilder(const fs::path& root)
      : files_(std::make_shared<FileTable>(root.string())), absolute_root_(absolute_folder(root)) {}

  // Returns what is wrong with the path, or nothing.
  std::string add(std::string_view path, std::int64_t label) {
    path = below_root(path);
    const std::size_t slash = path.rfind('/');
    const std::string_view name = slash == path.npos ? path : path.substr(slash + 1);
    if (name.empty()) return "the path does not name a file";
    if (path.find('\0') != path.npos) return "the path holds a zero byte";
    const std::string_view folder =
        slash == path.npos ? "" : path.substr(0, std::max<std::size_t>(slash, 1));
    if (files_->size() == 0 || folder != last_folder_) {
      last_folder_ = folder;
      directory_ = files_->add_directory(folder);
    }
    files_->add(directory_, name, label);
    return {};
  }

  std::shared_ptr<const FileTable> finish(const std::string& list) {
    if (files_->size() == 0) {
      throw Error(ErrorCode::empty_source, fmt::format("{} names no file", list));
    }
    files_->shrink();
    return std::move(files_);
  }

 private:
  static std::string absolute_folder(const fs::path& root) {
    std::string folder = fs::absolute(root.empty() ? "." : root).lexically_normal().string();
    if (!folder.ends_with('/')) folder += '/';
    return folder;
  }

  // An absolute path below the root is kept relative to it, so that the fingerprint does not depend
  // on where the root lies.
  std::string_view below_root(std::string_view path) const {
    if (!path.starts_with(absolute_root_)) return path;
    path.remove_prefix(absolute_root_.size());
    return path.substr(std::min(path.find_first_not_of('/'), path.size()));
  }

  std::shared_ptr<FileTable> files_;
  std::string absolute_root_;
  std::string last_folder_;
  FileTable::Directory directory_ = 0;
};

[[noreturn]] void throw_bad_line(const std::string& list, std::size_t number, std::string_view text,
                                 const std::string& why) {
  constexpr std::size_t longest = 200;
  std::string shown(text.substr(0, longest));
  std::ranges::replace_if(
      shown, [](unsigned char c) { return c < 0x20 || c == 0x7F; }, '?');
  throw Error(ErrorCode::bad_list, fmt::format("\"{}\", line {}: {}: {}{}", list, number, why,
                                               shown, text.size() > longest ? "..." : ""));
}

void add_line(TableBuilder& table, const std::string& list, std::size_t number,
              std::string_view line) {
  const auto parsed = parse_list_line(line);
  const std::string why = parsed ? table.add(parsed->path, parsed->label) : parsed.error();
  if (!why.empty()) throw_bad_line(list, number, line, why);
}

void add_lines(TableBuilder& table, const std::string& list, std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  bool first = true;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = without_blanks(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    const bool skipped = std::exchange(first, false) && is_list_header(line);
    if (!skipped) add_line(table, list, number, line);
  }
}

std::shared_ptr<const FileTable> read_list(const std::string& list, const fs::path& root) {
  std::vector<std::byte> storage;
  const auto bytes = read_file(list, storage);
  if (!bytes && bytes.error().code != ErrorCode::empty_file) {
    throw Error(bytes.error().code, bytes.error().message);
  }
  TableBuilder table(root);
  if (bytes) add_lines(table, list, {reinterpret_cast<const char*>(bytes->data()), bytes->size()});
  return table.finish(fmt::format("\"{}\"", list));
}

std::shared_ptr<const FileTable> take_items(const std::vector<FileList::Item>& items,
                                            const fs::path& root) {
  TableBuilder table(root);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string why = table.add(items[i].path, items[i].label);
    if (!why.empty()) {
      throw Error(ErrorCode::bad_list, fmt::format("item {}: {}: {}", i, why, items[i].path));
    }
  }
  return table.finish("the list");
}

}  // namespace

FileList::FileList(const fs::path& list, const FileListOptions& options)
    : FileSource(read_list(list.string(), options.root.value_or(list.parent_path()))) {}

FileList::FileList(const std::vector<Item>& items, const fs::path& root)
    : FileSource(take_items(items, root)) {}

}  // namespace stoker
