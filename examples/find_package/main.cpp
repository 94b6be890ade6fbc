// Walks over a folder of images, one subfolder a class, as a training loop would: feed_a_loop
// FOLDER
#include <stoker/stoker.hpp>

#include <iostream>
#include <string>
#include <string_view>

namespace {

void feed(const std::string& folder) {
  const stoker::ImageFolder data(folder);
  const auto pipeline = stoker::Pipeline::parse(
      "decode | random_resized_crop(224) | random_horizontal_flip | normalize(imagenet)");
  stoker::Loader loader(data, pipeline, {.batch_size = 4, .shuffle = true, .seed = 42});

  for (int epoch = 0; epoch < 2; ++epoch) {
    for (const stoker::Batch& batch : loader.epoch(epoch)) {
      const stoker::TensorView images = batch["image"];
      std::cout << "epoch " << epoch << ", batch " << batch.number() << ": " << images.shape.text()
                << " of " << stoker::name(images.dtype) << ", from " << batch.name(0)
                << " with label " << batch["label"].as<std::int64_t>()[0] << '\n';
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool help = argc == 2 && std::string_view(argv[1]) == "--help";
  if (argc != 2 || help) {
    (help ? std::cout : std::cerr) << "usage: feed_a_loop FOLDER\n";
    return help ? 0 : 2;
  }
  try {
    feed(argv[1]);
  } catch (const stoker::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
