"""Holds scripts/check-floors against small trees that each have one mistake."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check-floors"
CORE = "/// A thing.\nstruct Thing {};\n"


class CheckFloors(unittest.TestCase):
    def check(self, files, expected):
        """Runs the check on a tree of these files; `expected` is part of its line, or None."""
        tree = {"include/stoker/core/thing.hpp": CORE,
                "include/stoker/stoker.hpp": "#include <stoker/core/thing.hpp>\n", **files}
        with tempfile.TemporaryDirectory() as folder:
            for path, text in tree.items():
                file = pathlib.Path(folder, path)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
            done = subprocess.run([sys.executable, SCRIPT, "--root", folder],
                                  capture_output=True, text=True, check=False)
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.returncode, 0 if expected is None else 1, done.stdout)
        self.assertIn(expected or "The floors hold.", done.stdout)

    def test_accepts_includes_that_go_down(self):
        self.check({"src/engine/ring.hpp": "", "src/engine/ring.cpp": '#include "ring.hpp"\n'
                    "#include <stoker/core/thing.hpp>\n#include <vector>\n#include <tbb/task.h>\n"},
                   None)

    def test_finds_an_include_that_goes_up(self):
        self.check({"src/engine/ring.hpp": "",
                    "src/core/thing.cpp": '\n#include "src/engine/ring.hpp"\n'},
                   "src/core/thing.cpp:2: goes up from floor 0 (core) to floor 3 (engine)")

    def test_finds_an_include_that_goes_sideways(self):
        self.check({"transforms/tables.hpp": "",
                    "decoders/jpeg.cpp": '#include "transforms/tables.hpp"\n'},
                   "goes sideways on floor 1, from decoders to transforms")

    def test_resolves_relative_includes(self):
        self.check({"src/device/host.hpp": "",
                    "src/sources/folder.cpp": '#include "../device/host.hpp"\n'},
                   "goes sideways on floor 1, from sources to device")

    def test_finds_a_private_header_in_the_top_floor(self):
        self.check({"src/engine/ring.hpp": "", "cli/main.cpp": '#include "src/engine/ring.hpp"\n'},
                   "cli includes a private header of engine")

    def test_finds_the_umbrella_below_the_top_floor(self):
        self.check({"src/engine/ring.cpp": "#include <stoker/stoker.hpp>\n"},
                   "only floor 4 includes stoker/stoker.hpp")

    def test_finds_opencv_outside_its_rooms(self):
        self.check({"src/engine/ring.cpp": "#include <opencv2/core.hpp>\n"},
                   "opencv2/core.hpp may be included only in")

    def test_finds_a_third_party_header_in_a_public_one(self):
        self.check({"include/stoker/core/thing.hpp": "#include <fmt/format.h>\n" + CORE},
                   "a public header includes fmt/format.h")

    def test_finds_a_public_header_that_the_umbrella_lacks(self):
        self.check({"include/stoker/core/other.hpp": CORE}, "does not include stoker/core/other.hpp")

    def test_finds_a_file_outside_all_rooms(self):
        self.check({"src/attic/old.cpp": ""}, "src/attic/old.cpp: belongs to no room")

    def test_finds_a_declaration_without_doc_comment(self):
        self.check({"include/stoker/core/thing.hpp": CORE + "\nvoid run(int n = {});\n"},
                   "thing.hpp:4: no doc comment: void run(int n = {});")

    def test_asks_no_doc_comment_of_members_and_forward_declarations(self):
        self.check({"include/stoker/core/thing.hpp":
                    "#define TWO \\\n  2\n\nnamespace stoker {\n\nclass Other;\n\n"
                    "/// A thing.\nstruct Thing {\n  int a;  // {\n\n  int b;\n};\n\n}\n"}, None)


if __name__ == "__main__":
    unittest.main()
