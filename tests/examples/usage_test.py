#!/usr/bin/env python3
"""Each example says how it is called where it is asked to, and does nothing else."""
import argparse
import subprocess
import sys
import tempfile
import unittest

PROGRAMS = []


class Usage(unittest.TestCase):
    def test_is_told(self):
        for program in PROGRAMS:
            with self.subTest(program), tempfile.TemporaryDirectory() as folder:
                asked = subprocess.run([program, "--help"], cwd=folder, capture_output=True, text=True, timeout=60)
                self.assertEqual((asked.returncode, asked.stderr), (0, ""))
                self.assertRegex(asked.stdout, "[Uu]sage: ")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", nargs="+")
    PROGRAMS = parser.parse_args().programs
    unittest.main(argv=[sys.argv[0]], verbosity=2)
