#!/usr/bin/env python3
"""torch_imagenet comes to the same parameters, to the bit, however often and wherever it is stopped.

And says in a line what it cannot do.
"""
import argparse
import base64
import ctypes
import os
import pathlib
import re
import resource
import signal
import subprocess
import tempfile
import unittest

PROGRAM = ""
PRCTL = ctypes.CDLL(None).prctl
# 125 batches an epoch, of which two make a step: 63 steps, the last one of one batch.
SETTINGS = ["--device", "cpu", "--model", "small", "--crop", "32", "--epochs", "2", "--batch-size", "16",
            "--accumulate", "2", "--learning-rate", "0.4"]
# Of a folder with 11 images: two batches an epoch, and 3 images left over.
FOLDER_SETTINGS = {"--device": "cpu", "--model": "small", "--crop": "32", "--batch-size": "4", "--num-workers": "1"}


def photo(white):
    """A JPEG of 8 x 8 pixels, all white or all black: they differ in a byte."""
    head = "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAP" + "/" * 86 + "wAALCAAIAAgBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAA//EABQQ"
    return base64.b64decode(head + "AQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8A" + ("R" if white else "N") + "//Z")


def write_photos(folder):
    for part, count in [("train", 11), ("val", 4)]:
        for i in range(count):
            file = folder / part / ("white" if i % 2 else "black") / f"{i}.jpg"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(photo(white=i % 2))


def obey_permissions():
    """Takes from what is started next the right to override permissions (CAP_DAC_OVERRIDE)."""
    PRCTL(24, 1, 0, 0, 0)  # PR_CAPBSET_DROP


def may_write_little():
    """As on a full disk: what is started next can write 10 kB to a file."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))


def start(*arguments, settings=SETTINGS):
    """Sums come out in the same order each time with one thread only."""
    return subprocess.Popen([PROGRAM, *settings, *map(str, arguments)], stdout=subprocess.PIPE, text=True,
                            env={**os.environ, "OMP_NUM_THREADS": "1"})


def run(*arguments, settings=SETTINGS):
    program = start(*arguments, settings=settings)
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
        steps_left = 2 * 63 - 31
        resumed = run("--checkpoint", self.checkpoint, "--num-workers", 1, "--checkpoint-every", steps_left)
        self.assertEqual(parameters(resumed), self.uninterrupted)
        finished = run("--checkpoint", self.checkpoint)
        self.assertIn("nothing left to train", finished)
        self.assertEqual(parameters(finished), self.uninterrupted)

    def test_goes_on_where_it_was_killed(self):
        with start("--checkpoint", self.checkpoint, "--checkpoint-every", 20) as program:
            for line in program.stdout:
                if line.startswith("checkpoint in epoch 1"):
                    program.send_signal(signal.SIGKILL)
        self.assertEqual(program.returncode, -signal.SIGKILL)
        resumed = run("--checkpoint", self.checkpoint)
        self.assertEqual(parameters(resumed), self.uninterrupted)


class ImagenetOnAFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.checkpoint = self.folder / "run.pt"
        write_photos(self.folder)

    def options(self, *given):
        """Those given, and the settings for the others."""
        options = {**FOLDER_SETTINGS, "--data": self.folder, **dict(zip(given[::2], given[1::2]))}
        return [str(part) for option in options.items() for part in option]

    def run_on_folder(self, *given):
        output = run(*self.options(*given), settings=[])
        self.assertNotIn("nan", output)
        return output

    def refusal(self, *given):
        """The line that a run says which does not start. Not even root's may write where it is forbidden."""
        program = subprocess.run([PROGRAM, *self.options(*given)], capture_output=True, text=True,
                                 preexec_fn=obey_permissions)
        self.assertEqual((program.returncode, program.stdout), (1, ""), program.stderr)
        self.assertEqual(program.stderr.count("\n"), 1, program.stderr)
        return program.stderr

    def test_goes_on_behind_an_epochs_last_full_batch(self):
        uninterrupted = parameters(self.run_on_folder("--epochs", 3))
        self.run_on_folder("--epochs", 3, "--checkpoint", self.checkpoint, "--stop-after", 2)
        resumed = self.run_on_folder("--epochs", 3, "--checkpoint", self.checkpoint)
        self.assertIn("epoch 1: loss", resumed)
        self.assertEqual(parameters(resumed), uninterrupted)

    def test_goes_on_at_its_end(self):
        for every in [[], ["--checkpoint-every", 2]]:
            with self.subTest(every):
                self.checkpoint.unlink(missing_ok=True)
                arguments = ["--epochs", 2, "--checkpoint", self.checkpoint, *every]
                finished = self.run_on_folder(*arguments)
                self.assertEqual(finished.count("checkpoint in epoch"), 2, finished)
                again = self.run_on_folder(*arguments)
                self.assertIn("nothing left to train", again)
                self.assertEqual(parameters(again), parameters(finished))

    def test_goes_on_at_the_end_of_an_epoch_where_it_was_killed(self):
        uninterrupted = parameters(self.run_on_folder("--epochs", 3))
        arguments = ["--epochs", 3, "--checkpoint", self.checkpoint]
        with start(*self.options(*arguments), settings=[]) as program:
            for line in program.stdout:
                if line == "checkpoint in epoch 1 behind image 0\n":
                    program.send_signal(signal.SIGKILL)
        resumed = self.run_on_folder(*arguments)
        self.assertNotIn("epoch 0: loss", resumed)
        self.assertEqual(parameters(resumed), uninterrupted)

    def test_stops_nowhere_without_a_checkpoint(self):
        for given in [["--stop-after", "5"], ["--stop-after", "5", "--checkpoint", ""]]:
            program = subprocess.run([PROGRAM, *self.options(*given)], capture_output=True, text=True)
            self.assertNotEqual(program.returncode, 0)
            self.assertEqual(program.stdout, "")
            self.assertIn("--checkpoint", program.stderr)

    def test_says_whether_its_images_are_drawn(self):
        self.assertNotIn("drawn", self.run_on_folder("--epochs", 1))
        with subprocess.Popen([PROGRAM, *SETTINGS], stdout=subprocess.PIPE, text=True) as program:
            self.assertEqual(program.stdout.readline(), "no --data: drawn images\n")
            program.kill()

    def test_goes_on_where_too_little_is_left_for_larger_batches(self):
        self.run_on_folder("--epochs", 1, "--checkpoint", self.checkpoint, "--stop-after", 1)
        arguments = ["--checkpoint", self.checkpoint, "--batch-size", 8]
        self.assertIn("nothing left to train", self.run_on_folder("--epochs", 1, *arguments))
        one_more_epoch = self.run_on_folder("--epochs", 2, *arguments)
        self.assertIn("epoch 1: loss", one_more_epoch)
        self.assertNotIn("nothing left to train", one_more_epoch)

    def test_needs_a_batch(self):
        self.assertIn("11 images to train on, fewer than a batch of 12", self.refusal("--batch-size", 12))

    def test_says_that_there_is_no_such_device(self):
        self.assertIn("abacus", self.refusal("--device", "abacus"))

    def test_says_which_checkpoint_cannot_be_read(self):
        self.run_on_folder("--checkpoint", self.checkpoint, "--stop-after", 1)
        whole = self.checkpoint.read_bytes()
        for length in [0, len(whole) // 2]:
            self.checkpoint.write_bytes(whole[:length])
            self.assertIn(f"{self.checkpoint} cannot be read", self.refusal("--checkpoint", self.checkpoint))

    def test_says_where_no_checkpoint_can_be_written(self):
        self.assertIn("is a folder", self.refusal("--checkpoint", self.folder))
        self.assertIn("there is no folder", self.refusal("--checkpoint", self.folder / "missing" / "run.pt"))
        locked = self.folder / "locked"
        locked.mkdir(mode=0o500)
        self.assertIn("nothing can be written", self.refusal("--checkpoint", locked / "run.pt"))

    def test_says_that_a_checkpoint_does_not_fit_on_the_disk(self):
        self.run_on_folder("--checkpoint", self.checkpoint, "--stop-after", 1)
        before = self.checkpoint.read_bytes()
        program = subprocess.run([PROGRAM, *self.options("--checkpoint", self.checkpoint, "--epochs", 3)],
                                 capture_output=True, text=True, preexec_fn=may_write_little)
        self.assertEqual(program.returncode, 1, program.stderr)
        self.assertRegex(program.stderr, r"(?m)^.*the checkpoint cannot be written to .*: File too large$")
        self.assertEqual([file.name for file in self.checkpoint.parent.glob("*.pt*")], [self.checkpoint.name])
        self.assertEqual(self.checkpoint.read_bytes(), before)

    def test_refuses_numbers_that_mean_nothing(self):
        for option, number, least in [("--epochs", "-1", 1), ("--epochs", "0", 1), ("--crop", "0", 1),
                                      ("--batch-size", "0", 1), ("--num-workers", "-1", 0)]:
            self.assertIn(f"{option}: must be at least {least}, not {number}\n", self.mistake(option, number))
        self.assertIn("--stop-after: must be at least 0, not -1\n",
                      self.mistake("--stop-after", "-1", "--checkpoint", self.checkpoint))
        self.assertIn("--learning-rate: must be a number greater than 0, not 0\n",
                      self.mistake("--learning-rate", "0"))

    def mistake(self, *arguments):
        program = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
        self.assertNotEqual(program.returncode, 0)
        return program.stderr


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    options, rest = parser.parse_known_args()
    PROGRAM = options.program
    unittest.main(argv=[__file__, *rest], verbosity=2)
