#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`./dev` says how long commands take, and what it is at where they print nothing."""

import os
import re
import shutil
import subprocess
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMMAND = """#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Stands for a command.
. "$(dirname -- "$0")/common.sh"
"""


class Times(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.root)
        os.makedirs(os.path.join(self.root, "scripts"))
        os.makedirs(os.path.join(self.root, "build/release"))
        for name in ("dev", "scripts/common.sh", "scripts/timing.sh"):
            shutil.copy(os.path.join(ROOT, name), os.path.join(self.root, name))
        self.processors(2)

    def write(self, path, text):
        with open(os.path.join(self.root, path), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(os.path.join(self.root, path), 0o755)

    def processors(self, count):
        self.write("nproc", f"#!/bin/sh\necho {count}\n")

    def dev(self, *arguments, does="echo did it", status=0, silence="60"):
        """Standard output and standard error of a command that does this."""
        self.write(f"scripts/{arguments[0]}.sh", COMMAND + does + "\n")
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
            done = subprocess.run([os.path.join(self.root, "dev"), *arguments], stdout=out, stderr=errors, timeout=100, check=False,
                                  env=dict(os.environ, PATH=self.root + ":" + os.environ["PATH"], DEV_SILENCE=silence))
            out.seek(0)
            errors.seek(0)
            self.assertEqual(done.returncode, status)
            return out.read(), errors.read()

    def test_a_first_run_goes_by_figures_and_the_processors(self):
        self.assertEqual(self.dev("demo"), ("did it\n", "dev: demo takes about 2 min 30 s\n"))
        self.assertIn("lint --tidy takes about 2 min 30 s\n", self.dev("lint", "--tidy")[1])
        self.processors(8)
        self.assertIn("test takes about 2 min 27 s\n", self.dev("test")[1])
        self.assertIn("bench takes about 81 min\n", self.dev("bench")[1])
        self.assertIn("bench counts has not run here yet", self.dev("bench", "counts")[1])

    def test_later_runs_go_by_the_last_one_with_these_arguments_that_succeeded(self):
        self.dev("demo", "x", does="sleep 2")
        self.assertRegex(self.dev("demo", "x", does="exit 3", status=3)[1], "demo x takes about ([2-9]|[1-9][0-9]) s, as the last time\n")
        self.write("build/took", "400\tdemo x\n")  # which nothing takes here, however busy the machine is
        self.dev("demo", "x", does="exit 3", status=3)
        self.assertIn("demo x takes about 6 min 40 s, as the last time\n", self.dev("demo", "x", does="true")[1])
        self.assertRegex(self.dev("demo", "x")[1], "demo x takes about [0-9]{1,2} s, as the last time\n")
        self.assertIn("demo y has not run here yet", self.dev("demo", "y")[1])
        with open(os.path.join(self.root, "build/took"), encoding="utf-8") as file:
            self.assertRegex(file.read(), "^[0-9]{1,2}\tdemo x\n[0-9]{1,2}\tdemo y\n$")

    def test_building_is_apart_and_says_its_steps(self):
        self.write("ninja", '#!/bin/sh\ncase "$*" in *" -n"*) printf "[1/200] a\\n[2/300] b\\n";; *) sleep 3; echo "[300/300] b";; esac\n')
        build = "build_targets release"
        begun = time.monotonic()
        said = self.dev("build", does=build)[0]
        whole = time.monotonic() - begun
        self.assertIn("Building everything in build/release (2 jobs, 300 steps, about 3 min)\n", said)
        built = int(re.search("Built in ([0-9]+) s", said)[1])
        self.assertGreaterEqual(built, 2)
        apart = int(re.search("build takes about ([0-9]+) s, as the last time\n", self.dev("build", does="true")[1])[1])
        self.assertLessEqual(built + apart, whole + 1)  # whole seconds
        self.write("ninja", '#!/bin/sh\ncase "$*" in *" -n"*) echo "[1/6000] a";; esac\n')
        # 10 ms each, by now, and some more if the machine is busy; else it were 50 minutes.
        self.assertRegex(self.dev("build", does=build)[0], "[(]2 jobs, 6000 steps, about [1-9] min[)]\n")
        self.write("ninja", "#!/bin/sh\necho ninja: no work to do.\n")
        self.assertIn("(2 jobs)\n", self.dev("build", does=build)[0])

    def what_is_said(self, good, **more):
        """What `docs` says on standard error; again, as a busy machine may pass over who says it, until that is good."""
        for _ in range(4):
            said = self.dev("docs", **more)[1]
            if good(said):
                break
        return said

    def test_where_nothing_is_printed_a_line_says_what_is_done(self):
        wanted = r"dev: docs: \d+ s so far; Thinking\n"
        begun = time.monotonic()
        said = self.what_is_said(lambda said: re.search(wanted, said), does="say Thinking; sleep 5; echo done", silence="2")
        self.assertRegex(said, wanted)
        self.assertLessEqual(2 * said.count("so far"), time.monotonic() - begun + 2)  # whole seconds
        wanted = f"so far; sleep 4 (log: {self.root}/build/logs/thought.log)\n"
        self.assertIn(wanted, self.what_is_said(lambda said: wanted in said, does="logged thought sleep 4", silence="2"))
        said = self.what_is_said(lambda said: "so far" not in said, does="for i in {1..16}; do echo $i; sleep 0.5; done", silence="4")
        self.assertNotIn("so far", said)

    def test_help_is_help_and_nothing_else(self):
        self.assertEqual(self.dev("demo", "--help", does='first_is_help "$@"'), ("Stands for a command.\n", ""))

    def test_a_command_ends_with_dev(self):
        self.write("scripts/docs.sh", COMMAND + f'echo $$; exec sleep 200')
        with subprocess.Popen([os.path.join(self.root, "dev"), "docs"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
            process.stdout.readline()
            process.terminate()
            process.communicate(timeout=100)  # all that could write there has ended


if __name__ == "__main__":
    unittest.main()
