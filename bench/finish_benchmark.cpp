// What the finish pass costs for one 224x224 image: by element type and layout, mirrored or not,
// into memory that the cache holds ("warm") or into a ring that it does not hold ("ring"), and
// behind the resampler, whose rows it takes one by one in a pipeline.
#include <stoker/core/aligned_buffer.hpp>
#include <stoker/core/random.hpp>
#include <stoker/transforms/finish.hpp>
#include <stoker/transforms/normalize.hpp>
#include <stoker/transforms/resample.hpp>
#include <stoker/transforms/to.hpp>

#include <benchmark/benchmark.h>

#include <cstring>
#include <string>
#include <vector>

namespace stoker {
namespace {

constexpr Size size{224, 224};
constexpr std::size_t ring_bytes = std::size_t{512} << 20;

Image noise(Size image_size) {
  Image image(image_size);
  Random random({.seed = 1}, 0);
  for (std::size_t i = 0; i < image.bytes(); ++i) {
    image.data()[i] = static_cast<std::uint8_t>(random.bits());
  }
  return image;
}

/// Places for samples, one behind the other, from the beginning again at the end.
class Ring {
 public:
  Ring(std::size_t sample_bytes, std::size_t total) : sample_bytes_(sample_bytes), total_(total) {
    memory_.reserve(total);
    std::memset(memory_.data(), 1, total);
  }
  std::byte* next() {
    at_ = at_ + 2 * sample_bytes_ > total_ ? 0 : at_ + sample_bytes_;
    return reinterpret_cast<std::byte*>(memory_.data()) + at_;
  }

 private:
  std::size_t sample_bytes_, total_, at_ = 0;
  AlignedBuffer memory_;
};

Finish normalized(DType dtype, Layout layout) {
  const std::vector<Step> steps{normalize(imagenet_statistics), to(dtype, layout)};
  return Finish(steps);
}

// Rounding to bfloat16 and back before the rest is no single formula, so tables do it.
Finish by_table(DType dtype, Layout layout) {
  const std::vector<Step> steps{to(DType::bfloat16), to(DType::float32),
                                normalize(imagenet_statistics), to(dtype, layout)};
  return Finish(steps);
}

void write_whole(benchmark::State& state, const Finish& finish, bool flip, std::size_t total) {
  const Image image = noise(size);
  Ring ring(finish.bytes(size), std::max(total, finish.bytes(size)));
  for (auto _ : state) {
    finish.write(image.view(), flip, ring.next());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations());
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(finish.bytes(size)));
}

/// An ImageNet crop of about the mean size, resized; the rows go to `sink`.
template <class Sink>
void resample(benchmark::State& state, const Sink& sink) {
  const Image image = noise({300, 320});
  Resampler resampler;
  const Resampler::Request request{{0, 0, 320, 300}, size, {0, 0, size.height, size.width}};
  for (auto _ : state) {
    sink([&](const auto& rows) { resampler.run(image.view(), 0, 0, image.size(), request, rows); });
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations());
}

void resample_only(benchmark::State& state) {
  resample(state, [](const auto& run) {
    run([](int, const std::uint8_t* row) { benchmark::DoNotOptimize(row); });
  });
}

void resample_and_finish(benchmark::State& state, std::size_t total) {
  const Finish finish = normalized(DType::float32, Layout::NCHW);
  Ring ring(finish.bytes(size), std::max(total, finish.bytes(size)));
  resample(state, [&](const auto& run) {
    std::byte* const out = ring.next();
    run([&](int y, const std::uint8_t* row) { finish.write_row(row, y, size, false, out); });
  });
}

void register_writes(const std::string& title, const Finish& finish) {
  const auto add = [&](const std::string& what, bool flip, std::size_t total) {
    benchmark::RegisterBenchmark((title + "/" + what).c_str(), [=](benchmark::State& state) {
      write_whole(state, finish, flip, total);
    })->Unit(benchmark::kMicrosecond);
  };
  add("warm", false, 0);
  add("warm,flip", true, 0);
  add("ring", false, ring_bytes);
}

void register_all() {
  for (const Layout layout : {Layout::NCHW, Layout::NHWC}) {
    const std::string suffix = " " + std::string(name(layout));
    const std::vector<Step> bytes{to(DType::uint8, layout)};
    register_writes("uint8" + suffix, Finish(bytes));
    for (const DType dtype : {DType::float16, DType::bfloat16, DType::float32}) {
      register_writes(std::string(name(dtype)) + suffix, normalized(dtype, layout));
    }
    register_writes("float32 by table" + suffix, by_table(DType::float32, layout));
  }
  const auto microseconds = benchmark::kMicrosecond;
  benchmark::RegisterBenchmark("resample", resample_only)->Unit(microseconds);
  benchmark::RegisterBenchmark("resample, finish/warm", [](benchmark::State& state) {
    resample_and_finish(state, 0);
  })->Unit(microseconds);
  benchmark::RegisterBenchmark("resample, finish/ring", [](benchmark::State& state) {
    resample_and_finish(state, ring_bytes);
  })->Unit(microseconds);
}

}  // namespace
}  // namespace stoker

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  stoker::register_all();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
