// A transform of one's own in a pipeline: user_transform FOLDER (one subfolder a class)
#include <stoker/stoker.hpp>

#include <cstdint>
#include <iostream>
#include <string_view>

int main(int argc, char** argv) try {
  const bool help = argc == 2 && std::string_view(argv[1]) == "--help";
  if (argc != 2 || help) {
    (help ? std::cout : std::cerr) << "usage: user_transform FOLDER\n";
    return help ? 0 : 2;
  }
  // Inverts half of the images. The random numbers are the sample's own: the same for any
  // num_workers.
  const auto invert_half =
      stoker::transform("invert_half", [](stoker::Image& image, stoker::Random& random) {
        if (!random.bernoulli(0.5)) return;
        for (std::size_t i = 0; i < image.bytes(); ++i) image.data()[i] ^= 0xFF;
      });
  const stoker::Pipeline pipeline = stoker::decode() | stoker::random_resized_crop(64) |
                                    invert_half | stoker::normalize(stoker::imagenet_statistics);

  const stoker::ImageFolder data(argv[1]);
  stoker::Loader loader(data, pipeline, {.batch_size = 8, .shuffle = true, .num_workers = 2});
  for (const stoker::Batch& batch : loader.epoch(0)) {
    const stoker::TensorView images = batch["image"];
    double sum = 0;
    for (std::int64_t i = 0; i < images.shape.elements(); ++i) sum += images.as<float>()[i];
    std::cout << "batch " << batch.number() << ' ' << images.shape.text() << ": mean "
              << sum / static_cast<double>(images.shape.elements()) << '\n';
  }
} catch (const stoker::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
