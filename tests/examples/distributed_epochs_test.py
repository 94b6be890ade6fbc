#!/usr/bin/env python3
"""Runs the example distributed_epochs on four ranks, with mpirun and without."""
import argparse
import collections
import os
import re
import signal
import subprocess
import sys
import unittest

RANKS = 4
SIZE = 103
ENDLESS = "100000000"  # epochs
LIMIT = 120  # seconds; what takes as long hangs
LINE = re.compile(r"epoch (\d+), rank (\d+) of (\d+): (\d+) samples, sum [-.\d]+, indices(.*)")
LAUNCHER_VARIABLES = re.compile(r"(OMPI_COMM|PMI|SLURM|TORCHELASTIC)_|(LOCAL_)?(RANK|WORLD_SIZE)$")

arguments = None  # of the command line


def environment(**more):
    """This process's environment without launchers' variables."""
    kept = {name: value for name, value in os.environ.items() if not LAUNCHER_VARIABLES.match(name)}
    return {**kept, **{name: str(value) for name, value in more.items()}}


def start(command, **variables):
    return subprocess.Popen([str(part) for part in command], env=environment(**variables), text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def finish(process):
    """Output, errors and exit status; ends a process that hangs, and fails."""
    try:
        output, errors = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    return output, errors, process.returncode


def mpirun(*contexts):
    """Starts mpirun; a context is (number of ranks, options of the example)."""
    command = [arguments.mpirun]
    for count, options in contexts:
        command += [":"] * (len(command) > 1) + ["-n", count, arguments.program, *options]
    return start(command)


class Epochs(unittest.TestCase):
    """What several ranks printed, put together."""

    def shares(self, output):
        """{epoch: {rank: indices}}"""
        shares = collections.defaultdict(dict)
        for epoch, rank, world_size, samples, indices in LINE.findall(output):
            self.assertEqual(int(world_size), RANKS)
            self.assertNotIn(rank, shares[epoch])
            shares[epoch][rank] = [int(index) for index in indices.split()]
            self.assertEqual(int(samples), len(shares[epoch][rank]))
        self.assertEqual(set(shares), {"0", "1"}, output)
        for ranks in shares.values():
            self.assertEqual(len(ranks), RANKS, output)
        return shares

    def check(self, output, remainder):
        """Each sample once, but for the one that pads 103 samples to 104 or the 3 that are dropped."""
        epochs = self.shares(output)
        for ranks in epochs.values():
            lengths = sorted(len(indices) for indices in ranks.values())
            counts = collections.Counter(index for indices in ranks.values() for index in indices)
            self.assertLessEqual(set(counts), set(range(SIZE)))
            wanted = {"pad": ([26] * 4, SIZE, 2), "drop": ([25] * 4, 100, 1),
                      "uneven": ([25, 26, 26, 26], SIZE, 1)}[remainder]
            self.assertEqual((lengths, len(counts), max(counts.values())), wanted)
            self.assertEqual(sum(lengths), sum(counts.values()))
        self.assertNotEqual(epochs["0"], epochs["1"])  # another shuffle


class UnderPlainVariables(Epochs):
    def run_ranks(self, *options):
        command = [arguments.program, "--size", SIZE, "--show", "indices", *options]
        processes = [start(command, RANK=rank, WORLD_SIZE=RANKS) for rank in range(RANKS)]
        output = ""
        for process in processes:
            text, errors, status = finish(process)
            self.assertEqual((errors, status), ("", 0))
            output += text
        return output

    def test_every_sample_comes_by_the_rule_of_the_remainder(self):
        for remainder in ("pad", "drop", "uneven"):
            with self.subTest(remainder):
                self.check(self.run_ranks("--remainder", remainder), remainder)

    def test_one_process_gets_everything(self):
        output, errors, status = finish(start([arguments.program, "--size", SIZE]))
        self.assertEqual((errors, status), ("", 0))
        self.assertIn(f"epoch 1, rank 0 of 1: {SIZE} samples", output)

    def test_nonsense_is_named(self):
        for option, value in (("--size", "-1"), ("--epochs", "2x"), ("--show", "everything")):
            output, errors, status = finish(start([arguments.program, option, value]))
            self.assertEqual((output, status), ("", 1))
            self.assertRegex(errors, rf"\Ainvalid_argument: {option} .*, not {value}\n\Z")

    def test_half_set_variables_are_named(self):
        _, errors, status = finish(start([arguments.program], RANK=1))
        self.assertEqual(status, 1)
        self.assertIn("RANK=1, WORLD_SIZE is not set", errors)


class UnderMpirun(Epochs):
    def test_every_sample_comes_by_the_rule_of_the_remainder(self):
        for remainder in ("pad", "drop", "uneven"):
            with self.subTest(remainder):
                options = ["--size", SIZE, "--show", "indices", "--remainder", remainder]
                output, errors, status = finish(mpirun((RANKS, options)))
                self.assertEqual((errors, status), ("", 0))
                self.check(output, remainder)
                total = {"pad": 104, "drop": 100, "uneven": 103}[remainder]
                self.assertIn(f"epoch 1: all ranks got {total} samples", output)

    def test_same_ranks_as_under_plain_variables(self):
        options = ["--size", SIZE, "--show", "indices"]
        output, _, _ = finish(mpirun((RANKS, options)))
        alone, _, _ = finish(start([arguments.program, *options], RANK=2, WORLD_SIZE=RANKS))
        self.assertEqual([line for line in output.splitlines() if ", rank 2 of" in line],
                         alone.splitlines())

    def test_another_seed_on_one_rank_is_the_same_error_on_all(self):
        _, errors, status = finish(mpirun((3, []), (1, ["--seed", 9])))
        self.assertNotEqual(status, 0)
        lines = [line for line in errors.splitlines() if line.startswith("ranks_disagree")]
        self.assertEqual(len(lines), RANKS, errors)
        self.assertEqual(len(set(lines)), 1, errors)
        self.assertIn('seed: ranks 0-2 have "42", rank 3 has "9"', lines[0])

    def test_a_source_of_another_size_on_one_rank_is_the_same_error_on_all(self):
        _, errors, status = finish(mpirun((1, ["--size", 99]), (3, [])))
        self.assertNotEqual(status, 0)
        lines = [line for line in errors.splitlines() if line.startswith("ranks_disagree")]
        self.assertEqual(len(lines), RANKS, errors)
        self.assertIn('rank 0 has "99 waves", ranks 1-3 have "1003 waves"', lines[0])

    def test_a_rank_that_fails_alone_tells_the_others(self):
        _, errors, status = finish(mpirun((3, []), (1, ["--size", 0])))
        self.assertNotEqual(status, 0)
        told = [line for line in errors.splitlines() if "rank 3 failed: empty_source" in line]
        self.assertEqual(len(told), 3, errors)
        self.assertRegex(errors, r"(?m)^empty_source: ")

    def test_a_rank_that_was_told_nonsense_or_other_epochs_hangs_nobody(self):
        for options, said in ((["--remainder", "foo"], "rank 3 failed: invalid_argument"),
                              (["--seed", "3x"], "rank 3 failed: invalid_argument"),
                              (["--epochs", 3], 'epochs: ranks 0-2 have "2", rank 3 has "3"')):
            with self.subTest(options):
                _, errors, status = finish(mpirun((3, []), (1, options)))
                self.assertNotEqual(status, 0)
                self.assertGreaterEqual(errors.count(said), 3, errors)

    def test_stale_variables_are_an_error_that_names_both_launchers(self):
        process = start([arguments.mpirun, "-n", RANKS, arguments.program], RANK=0, WORLD_SIZE=1)
        _, errors, status = finish(process)
        self.assertNotEqual(status, 0)
        self.assertRegex(errors, r"bad_environment: RANK=0, WORLD_SIZE=1 .*OMPI_COMM_WORLD_SIZE=4")

    def test_a_killed_rank_ends_the_run(self):
        process = mpirun((RANKS, ["--epochs", ENDLESS, "--size", 8]))
        for line in process.stdout:
            if line.startswith("epoch 2, rank 3 "):
                break
        os.kill(self.process_of_rank(3), signal.SIGKILL)
        _, _, status = finish(process)
        self.assertNotEqual(status, 0)

    def process_of_rank(self, rank):
        for folder in os.listdir("/proc"):
            if not folder.isdigit():
                continue
            try:
                with open(f"/proc/{folder}/cmdline", "rb") as file:
                    words = file.read().decode().split("\0")
                if words[0] != arguments.program or ENDLESS not in words:
                    continue
                with open(f"/proc/{folder}/environ", "rb") as file:
                    if f"OMPI_COMM_WORLD_RANK={rank}".encode() in file.read().split(b"\0"):
                        return int(folder)
            except OSError:  # it ended meanwhile, or is another user's
                continue
        raise AssertionError(f"no process of rank {rank}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--mpirun")
    arguments, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
