#!/usr/bin/env python3
"""Makes tests/data/resample_digests.json: what Pillow 12 makes of images that a formula gives.

Needs numpy and Pillow 12.x (`pip install numpy 'pillow<13'`): later versions resize very tall images
in another order. Run it from anywhere; it writes next to the tests and prints how many cases it made.
tests/transforms/formula_image.hpp holds the same formula and the same digest.
"""

import json
import pathlib
import random

import numpy
import PIL
from PIL import Image

FILTERS = {
    "nearest": Image.Resampling.NEAREST,
    "bilinear": Image.Resampling.BILINEAR,
    "bicubic": Image.Resampling.BICUBIC,
}
OUT = pathlib.Path(__file__).resolve().parent.parent / "tests/data/resample_digests.json"


def formula_image(seed, height, width):
    """Noise, noise of the two extremes, or a slope with some noise."""
    with numpy.errstate(over="ignore"):
        mixed = numpy.arange(height * width * 3, dtype=numpy.uint32)
        mixed = mixed * numpy.uint32(2654435761) + numpy.uint32(seed * 40503)
        mixed ^= mixed >> numpy.uint32(15)
        mixed *= numpy.uint32(2246822519)
        mixed ^= mixed >> numpy.uint32(13)
        mixed = mixed.reshape(height, width, 3)
        if seed % 3 == 0:
            return (mixed >> numpy.uint32(24)).astype(numpy.uint8)
        if seed % 3 == 1:
            return ((mixed >> numpy.uint32(31)) * numpy.uint32(255)).astype(numpy.uint8)
        y, x, c = numpy.indices((height, width, 3), dtype=numpy.uint32)
        slope = x * 3 + y * 2 + c * 40 + (mixed >> numpy.uint32(29))
        return (slope & 255).astype(numpy.uint8)


def fnv1a(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def side(rng):
    kind = rng.random()
    if kind < 0.12:
        return 1
    if kind < 0.35:
        return rng.randint(2, 9)
    return rng.randint(10, 150)


def random_box(rng, height, width):
    kind = rng.random()
    if kind < 0.4:
        return [0, 0, width, height]
    if kind < 0.6:
        left, top = rng.randint(0, width - 1), rng.randint(0, height - 1)
        return [left, top, rng.randint(left + 1, width), rng.randint(top + 1, height)]
    # Multiples of 1/64 are the same in single and in double precision.
    left, top = rng.randint(0, width * 64 - 1), rng.randint(0, height * 64 - 1)
    right, bottom = rng.randint(left + 1, width * 64), rng.randint(top + 1, height * 64)
    return [left / 64, top / 64, right / 64, bottom / 64]


def chosen_cases():
    """Typical crops, identity axes, extreme scales and shapes; (source, target, box) each."""
    shapes = [
        ((280, 330), (224, 224)), ((375, 500), (224, 224)), ((375, 500), (256, 341)),
        ((64, 64), (224, 224)), ((1, 1), (64, 48)), ((900, 5), (1, 1)), ((5, 900), (2, 3)),
        ((1, 700), (1, 9)), ((700, 1), (9, 1)), ((50, 40), (50, 90)), ((50, 40), (90, 40)),
        ((33, 47), (33, 47)), ((301, 3), (100, 7)), ((301, 3), (300, 2)), ((301, 3), (400, 2)),
        ((300, 3), (100, 7)), ((700, 1000), (40, 40)), ((3, 3), (200, 300)),
    ]
    for (height, width), target in shapes:
        yield (height, width), target, [0, 0, width, height]
    yield (301, 3), (77, 5), [0.5, 20.25, 2.75, 290.5]
    yield (40, 60), (20, 30), [7, 9, 37, 29]
    yield (40, 60), (20, 25), [7, 9, 37, 29]
    yield (40, 60), (15, 30), [7, 9, 37, 29]


def cases():
    rng = random.Random(20240611)
    for source, target, box in chosen_cases():
        for name in FILTERS:
            yield source, target, box, name
    for _ in range(240):
        source, target = (side(rng), side(rng)), (side(rng), side(rng))
        yield source, target, random_box(rng, *source), rng.choice(list(FILTERS))


def main():
    assert PIL.__version__.startswith("12."), f"Pillow 12 is needed, this is {PIL.__version__}"
    lines = []
    for seed, (source, target, box, name) in enumerate(cases()):
        image = Image.fromarray(formula_image(seed, *source))
        resized = image.resize((target[1], target[0]), FILTERS[name], box=tuple(box))
        lines.append(json.dumps({
            "seed": seed, "source": source, "size": target, "box": box, "interpolation": name,
            "digest": fnv1a(resized.tobytes()),
        }))
    OUT.write_text('{"pillow": "%s", "cases": [\n%s\n]}\n' % (PIL.__version__, ",\n".join(lines)))
    print(f"{len(lines)} cases in {OUT.name}")


if __name__ == "__main__":
    main()
