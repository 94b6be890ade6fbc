#include "transforms/resample_passes.hpp"

#include "transforms/resample_nearest.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

namespace stoker::resample {
namespace {

constexpr int channels = ImageView::channels;

std::uint8_t* row_of(const Destination& destination, int y) {
  return destination.data + static_cast<std::size_t>(y) * destination.stride;
}

void finish(const Destination& destination, int y) {
  if (destination.sink != nullptr) (*destination.sink)(y, row_of(destination, y));
}

}  // namespace

void Passes::run(const Source& source, const Resampler::Request& request, Destination destination) {
  vertical_first(source.size, request.size) ? run_tall(source, request, destination)
                                            : run_wide(source, request, destination);
}

void Passes::run_wide(const Source& source, const Resampler::Request& request,
                      Destination destination) {
  const Axis across = horizontal_axis(source.size, request),
             down = vertical_axis(source.size, request);
  if (only_moves(across) && only_moves(down)) {
    copy(source, across, down, destination);
  } else if (request.interpolation == Interpolation::nearest) {
    pick(source, across, down, destination);
  } else {
    filter(source, across, down, destination);
  }
}

void Passes::run_tall(const Source& source, const Resampler::Request& request,
                      Destination destination) {
  const Range columns = footprint(horizontal_axis(source.size, request));
  const Rect& window = request.window;
  const double width = source.size.width, height = request.size.height;

  Resampler::Request lower = request;
  lower.box = {0, request.box.top, width, request.box.bottom};
  lower.size.width = source.size.width;
  lower.window = {window.top, columns.begin, window.height, columns.size()};
  tall_.resize(lower.window.size());
  run_wide(source, lower, {tall_.data(), tall_.stride(), nullptr});

  Resampler::Request narrower = request;
  narrower.box = {request.box.left, 0, request.box.right, height};
  run_wide({tall_.view(), window.top, columns.begin, lower.size}, narrower, destination);
}

void Passes::copy(const Source& source, const Axis& across, const Axis& down,
                  Destination destination) {
  const int top = footprint(down).begin, left = footprint(across).begin;
  for (int y = 0; y < down.count; ++y) {
    const std::uint8_t* const row = source.at(top + y, left);
    if (destination.sink != nullptr) {
      (*destination.sink)(y, row);
    } else {
      std::memcpy(row_of(destination, y), row, static_cast<std::size_t>(across.count) * channels);
    }
  }
}

void Passes::pick(const Source& source, const Axis& across, const Axis& down,
                  Destination destination) {
  const auto width = static_cast<std::size_t>(across.count);
  const auto height = static_cast<std::size_t>(down.count);
  indices_.reserve((width + height) * sizeof(std::int32_t));
  auto* const indices = reinterpret_cast<std::int32_t*>(indices_.data());
  const std::span columns(indices, width), rows(indices + width, height);
  nearest_indices(across, source.left, columns);
  nearest_indices(down, 0, rows);
  const Destination to = with_row(destination, across.count);
  for (int y = 0; y < down.count; ++y) {
    gather_pixels(source.at(rows[static_cast<std::size_t>(y)], source.left), columns,
                  row_of(to, y));
    finish(to, y);
  }
}

void Passes::filter(const Source& source, const Axis& across, const Axis& down,
                    Destination destination) {
  prepare(across, down);
  reserve_ring();
  const Destination to = with_row(destination, across.count);
  const auto** const quads = reinterpret_cast<const std::uint32_t**>(quads_.data());
  const int begin = down_.range().begin;
  for (int y = 0, filled = 0; y < down.count; ++y) {
    const int first = down_.start()[y] - begin, taps = down_.sizes()[y];
    for (; filled * rows_per_quad < first + taps; ++filled) fill_quad(source, across, filled);
    for (int i = 0; i <= down_.chunks(); ++i) quads[i] = quad(first / rows_per_quad + i);
    kernels_->filter_rows({quads, first % rows_per_quad, taps, &row_weights_, y},
                          across.count * channels, row_of(to, y));
    finish(to, y);
  }
}

void Passes::prepare(const Axis& across, const Axis& down) {
  if (across_.prepare(across)) columns_ready_ = false;
  if (!columns_ready_) kernels_->pack_columns(across_, column_weights_);
  columns_ready_ = true;
  if (down_.prepare(down)) rows_ready_ = false;
  if (!rows_ready_) kernels_->pack_rows(down_, row_weights_);
  rows_ready_ = true;
}

void Passes::reserve_ring() {
  const auto slots = static_cast<std::size_t>(down_.chunks()) + 1;
  const auto bytes = static_cast<std::size_t>(across_.count()) * channels;
  quad_stride_ = (bytes + quad_slack - 1) / quad_slack * quad_slack + quad_slack;
  ring_.reserve(slots * quad_stride_ * sizeof(std::uint32_t));
  quads_.reserve(slots * sizeof(const std::uint32_t*));
}

/// An output row reads at most one quad more than it has chunks of taps: so many slots are reused.
std::uint32_t* Passes::quad(int index) noexcept {
  return reinterpret_cast<std::uint32_t*>(ring_.data()) +
         static_cast<std::size_t>(index % (down_.chunks() + 1)) * quad_stride_;
}

void Passes::fill_quad(const Source& source, const Axis& across, int index) {
  const Range down = down_.range();
  std::array<const std::uint8_t*, rows_per_quad> rows{};
  for (int i = 0; i < rows_per_quad; ++i) {
    const int y = std::min(down.begin + index * rows_per_quad + i, down.end - 1);
    rows[static_cast<std::size_t>(i)] = source.at(y, across_.range().begin);
  }
  if (only_moves(across)) {
    kernels_->interleave(rows.data(), across.count * channels, quad(index));
  } else {
    kernels_->filter_columns(rows.data(), column_weights_, quad(index));
  }
}

Destination Passes::with_row(Destination destination, int width) {
  if (destination.sink == nullptr) return destination;
  row_.reserve(static_cast<std::size_t>(width) * channels + 2 * Image::padding);
  return {row_.data(), 0, destination.sink};
}

std::size_t Passes::capacity() const noexcept {
  return across_.capacity() + down_.capacity() + column_weights_.capacity() +
         row_weights_.buffer.capacity() + ring_.capacity() + quads_.capacity() + row_.capacity() +
         indices_.capacity() + tall_.capacity();
}

}  // namespace stoker::resample
