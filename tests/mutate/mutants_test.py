#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every mutant of the tree can still be put in, and putting in does what README.md says."""
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mutants  # noqa: E402


def read(text):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "room.mutants"), "w", encoding="utf-8") as file:
            file.write(text)
        return mutants.read_all(folder)


def one(name, original, mutated):
    text = f"tests ^room$\nmutant {name}\nfile x.cpp\nwrong Something.\n"
    return read(text + "".join(f"- {line}\n" for line in original) + "".join(f"+ {line}\n" for line in mutated))[0]


class InTheTree(unittest.TestCase):
    def test_every_mutant_has_its_place(self):
        try:
            mutants.put_in(mutants.ROOT, mutants.read_all())
        except mutants.Stale as stale:
            self.fail(f"\n{stale}\nThe source has changed: give these mutants its new text (tests/mutate/README.md).")

    def test_there_are_enough(self):
        self.assertGreaterEqual(len(mutants.read_all()), 1)


class PuttingIn(unittest.TestCase):
    def test_an_expression_becomes_a_choice(self):
        mutant = one("less", ["a < b"], ["a <= b"])
        self.assertEqual(mutants.rewrite("f(a <\n  b);", [mutant]),
                         f"f((corbel_mutant({mutant.number}UL) ? (a <= b) : (a <\n  b)));")

    def test_a_statement_becomes_a_branch(self):
        mutant = one("gone", ["++count;"], [])
        self.assertEqual(mutants.rewrite("{ ++count; }", [mutant]),
                         f"{{ if (corbel_mutant({mutant.number}UL)) {{  }} else {{ ++count; }} }}")

    def test_a_mutant_may_say_where_its_switch_stands(self):
        mutant = one("limit", ["int limit = 1;"], ["int limit = $M ? 2 : 1;"])
        self.assertEqual(mutants.rewrite("int limit = 1;", [mutant]), f"int limit = corbel_mutant({mutant.number}UL) ? 2 : 1;")

    def test_several_may_stand_inside_each_other(self):
        outer, inner, same = one("outer", ["if (a < b) go();"], []), one("inner", ["a < b"], ["true"]), one("same", ["a < b"], ["false"])
        text = mutants.rewrite("if (a < b) go();", [inner, outer, same])
        for mutant in (outer, inner, same):
            self.assertEqual(text.count(str(mutant.number)), 1)

    def test_overlaps_and_doubles_and_strangers_are_refused(self):
        with self.assertRaisesRegex(mutants.Stale, "overlaps"):
            mutants.rewrite("a + b + c", [one("left", ["a + b"], ["a"]), one("right", ["b + c"], ["c"])])
        with self.assertRaisesRegex(mutants.Stale, "2 times"):
            mutants.rewrite("a; a;", [one("twice", ["a;"], [])])
        with self.assertRaisesRegex(mutants.Stale, "0 times"):
            mutants.rewrite("a;", [one("never", ["b;"], [])])

    def test_what_changes_the_original_itself_is_refused(self):
        text = "tests t\nmutant a\nfile f\nwrong W.\n- if (b || c) go();\n+ if (b{} && !$M) go();\n"
        with self.assertRaisesRegex(mutants.Stale, "not the original"):
            read(text.format(""))
        read(text.format(" || c"))

    def test_behind_a_comment_tests_are_for_what_follows(self):
        body = "file f\nwrong W.\n- x\n"
        found = read(f"tests a\nmutant one\n{body}# More.\ntests b\nmutant two\n{body}mutant three\n{body}tests c\n")
        self.assertEqual([mutant.tests for mutant in found], ["a", "b", "c"])

    def test_what_is_incomplete_is_refused(self):
        for text in ("mutant a\n- x\n", "tests t\nmutant a\nfile f\nwrong W.\n", "nonsense here\n",
                     "tests t\nmutant a\nfile f\nwrong W.\nmark because\n- x\n"):
            with self.assertRaises(mutants.Stale):
                read(text)


if __name__ == "__main__":
    unittest.main()
