#!/usr/bin/env python3
"""Writes what PyTorch's samplers return to tests/data/torch_samplers.json, for tests of ours.

Needs torch; made with torch 2.11. Orders are given by their digest: SHA-256 over little-endian int64.
"""
import hashlib
import json
import pathlib
import random
import struct

import torch
from torch.utils.data import DistributedSampler, RandomSampler, SubsetRandomSampler

OUT = pathlib.Path(__file__).resolve().parent.parent / "tests/data/torch_samplers.json"


class Sized:
    """A source of so many samples."""

    def __init__(self, size):
        self.size = size

    def __len__(self):
        return self.size


def digest(indices):
    return hashlib.sha256(struct.pack(f"<{len(indices)}q", *indices)).hexdigest()


def case(indices, **parameters):
    return {**parameters, "count": len(indices), "sha256": digest(indices)}


def generator(seed):
    return torch.Generator().manual_seed(seed)


def random_sampler(size, seed, replacement, num_samples):
    sampler = RandomSampler(Sized(size), replacement=replacement, num_samples=num_samples,
                            generator=generator(seed))
    return case(list(sampler), size=size, seed=seed, replacement=replacement,
                num_samples=num_samples)


def subset(size, count, seed):
    indices = [(7 * i + 3) % size for i in range(count)]
    return case(list(SubsetRandomSampler(indices, generator(seed))), size=size, subset=count,
                seed=seed)


def distributed(size, world_size, rank, shuffle, seed, epoch, drop_last):
    sampler = DistributedSampler(Sized(size), num_replicas=world_size, rank=rank, shuffle=shuffle,
                                 seed=seed, drop_last=drop_last)
    sampler.set_epoch(epoch)
    return case(list(sampler), size=size, world_size=world_size, rank=rank, shuffle=shuffle,
                seed=seed, epoch=epoch, drop_last=drop_last)


def random_distributed(draw):
    world_size = draw.choice([1, 2, 3, 4, 7, 8, 16, 61])
    return distributed(draw.choice([1, 2, 5, 10, 63, 64, 65, 1000, 4097]), world_size,
                       draw.randrange(world_size), draw.random() < 0.7, draw.randrange(1000),
                       draw.randrange(100), draw.random() < 0.5)


def main():
    draw = random.Random(1)
    limit = 1 << 28  # from here on torch.randint takes 64 bits
    cases = {
        "random": [random_sampler(size, seed, replacement, count)
                   for size, count in [(10, 7), (10, 10), (10, 35), (1000, 1), (1000, 2500),
                                       (313, 625), (624, 1248), (625, 1900)]
                   for replacement in (False, True) for seed in (0, 1, 42)]
        + [random_sampler(size, seed, True, 100)
           for size in (limit - 1, limit, (1 << 32) - 1, (1 << 32) + 5, 10**12) for seed in (0, 9)],
        "subset": [subset(1000, count, seed) for count in (1, 2, 100, 999) for seed in (0, 5)],
        "distributed": [random_distributed(draw) for _ in range(200)],
    }
    groups = [f'"torch": "{torch.__version__}"']
    for name, members in cases.items():
        lines = ",\n".join(json.dumps(member) for member in members)
        groups.append(f'"{name}": [\n{lines}]')
    OUT.write_text("{" + ",\n".join(groups) + "}\n")


if __name__ == "__main__":
    main()
