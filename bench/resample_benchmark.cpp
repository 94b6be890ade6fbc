// How long a resize takes for typical crops, with each kind of vectors that this CPU has:
//   resample_benchmark --benchmark_repetitions=9 --benchmark_report_aggregates_only=true

#include <stoker/transforms/resample.hpp>

#include <benchmark/benchmark.h>
#include <hwy/highway.h>

#include <cstdint>
#include <string>

namespace {

using stoker::Image;
using stoker::Interpolation;
using stoker::Resampler;
using stoker::Size;

struct Job {
  const char* what;
  Size source;
  Interpolation interpolation;
  int widths;  ///< sources of so many widths take turns, so that weights are computed each time
};

constexpr Size target{224, 224};
constexpr Job jobs[] = {
    {"typical_crop", {280, 330}, Interpolation::bilinear, 4},
    {"typical_crop_same_weights", {280, 330}, Interpolation::bilinear, 1},
    {"whole_photo", {375, 500}, Interpolation::bilinear, 4},
    {"enlarged_crop", {110, 130}, Interpolation::bilinear, 4},
    {"typical_crop_bicubic", {280, 330}, Interpolation::bicubic, 4},
    {"typical_crop_nearest", {280, 330}, Interpolation::nearest, 4},
    {"large_photo", {1536, 2048}, Interpolation::bilinear, 4},
};

Image textured(Size size) {
  Image image(size);
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < image.bytes(); ++i) {
    state = state * 1664525u + 1013904223u;
    image.data()[i] = static_cast<std::uint8_t>(state >> 24);
  }
  return image;
}

void resize(benchmark::State& state, const Job& job, std::int64_t target_bit) {
  const Image image = textured({job.source.height, job.source.width + job.widths - 1});
  // As on a CPU for which this target is the best: lesser ones have higher bits.
  hwy::SetSupportedTargetsForTest(hwy::SupportedTargets() & ~(target_bit - 1));
  Resampler resampler;
  stoker::ImageView pixels = image.view();
  std::uint32_t seen = 0;
  int round = 0;
  for (auto _ : state) {
    pixels.size.width = job.source.width + round++ % job.widths;
    const Resampler::Request request{
        {0, 0, static_cast<double>(pixels.size.width), static_cast<double>(pixels.size.height)},
        target,
        {0, 0, target.height, target.width},
        job.interpolation};
    resampler.run(pixels, 0, 0, pixels.size, request,
                  [&](int, const std::uint8_t* row) { seen += row[7]; });
    benchmark::DoNotOptimize(seen);
  }
  hwy::SetSupportedTargetsForTest(0);
  state.SetItemsProcessed(state.iterations());
}

}  // namespace

int main(int argc, char** argv) {
  for (const std::int64_t target_bit : hwy::SupportedAndGeneratedTargets()) {
    for (const Job& job : jobs) {
      const std::string name = std::string(job.what) + "/" + hwy::TargetName(target_bit);
      benchmark::RegisterBenchmark(name.c_str(), resize, job, target_bit)
          ->Unit(benchmark::kMicrosecond);
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
