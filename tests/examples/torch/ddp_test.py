#!/usr/bin/env python3
"""torch_ddp's ranks find each other where a launcher started them, and are told where they differ."""
import argparse
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import unittest

PROGRAM = ""
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1"}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def run_ranks(*arguments_of_rank):
    """Starts a rank for each list of arguments, as launchers do. Returns exit statuses and outputs."""
    port = str(free_port())
    ranks = []
    for rank, arguments in enumerate(arguments_of_rank):
        environment = {**ENVIRONMENT, "RANK": str(rank), "WORLD_SIZE": str(len(arguments_of_rank)),
                       "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
        ranks.append(subprocess.Popen([PROGRAM, *arguments], env=environment, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT))
    outputs = [rank.communicate()[0] for rank in ranks]
    return [rank.returncode for rank in ranks], outputs


def run(*arguments, **variables):
    """Lets the program start its ranks itself. Returns exit status and output."""
    program = subprocess.run([PROGRAM, *arguments], env={**ENVIRONMENT, **variables}, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return program.returncode, program.stdout


def child_of_rank(parent, rank):
    """The process of a rank: they are started one after the other."""
    return int(pathlib.Path(f"/proc/{parent}/task/{parent}/children").read_text().split()[rank])


class Ddp(unittest.TestCase):
    def test_starts_ranks_itself(self):
        status, output = run("--ranks", "3", "--batch-size", "8", "--epochs", "2")
        self.assertEqual(status, 0, output)
        self.assertIn("rank 2 of 3", output)
        self.assertIn("all ranks have the same parameters", output)

    def test_one_epoch_has_none_to_compare_its_loss_with(self):
        status, output = run("--epochs", "1")
        self.assertEqual(status, 0, output)
        self.assertIn("all ranks have the same parameters", output)

    def test_needs_a_batch_for_each_rank(self):
        status, output = run("--ranks", "3", "--batch-size", "167")
        self.assertEqual(status, 1, output)
        self.assertIn("a rank has 166 of the 500 images, fewer than a batch of 167", output)
        self.assertNotIn("loss", output)

    def test_refuses_no_ranks_and_no_epochs(self):
        for option in ["--ranks", "--epochs", "--batch-size"]:
            for number in ["0", "-1"]:
                status, output = run(option, number)
                self.assertNotEqual(status, 0)
                self.assertIn(f"{option}: must be at least 1, not {number}\n", output)

    def test_says_that_there_are_fewer_gpus_than_ranks(self):
        status, output = run("--device", "cuda", CUDA_VISIBLE_DEVICES="")
        self.assertEqual(status, 77, output)
        self.assertRegex(output, r"(?m)^rank [01]: --device cuda needs a GPU a rank; there are 0$")
        status, output = run("--help")
        self.assertEqual(status, 0)
        self.assertIn("77", output)

    def test_says_which_rank_a_signal_ended(self):
        with subprocess.Popen([PROGRAM, "--ranks", "2", "--epochs", "100000"], text=True, env=ENVIRONMENT,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as program:
            for line in program.stdout:
                if line.startswith("rank 1 of 2, epoch 0"):
                    break
            os.kill(child_of_rank(program.pid, 1), signal.SIGKILL)
            output = program.stdout.read()
        self.assertEqual(program.returncode, 1, output)
        self.assertIn("rank 1 was ended by signal 9 (Killed)\n", output)
        self.assertNotIn("rank 0 was ended", output)

    def test_is_told_how_ranks_end_where_its_parent_ignores_that(self):
        command = [PROGRAM, "--ranks", "2", "--epochs", "1"]
        with subprocess.Popen(command, text=True, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN)) as program:
            output = program.stdout.read()
        self.assertEqual(program.returncode, 0, output)
        self.assertIn("all ranks have the same parameters", output)

    def test_takes_no_store_that_a_killed_run_left(self):
        with tempfile.TemporaryDirectory() as folder:
            command = 'echo not a store of this run > "$TMPDIR/torch_ddp-$$"; exec "$0" --ranks 2 --epochs 1'
            program = subprocess.run(["sh", "-c", command, PROGRAM], env={**ENVIRONMENT, "TMPDIR": folder}, text=True,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.assertEqual(program.returncode, 0, program.stdout)
            self.assertIn("all ranks have the same parameters", program.stdout)
            self.assertEqual(os.listdir(folder), [])

    def test_says_in_a_line_that_there_is_no_such_device(self):
        status, output = run("--device", "abacus")
        self.assertEqual(status, 1, output)
        self.assertRegex(output, r"\A.*abacus.*\n\Z")

    def test_ranks_of_a_launcher_train_as_one_would(self):
        statuses, outputs = run_ranks([], [])
        self.assertEqual(statuses, [0, 0], outputs)
        self.assertIn("rank 1 of 2", outputs[1])
        self.assertIn("all ranks have the same parameters", outputs[0])

    def test_ranks_with_another_batch_size_do_not_start(self):
        statuses, outputs = run_ranks(["--batch-size", "8"], ["--batch-size", "16"])
        self.assertEqual(statuses, [1, 1], outputs)
        for output in outputs:
            self.assertIn("ranks_disagree", output)
            self.assertIn("batch", output)

    def test_measures(self):
        statuses, outputs = run_ranks(*[["--bench", "--steps", "4", "--warmup", "2"]] * 2)
        self.assertEqual(statuses, [0, 0], outputs)
        self.assertIn("rank 1: 4 steps, ", outputs[1])
        self.assertIn("all ranks: ", outputs[0])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    options, rest = parser.parse_known_args()
    PROGRAM = options.program
    unittest.main(argv=[__file__, *rest], verbosity=2)
