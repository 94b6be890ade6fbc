#!/usr/bin/env python3
"""An example that finds no data where it is told to look says that it draws some, each time it uses them."""
import argparse
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAMS = []


class Drawn(unittest.TestCase):
    def first_line(self, program, folder):
        with subprocess.Popen([program, folder], stdout=subprocess.PIPE, text=True) as started:
            line = started.stdout.readline()
            started.kill()
        return line

    def test_data_are_said_to_be(self):
        for program in PROGRAMS:
            with self.subTest(program), tempfile.TemporaryDirectory() as temporary:
                folder = pathlib.Path(temporary) / "mistyped" / "name"
                for _ in range(2):
                    line = self.first_line(program, folder)
                    self.assertIn("drawn", line)
                    self.assertIn(str(folder), line)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", nargs="+")
    PROGRAMS = parser.parse_args().programs
    unittest.main(argv=[sys.argv[0]], verbosity=2)
