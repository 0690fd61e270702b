#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Man pages and shell completion know every subcommand and option of the programs.

usage: help_test.py MAN_PAGE.PY COMPLETION PROGRAM...
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

MAN_PAGE, COMPLETION = sys.argv[1:3]
PROGRAMS = sys.argv[3:]
TIMEOUT_S = 60


def help_of(*words):
    return subprocess.run([*words, "--help"], capture_output=True, text=True, check=True, timeout=TIMEOUT_S).stdout


def subcommands(text):
    return re.findall(r"^  ([a-z]+)  ", text.partition("Subcommands:\n")[2].partition("\n\n")[0], re.MULTILINE)


def options(text):
    return set(re.findall(r"^  (?:-\w,)?(--[a-z0-9-]+)", text, re.MULTILINE))


class HelpTest(unittest.TestCase):
    def test_man_pages_have_all_commands_and_options_and_are_well_formed(self):
        for program in PROGRAMS:
            with tempfile.TemporaryDirectory() as folder:
                page = os.path.join(folder, "page.1")
                subprocess.run([sys.executable, MAN_PAGE, program, page], check=True, timeout=TIMEOUT_S)
                with open(page, encoding="utf-8") as file:
                    text = file.read()
                plain = text.replace("\\-", "-")
                for lines in ([program], *([program, name] for name in subcommands(help_of(program)))):
                    for option in options(help_of(*lines)) - {"--help"}:
                        self.assertIn(option, plain, lines)
                    self.assertIn(" ".join([os.path.basename(program), *lines[1:]]), plain)
                if shutil.which("groff"):
                    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", page], capture_output=True, text=True, check=True, timeout=TIMEOUT_S)
                    self.assertEqual(done.stderr, "")

    def complete(self, *words):
        program = PROGRAMS[0]
        script = (f'source {COMPLETION}; COMP_WORDS=({program} ' + " ".join(f"'{word}'" for word in words) +
                  f'); COMP_CWORD={len(words)}; _corbel; printf "%s\\n" "${{COMPREPLY[@]}}"')
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True, timeout=TIMEOUT_S)
        return done.stdout.split()

    def test_words_are_completed(self):
        self.assertEqual(self.complete("ta"), ["tap"])
        self.assertEqual(sorted(self.complete("re")), ["record", "replay"])
        self.assertEqual(self.complete("tap", "--ca"), ["--capture", "--capture-limit"])
        self.assertEqual(self.complete("ns", "reb"), ["rebind"])
        self.assertIn("--service", self.complete("ns", "rebind", "--s"))
        self.assertEqual(self.complete("call", COMPLETION[:-2]), [COMPLETION])

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_words_are_completed_in_fish(self):
        def complete(line):
            # The program's name has to be the one that the completion is for.
            script = f'set PATH {os.path.dirname(PROGRAMS[0])} $PATH; source {COMPLETION[:-4]}fish; complete -C "{line}"'
            done = subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, text=True, check=True, timeout=TIMEOUT_S)
            return done.stdout.split()

        self.assertEqual(complete("corbel ta"), ["tap"])
        self.assertEqual(sorted(complete("corbel tap --ca")), ["--capture", "--capture-limit"])
        self.assertEqual(complete("corbel ns reb"), ["rebind"])
        self.assertIn("--service", complete("corbel ns rebind --s"))

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_words_are_completed_in_zsh(self):
        def complete(*words):
            # As the line editor would call it, but for compadd, which tells here what it is given.
            script = (f'compadd() {{ shift; print -l -- "$@"; [[ -n "$*" ]] }}; _files() {{ print files }}; words=({PROGRAMS[0]} "$@"); '
                      f'CURRENT=$#words; PREFIX=$words[-1]; complete() {{ source {COMPLETION[:-4]}zsh }}; complete')
            done = subprocess.run(["zsh", "-f", "-c", script, "zsh", *words], capture_output=True, text=True, check=False, timeout=TIMEOUT_S)
            self.assertEqual(done.stderr, "")
            return done.stdout.split()

        self.assertIn("tap", complete("ta"))
        self.assertIn("rebind", complete("ns", "reb"))
        self.assertIn("--capture-limit", complete("tap", "--ca"))
        self.assertNotIn("tap", complete("ns", "t"))
        self.assertIn("files", complete("call", "x"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
