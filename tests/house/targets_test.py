#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `./dev test` builds for a part of the tests is what they run."""

import os
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import test_targets  # noqa: E402

BUILD = "/somewhere/build/release"
MADE = {f"{BUILD}/{name}": name for name in ("a/one", "a/two", "b/three.so", "b/four")}
TESTS = f"""# CMake generated this
add_test(one "{BUILD}/a/one")
set_tests_properties(one PROPERTIES  LABELS "a;threads" _BACKTRACE_TRIPLES "{BUILD}/b/four;14;add_test;")
add_test([=[two.with (brackets)]=] "/usr/bin/python3" "/somewhere/tests/run.py" "--program" "{BUILD}/a/two" "--plugin={BUILD}/b/three.so")
add_test(three "/usr/bin/true")
set_tests_properties(three PROPERTIES  ENVIRONMENT "PROGRAM={BUILD}/b/four;OTHER={BUILD}/nothing/of/ours")
add_test(four "/usr/bin/cmake" "--build" "BUILD_FOLDER")
"""


class Targets(unittest.TestCase):
    def targets(self, *tests, text=TESTS):
        return test_targets.targets_of(set(tests), [text], BUILD, MADE)

    def test_those_of_the_tests_that_were_asked_for(self):
        self.assertEqual(self.targets("one"), {"a/one"})
        self.assertEqual(self.targets("two.with (brackets)"), {"a/two", "b/three.so"})
        self.assertEqual(self.targets("one", "three"), {"a/one", "b/four"})
        self.assertEqual(self.targets(), set())

    def test_everything_where_a_test_is_given_a_folder_of_the_build(self):
        text = TESTS.replace(BUILD, ROOT).replace("BUILD_FOLDER", ROOT)
        self.assertEqual(test_targets.targets_of({"one", "four"}, [text], ROOT, {f"{ROOT}/a/one": "a/one"}), {"all"})


if __name__ == "__main__":
    unittest.main()
