#pragma once

#include <stoker/core/image.hpp>

namespace stoker {

/// How a stored image is turned to stand upright: rows and columns are exchanged first, then the
/// result is mirrored. The eight values are those of EXIF's orientation tag.
struct Orientation {
  bool exchange = false;        ///< rows become columns
  bool mirror_rows = false;     ///< left becomes right, once exchanged
  bool mirror_columns = false;  ///< top becomes bottom, once exchanged

  /// `value` is 1 to 8; anything else counts as 1, upright.
  /// Source: CIPA DC-008 (Exif), section 4.6.4, tag 0x0112.
  static Orientation from_exif(int value) noexcept;

  bool is_upright() const noexcept { return *this == Orientation{}; }
  /// Size of the upright image, given the stored one's, and the other way round.
  Size turned(Size size) const noexcept { return exchange ? Size{size.width, size.height} : size; }
  /// Where `rect` of an upright image of `upright` size lies in the stored image.
  Rect to_stored(const Rect& rect, Size upright) const noexcept;

  friend bool operator==(const Orientation&, const Orientation&) = default;
};

/// Turns stored pixels upright into `out`, which gets the turned size.
/// @throws std::bad_alloc
void turn(const ImageView& stored, const Orientation& orientation, Image& out);

}  // namespace stoker
