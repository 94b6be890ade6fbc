#include <stoker/sources/file_source.hpp>

#include "src/sources/file_table.hpp"
#include "src/sources/read_file.hpp"

namespace stoker {
namespace {

Failure explained(Failure failure) {
  if (failure.code == ErrorCode::not_found) {
    failure.message += "; it may have vanished since the source was opened";
  }
  return failure;
}

}  // namespace

std::uint64_t FileSource::size() const { return files_->size(); }

Status FileSource::read(std::uint64_t index, EncodedSample& sample) const {
  thread_local std::string path;  // kept, so that reading allocates nothing in the steady state
  path.clear();
  files_->append_path(index, path);
  const auto bytes = read_file(path, sample.storage);
  if (!bytes) return tl::unexpected(explained(bytes.error()));
  sample.bytes = *bytes;
  sample.label = files_->label(index);
  return {};
}

std::string FileSource::fingerprint() const { return files_->fingerprint(); }

std::string FileSource::path(std::uint64_t index) const {
  std::string path;
  files_->append_path(index, path);
  return path;
}

std::int64_t FileSource::label(std::uint64_t index) const { return files_->label(index); }

}  // namespace stoker
