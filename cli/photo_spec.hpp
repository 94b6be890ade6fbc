#pragma once

#include <stoker/core/random.hpp>

#include <cstdint>

namespace stoker::cli {

enum class PhotoColors : std::uint8_t { ycbcr, grayscale, cmyk };

/// What a made photo looks like from outside.
struct PhotoSpec {
  int width = 0;
  int height = 0;
  PhotoColors colors = PhotoColors::ycbcr;
  bool progressive = false;
  /// JPEG quality as libjpeg counts it, 1 to 100.
  int quality = 0;
  /// Luma samples to one chroma sample, along each axis: 1 and 1 is 4:4:4, 2 and 2 is 4:2:0.
  int chroma_step_x = 1;
  int chroma_step_y = 1;
  /// How much the file should take at that quality.
  double bits_per_pixel = 0;
};

/// Draws a photo's outside with the frequencies of ImageNet's: sizes, chroma subsampling, quality
/// and bits per pixel, one depending on the other as there. Source: counted on 200 photos of
/// ImageNet's training set, one a class; grayscale, progressive and CMYK files are rarer than that
/// sample can show, and CMYK ones (about one in 60,000) are made more often, so that a set of a
/// thousand is likely to hold one.
PhotoSpec draw_photo_spec(Random& random);

/// About normal: mean 0, deviation 1, never beyond 6.
double draw_normal(Random& random);

}  // namespace stoker::cli
