#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`corbel describe`: types and comments.

usage: describe_test.py CORBEL SERVER IDL
"""

import json
import os
import sys
import tempfile
import unittest

from between import BenchTest


class DescribeTest(BenchTest):
    def test_types_whose_values_cannot_be_written_are_named(self):
        with tempfile.TemporaryDirectory() as folder:
            odd = os.path.join(folder, "odd.idl")
            with open(odd, "w", encoding="utf-8") as file:
                file.write("custom valuetype Odd {}; abstract valuetype Shape {}; struct Shelf { long number; Odd what; };\n"
                           "interface Taker { void take(in Odd one); void draw(in Shape one); void put(in Shelf one); };\n")
            for operation, given, name in (("take", "{}", "Odd"), ("draw", "null", "Shape"), ("put", '{"number": 1, "what": {}}', "Shelf")):
                said = self.bench.run("call", "corbaloc::127.0.0.1:1/x", operation, given, "--idl", odd, status=2)
                self.assertIn(f"one: values of type {name} cannot be written as JSON", said)

    def test_comments_and_the_types_of_an_interface_are_shown(self):
        with tempfile.TemporaryDirectory() as folder:
            plant = os.path.join(folder, "plant.idl")
            with open(plant, "w", encoding="utf-8") as file:
                file.write("""// SPDX-License-Identifier: Apache-2.0
module P {
  // What it can be.
  enum State {
    off,  // at rest
    on
  };
  /** Where it is,
   *  in metres. */
  struct Place {
    // To the east.
    double x;
    State now;
  };
  union Answer switch (State) {
    case off: string why;  // it is \x1b[2J
    default: Place there;
  };
  exception Broken { string what; };
  struct Unused { long x; };
  // The plant.
  interface Plant {
    /* Asks. */
    Answer ask(in long number) raises (Broken);
  };
};
""")
            text = self.bench.run("describe", "--idl", plant)
            described = json.loads(self.bench.run("describe", "--idl", plant, "--json"))[0]
        self.assertEqual(text, """// The plant.
interface P::Plant {  // IDL:P/Plant:1.0
  // Asks.
  P::Answer ask(in long number) raises (P::Broken);
};

union P::Answer switch (P::State) {
  // it is \\u001b[2J
  case off: string why;
  default: P::Place there;
};

exception P::Broken {
  string what;
};

// What it can be.
enum P::State {
  // at rest
  off,
  on
};

// Where it is,
// in metres.
struct P::Place {
  // To the east.
  double x;
  P::State now;
};
""")
        self.assertEqual((described["comment"], described["contents"][0]["comment"]), ("The plant.", "Asks."))
        types = {one["name"]: one for one in described["types"]}
        self.assertEqual(types["P::State"], {"name": "P::State", "kind": "enum", "id": "IDL:P/State:1.0", "comment": "What it can be.",
                                             "enumerators": [{"name": "off", "comment": "at rest"}, {"name": "on"}]})
        self.assertEqual(types["P::Answer"]["cases"][1], {"name": "there", "type": "P::Place", "labels": [], "default": True})
        self.assertEqual(types["P::Answer"]["discriminator"], "P::State")
        self.assertEqual(types["P::Place"]["members"][0], {"name": "x", "type": "double", "comment": "To the east."})
        kinds = {one["name"]: one for one in json.loads(self.bench.run("describe", self.bench.reference, "--json"))[0]["types"]}
        self.assertEqual(kinds["Test::Rights"]["flags"], [{"name": "read"}, {"name": "write"}, {"name": "owner"}])
        self.assertEqual(kinds["Test::Head"]["fields"][0], {"name": "kind", "type": "bitfield<3>", "width": 3})
        self.assertEqual(kinds["Test::Header"]["fields"][1], {"name": "turn", "type": "bitfield<5, short>", "width": 5})
        self.assertEqual(kinds["Test::GridArray"]["type"], "long[2][3]")
        self.assertEqual(kinds["Test::Extended"]["members"][6]["optional"], True)
        # What the server tells has its comments, too.
        self.assertEqual(kinds["Test::Rights"]["comment"], "What IDL 4 adds.")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
