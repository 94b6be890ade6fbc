#!/usr/bin/env python3
"""torch_imagenet comes to the same parameters, to the bit, however often and wherever it is stopped."""
import argparse
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import unittest

PROGRAM = ""
# 125 batches an epoch, of which two make a step: 63 steps, the last one of one batch.
SETTINGS = ["--device", "cpu", "--model", "small", "--crop", "32", "--epochs", "2", "--batch-size", "16",
            "--accumulate", "2", "--learning-rate", "0.4"]


def start(*arguments):
    """Sums come out in the same order each time with one thread only."""
    return subprocess.Popen([PROGRAM, *SETTINGS, *map(str, arguments)], stdout=subprocess.PIPE, text=True,
                            env={**os.environ, "OMP_NUM_THREADS": "1"})


def run(*arguments):
    program = start(*arguments)
    output, _ = program.communicate()
    if program.returncode != 0:
        raise AssertionError(f"exit status {program.returncode}:\n{output}")
    return output


def parameters(output):
    """What the run came to; None where it did not come to its end."""
    line = re.search(r"^parameters ([0-9a-f]{16})$", output, re.MULTILINE)
    return line and line[1]


class Imagenet(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.uninterrupted = parameters(run())

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.checkpoint = pathlib.Path(folder.name) / "run.pt"

    def test_goes_on_within_an_epoch_with_another_number_of_workers(self):
        stopped = run("--checkpoint", self.checkpoint, "--stop-after", 31, "--num-workers", 2)
        self.assertIn("checkpoint in epoch 0 behind image 992", stopped)
        self.assertIsNone(parameters(stopped))
        resumed = run("--checkpoint", self.checkpoint, "--num-workers", 1)
        self.assertEqual(parameters(resumed), self.uninterrupted)

    def test_goes_on_where_it_was_killed(self):
        with start("--checkpoint", self.checkpoint, "--checkpoint-every", 20) as program:
            for line in program.stdout:
                if line.startswith("checkpoint in epoch 1"):
                    program.send_signal(signal.SIGKILL)
        self.assertEqual(program.returncode, -signal.SIGKILL)
        resumed = run("--checkpoint", self.checkpoint)
        self.assertEqual(parameters(resumed), self.uninterrupted)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    options, rest = parser.parse_known_args()
    PROGRAM = options.program
    unittest.main(argv=[__file__, *rest], verbosity=2)
