#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checks of scripts/ find what they are for, and nothing in a tidy house."""

import json
import os
import shutil
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import check_docs  # noqa: E402
import check_events  # noqa: E402
import check_layers  # noqa: E402

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
HEADER = SPDX + "#pragma once\n"


class Tree(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.root)
        os.makedirs(os.path.join(self.root, "docs"))
        with open(os.path.join(ROOT, "docs/rooms.json"), encoding="utf-8") as file:
            self.rooms = json.load(file)
        self.lists()

    def write(self, path, text):
        whole = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, "w", encoding="utf-8") as file:
            file.write(text)

    def lists(self, faceless=(), knots=(), asks_options=()):
        """The table of the house, with other lists of what exists."""
        self.rooms.update(faceless=list(faceless), knots=list(knots), asks_options=list(asks_options))
        self.write("docs/rooms.json", json.dumps(self.rooms))

    def room(self, name, uses=""):
        self.write(f"src/corbel/{name}/CMakeLists.txt", f"# SPDX-License-Identifier: Apache-2.0\ncorbel_room({name} {uses})\n")
        self.write(f"src/corbel/{name}/README.md", "# A room\n")


class Layers(Tree):
    def breaches(self, *generated):
        return check_layers.House(self.root).check(generated)

    def assert_one_breach(self, *parts):
        found = self.breaches()
        self.assertEqual(len(found), 1, found)
        for part in parts:
            self.assertIn(part, found[0])

    def test_a_tidy_house_passes(self):
        self.room("base")
        self.room("cdr", "USES base")
        self.write("src/corbel/base/error.hpp", HEADER + "#include <string>\n")
        self.write("src/corbel/cdr/encoder.hpp", HEADER + '#include "corbel/base/error.hpp"\n')
        self.write("src/corbel/cdr/encoder.cpp", SPDX + '#include "corbel/cdr/encoder.hpp"\n#include "corbel/cdr/inner.hpp"\n')
        self.write("src/corbel/cdr/inner.hpp", HEADER)
        self.write("src/corbel/cdr/encoder_test.cpp", SPDX + "#include <gtest/gtest.h>\n#include <sys/socket.h>\n")
        self.assertEqual(self.breaches(), [])

    def test_a_source_above_400_lines_is_found(self):
        self.room("base")
        for path in ("src/corbel/base/error.cpp", "src/corbel/base/error_test.cpp", "src/corbel/base/error.hpp", "scripts/check.py"):
            head = {".hpp": HEADER, ".py": "# " + SPDX[3:]}.get(os.path.splitext(path)[1], SPDX)
            self.write(path, head + "\n" * (400 - head.count("\n")))
            self.assertEqual(self.breaches(), [])
            self.write(path, head + "\n" * (401 - head.count("\n")))
            self.assert_one_breach(f"{path}:401: ", "at most 400 lines")
            self.write(path, head)

    def test_a_name_that_a_source_brings_in_for_nothing_is_found(self):
        self.room("base")
        path = "src/corbel/base/error.cpp"
        for line, name in (("using std::string;", "string"), ("namespace files = std::filesystem;", "files")):
            self.write(path, f"{SPDX}{line}\n{name} used();\n")
            self.assertEqual(self.breaches(), [])
            self.write(path, f'{SPDX}// {name}\nvoid {name}s();\n\n  {line}\nconst char* text = "{name}";\n')
            self.assert_one_breach(f"{path}:5: brings in '{name}' and does not use it")

    def test_a_test_that_is_not_called_as_tests_are_is_found(self):
        self.room("idl")
        for path, name in (("tests/calls", "calls_suite"), ("tests/calls", "calls_late_suite"), ("tests/house", "house.${name}"),
                           ("src/corbel/idl", "idl"), ("bench/tests", "contract.hot_path")):
            self.write(f"{path}/CMakeLists.txt", f"# SPDX-License-Identifier: Apache-2.0\nadd_test(NAME {name} COMMAND x)\n")
        self.assertEqual(self.breaches(), [])
        for name in ("calls", "poa_suite", "calls/endings", "Calls.Endings"):
            self.write("tests/calls/CMakeLists.txt", f"# SPDX-License-Identifier: Apache-2.0\nadd_test(NAME {name} COMMAND x)\n")
            self.assert_one_breach("tests/calls/CMakeLists.txt:2: ", f"not '{name}'")
        self.write("tests/calls/CMakeLists.txt", "# SPDX-License-Identifier: Apache-2.0\nadd_executable(corbel_calls_test a_test.cpp)\n")
        self.assert_one_breach("corbel_FOLDER_suite, not 'corbel_calls_test'")

    def test_a_case_that_is_no_sentence_or_in_another_file_is_found(self):
        self.write("tests/calls/endings_test.cpp", SPDX + "TEST(Endings, AreTold_16_3) {}\nTEST_F(Md5, IsRight) {}\n")
        self.assertEqual(self.breaches(), [])
        for suite, case in (("Endings2", "AreTold"), ("Endings", "are_told"), ("Endings", "Are_Told"), ("endings", "AreTold")):
            self.write("tests/calls/endings_test.cpp", f"{SPDX}TEST_P({suite},\n       {case}) {{}}\n")
            self.assert_one_breach("tests/calls/endings_test.cpp:2: ", f"'{suite}.{case}' is no name and sentence")
        self.write("tests/calls/endings_test.cpp", SPDX)
        self.write("tests/calls/endings.cpp", SPDX + "TEST(Endings, AreTold) {}\n")
        self.assert_one_breach("tests/calls/endings.cpp:2: ", "cases are in *_test.cpp")

    def test_a_plug_in_of_the_examples_that_is_not_small_is_found(self):
        self.write("examples/pigeons/pigeons_plugin.cpp", SPDX + '#include "pigeons.hpp"\n')
        self.write("examples/pigeons/pigeons.hpp", HEADER)
        self.write("examples/pigeons/pigeons.cpp", SPDX + "\n" * 244)
        self.assertEqual(self.breaches(), [])
        self.write("examples/pigeons/pigeons.cpp", SPDX + "\n" * 245)
        self.assert_one_breach("examples/pigeons/pigeons.cpp:250: ", "at most 249 lines")

    def test_options_asked_for_in_a_call_are_found(self):
        self.room("orb")
        self.write("src/corbel/orb/local_call.hpp", HEADER + "auto a = core_.options().limits;\n")
        self.assert_one_breach("src/corbel/orb/local_call.hpp:3:", "policies are settled once")
        self.write("src/corbel/orb/local_call.hpp", HEADER + "auto a = space_->core().options().hold_timeout;\n")
        self.assert_one_breach("src/corbel/orb/local_call.hpp:3:", "policies are settled once")
        self.lists(asks_options=["orb/local_call"])
        self.assertEqual(self.breaches(), [])

    def test_an_upward_include_is_found(self):
        self.write("src/corbel/orb/orb.hpp", HEADER)
        self.write("src/corbel/cdr/encoder.cpp", SPDX + '\n#include "corbel/orb/orb.hpp"\n')
        self.assert_one_breach("src/corbel/cdr/encoder.cpp:3:", "'cdr' may not include 'orb'")

    def test_adapters_never_include_each_other(self):
        self.write("src/corbel/transport/tcp/tcp.hpp", HEADER)
        self.write("src/corbel/transport/unix/unix.cpp", SPDX + '#include "corbel/transport/tcp/tcp.hpp"\n')
        self.assert_one_breach("'transport/unix' may not include 'transport/tcp'")

    def test_protocols_never_include_each_other(self):
        self.write("src/corbel/messaging/giop/header.hpp", HEADER)
        self.write("src/corbel/messaging/giop_lite/lite.cpp", SPDX + '#include "corbel/messaging/giop/header.hpp"\n')
        self.assert_one_breach("'messaging/giop_lite' may not include 'messaging/giop'")

    def test_the_core_does_not_know_the_adapters_but_builtins_does(self):
        self.write("src/corbel/transport/tcp/factory.hpp", HEADER)
        self.write("src/corbel/builtins/builtins.cpp", SPDX + '#include "corbel/transport/tcp/factory.hpp"\n')
        self.assertEqual(self.breaches(), [])
        self.write("src/corbel/orb/orb.cpp", SPDX + '#include "corbel/transport/tcp/factory.hpp"\n')
        self.assert_one_breach("'orb' may not include 'transport/tcp'")

    def test_the_header_of_an_adapter_belongs_to_the_adapter(self):
        self.room("messaging/giop")
        self.write("src/corbel/messaging/giop/giop.hpp", HEADER)
        self.write("src/corbel/orb/orb.cpp", SPDX + '#include "corbel/messaging/giop/giop.hpp"\n')
        self.assert_one_breach("'orb' may not include 'messaging/giop'")

    def test_an_umbrella_header_is_for_applications_only(self):
        self.room("orb", "HEADERS orb.hpp")
        self.write("src/corbel/orb/orb.hpp", HEADER)
        self.write("src/corbel/corbel.hpp", HEADER + '#include "corbel/orb/orb.hpp"\n')
        self.write("examples/hello/client.cpp", SPDX + "#include <corbel/corbel.hpp>\n")
        self.assertEqual(self.breaches(), [])
        self.write("src/corbel/poa/poa.cpp", SPDX + '#include "corbel/corbel.hpp"\n')
        self.assert_one_breach("umbrella headers are for applications")

    def test_a_public_header_never_includes_a_private_one(self):
        self.room("cdr", "HEADERS encoder.hpp USES base")
        self.write("src/corbel/cdr/inner.hpp", HEADER)
        self.write("src/corbel/cdr/encoder.hpp", HEADER + '#include "corbel/cdr/inner.hpp"\n')
        self.assert_one_breach("a public header includes the private")

    def test_a_header_that_is_installed_but_not_there_is_found(self):
        self.room("cdr", "HEADERS gone.hpp")
        self.assert_one_breach("installs src/corbel/cdr/gone.hpp, which does not exist")

    def test_tools_and_examples_see_public_headers_only(self):
        self.write("src/corbel/orb/inner.hpp", HEADER)
        self.write("examples/hello/server.cpp", SPDX + '#include "corbel/orb/inner.hpp"\n')
        self.assert_one_breach("'examples' may not include 'orb'")

    def test_socket_headers_belong_in_ipc_and_reactor(self):
        self.write("src/corbel/ipc/socket.cpp", SPDX + "#include <sys/socket.h>\n")
        self.write("src/corbel/reactor/reactor.cpp", SPDX + "#include <sys/epoll.h>\n")
        self.write("src/corbel/orb/orb.cpp", SPDX + "#include <netinet/in.h>\n")
        self.assert_one_breach("src/corbel/orb/orb.cpp:2:", "<netinet/in.h> belongs in ipc and reactor alone")

    def test_base_uses_the_standard_library_only(self):
        self.write("src/corbel/base/log.cpp", SPDX + "#include <nlohmann/json.hpp>\n")
        self.assert_one_breach("neither standard nor listed")

    def test_a_target_links_only_its_row(self):
        self.room("cdr", "USES base orb\n  LIBRARIES Threads::Threads")
        self.assert_one_breach("room 'cdr' may not link 'orb'")

    def test_an_include_cycle_is_found(self):
        self.write("src/corbel/orb/a.hpp", HEADER + '#include "corbel/orb/b.hpp"\n')
        self.write("src/corbel/orb/b.hpp", HEADER + '#include "corbel/orb/a.hpp"\n')
        self.assert_one_breach("include cycle", "src/corbel/orb/a.hpp -> src/corbel/orb/b.hpp -> src/corbel/orb/a.hpp")

    def test_rooms_that_may_include_each_other_are_found(self):
        self.rooms["rooms"]["cdr"]["includes"].append("ior")
        self.lists()
        self.assert_one_breach("docs/rooms.json:1: rooms that may include each other: cdr ior")

    def units(self, *pairs):
        for unit, other in pairs:
            self.write(f"src/corbel/orb/{unit}.hpp", HEADER)
            self.write(f"src/corbel/orb/{unit}.cpp", SPDX + f'#include "corbel/orb/{unit}.hpp"\n#include "corbel/orb/{other}.hpp"\n')

    def test_units_that_include_each_other_are_found(self):
        self.units(("a", "b"), ("b", "c"), ("c", "c"))
        self.assertEqual(self.breaches(), [])
        self.units(("c", "a"))
        self.assert_one_breach("src/corbel/orb/a.cpp:1: units that include each other: orb/a orb/b orb/c")

    def test_a_knot_that_is_known_does_not_grow(self):
        self.units(("a", "b"), ("b", "a"), ("c", "c"))
        self.lists(knots=[["orb/a", "orb/b"]])
        self.assertEqual(self.breaches(), [])
        self.units(("b", "c"), ("c", "a"))
        self.assertIn("src/corbel/orb/c.cpp:1: units that include each other: orb/a orb/b orb/c", self.breaches())

    def test_a_knot_that_is_gone_is_taken_out_of_the_list(self):
        self.units(("a", "b"), ("b", "a"), ("c", "c"))
        self.lists(knots=[["orb/a", "orb/b", "orb/c"]])
        self.assert_one_breach("docs/rooms.json:1: orb/c is in no knot any more")

    def test_a_header_that_one_unit_alone_includes_is_a_part_of_it(self):
        self.units(("a", "a"))
        self.write("src/corbel/orb/a.cpp", SPDX + '#include "corbel/orb/a.hpp"\n#include "corbel/orb/inner.hpp"\n')
        self.write("src/corbel/orb/inner.hpp", HEADER + '#include "corbel/orb/a.hpp"\n')
        self.assertEqual(self.breaches(), [])
        self.write("src/corbel/orb/inner.cpp", SPDX + '#include "corbel/orb/inner.hpp"\n')
        self.assert_one_breach("units that include each other: orb/a orb/inner")

    def test_what_is_below_the_faces_does_not_speak_of_one(self):
        self.lists(faceless=["orb/call", "cdr"])
        self.write("src/corbel/orb/call.hpp", HEADER + '// As CORBA::Object has it.\nconst char* id = "CORBA::Object"; /* IDL::traits */\n')
        self.write("src/corbel/orb/call_test.cpp", SPDX + "CORBA::Object object;\n")
        self.room("cdr")
        self.write("src/corbel/cdr/encoder.cpp", SPDX)
        self.assertEqual(self.breaches(), [])
        for face in ("namespace CORBA {\n}", "namespace CORBA::detail {\n}", "using T = PortableServer::Servant;", "IDL::traits<T> t;"):
            self.write("src/corbel/cdr/encoder.cpp", SPDX + face + "\n")
            self.assert_one_breach("src/corbel/cdr/encoder.cpp:2: speaks of ")

    def test_what_is_below_the_faces_does_not_include_one(self):
        self.lists(faceless=["orb/call", "cdr"])
        self.room("cdr")
        self.write("src/corbel/cdr/encoder.hpp", HEADER)
        self.write("src/corbel/orb/object.hpp", HEADER)
        self.write("src/corbel/orb/call.cpp", SPDX + '#include "corbel/cdr/encoder.hpp"\n#include "corbel/orb/object.hpp"\n')
        self.assert_one_breach("src/corbel/orb/call.cpp:3: what is below the faces may not include src/corbel/orb/object.hpp")

    def test_the_list_of_what_is_below_the_faces_names_what_exists(self):
        self.lists(faceless=["orb/gone"])
        self.assert_one_breach("docs/rooms.json:1: orb/gone is listed as faceless and does not exist")

    def test_an_unknown_room_is_found(self):
        self.write("src/corbel/cellar/wine.cpp", SPDX)
        self.assert_one_breach("belongs to no room")

    def test_a_missing_header_is_found(self):
        self.write("src/corbel/orb/orb.cpp", SPDX + '#include "corbel/orb/gone.hpp"\n')
        self.assert_one_breach("is no file of the project")

    def test_files_carry_their_licence_and_a_snake_case_name(self):
        self.write("src/corbel/orb/orb.cpp", "// An ORB\n")
        self.write("src/corbel/orb/Orb2.cpp", SPDX)
        self.write("scripts/tool.py", "#!/usr/bin/env python3\n# SPDX-License-Identifier: Apache-2.0\n")
        found = self.breaches()
        self.assertEqual(len(found), 2, found)
        self.assertIn("src/corbel/orb/Orb2.cpp:1: file names are snake_case", found[0])
        self.assertIn("src/corbel/orb/orb.cpp:1: the first line must say", found[1])

    def test_a_header_is_guarded(self):
        self.write("src/corbel/orb/orb.hpp", SPDX)
        self.assert_one_breach("no '#pragma once'")

    def test_a_room_has_a_short_readme(self):
        self.room("cdr")
        self.write("src/corbel/cdr/README.md", "line\n" * 41)
        self.assert_one_breach("src/corbel/cdr/README.md:41:", "at most 40 lines")
        os.remove(os.path.join(self.root, "src/corbel/cdr/README.md"))
        self.assert_one_breach("every room has a README")

    def test_generated_code_includes_the_mapping_only(self):
        self.write("build/echo.hpp", "// Generated by corbel-idl\n#include <string>\n#include \"corbel/mapping/stub.hpp\"\n")
        folder = os.path.join(self.root, "build")
        self.assertEqual(self.breaches(folder), [])
        self.write("build/echo.cpp", "// Generated by corbel-idl\n#include \"echo.hpp\"\n#include \"corbel/orb/orb.hpp\"\n")
        self.assertEqual(len(self.breaches(folder)), 1)


class Documents(Tree):
    def test_a_unit_that_a_room_names_and_has_not_is_found(self):
        self.write("src/corbel/orb/orb.cpp", SPDX)
        self.write("src/corbel/orb/README.md", "# orb\n\n| read | for |\n|---|---|\n| `orb`, `gone` | all |\n")
        found = check_docs.check(self.root)
        self.assertEqual(found, ["src/corbel/orb/README.md:5: there is no unit `gone`"])

    def test_links_anchors_and_paths_that_lead_somewhere_pass(self):
        self.write("src/corbel/orb/orb.cpp", SPDX)
        self.write("docs/guide.md", "# A `guide`, in short\n")
        self.write("README.md", "See [it](docs/guide.md#a-guide-in-short), [out](https://example.org) and `src/corbel/orb/orb.cpp`.\n"
                   "```\n[not](a/link)\n```\n`src/corbel/<room>/`\n")
        self.assertEqual(check_docs.check(self.root), [])

    def test_dead_links_anchors_and_paths_are_found(self):
        self.write("docs/guide.md", "# Guide\n")
        self.write("README.md", "[a](docs/gone.md)\n[b](docs/guide.md#gone)\n`src/corbel/orb/gone.cpp`\n")
        self.assertEqual([b.split(":")[1] for b in check_docs.check(self.root)], ["1", "2", "3"])

    def test_the_path_of_a_request_names_functions_that_exist(self):
        self.write("src/corbel/base/thing.cpp", "int Thing::make(int n) { return n; }\n")
        self.write("docs/path-of-a-request.md", "`Thing::make` and\n`Thing::mend` and `std::span`\n")
        self.assertEqual([b.split(":")[1] for b in check_docs.check(self.root)], ["2", "2"])


    def test_a_warm_call_passes_no_more_files_than_before(self):
        paths = [f"src/corbel/base/file{i}.hpp" for i in range(check_docs.WARM_FILES + 1)]
        for path in paths:
            self.write(path, HEADER)
        named = "\n".join(f"`{path}`" for path in paths[:-1])
        self.write("docs/path-of-a-request.md", f"## Out\n{named}\n## When it is slow\n`{paths[-1]}`\n")
        self.assertEqual(check_docs.check(self.root), [])
        self.write("docs/path-of-a-request.md", f"## Out\n{named}\n## Back\n`{paths[0]}`, `{paths[-1]}`\n")
        self.assertEqual(check_docs.check(self.root),
                         ["docs/path-of-a-request.md:1: a warm call passes 36 files; there are to be no more than 35"])


class Events(Tree):
    ROWS = "| event | level, module | fields |\n|---|---|---|\n"

    def setUp(self):
        super().setUp()
        self.code('CORBEL_LOG(log(), poa, warning, "it broke",\n  {"peer", peer(")")}, {"error", error});')
        self.table("| `it broke` | warning poa | `peer`, `error` |\n")
        self.provoked_by('expect("it broke");')

    def code(self, text):
        self.write("src/corbel/poa/poa.cpp", SPDX + "/// CORBEL_LOG(log, ...) tells.\n" + text)

    def table(self, rows):
        self.write("docs/logging.md", "# The log\n## Modules\n" + self.ROWS + "| `not this` | a | b |\n"
                   "## What it tells\n" + self.ROWS + rows + "\n## Where\n" + self.ROWS + "| `nor this` | a | b |\n")

    def provoked_by(self, text):
        self.write("tests/log/events_test.cpp", SPDX + text)

    def assert_one_breach(self, *parts, untested=()):
        found = check_events.check(self.root, untested)
        self.assertEqual(len(found), 1, found)
        for part in parts:
            self.assertIn(part, found[0])

    def test_an_event_that_is_listed_and_tested_passes(self):
        self.assertEqual(check_events.check(self.root, ()), [])

    def test_one_that_is_not_listed_is_found(self):
        self.table("")
        self.assert_one_breach("src/corbel/poa/poa.cpp:3:", "does not list `it broke`")

    def test_one_that_does_not_exist_is_found(self):
        self.table("| `it broke`, `it bent` | warning poa | `peer`, `error` |\n")
        self.assert_one_breach("docs/logging.md:9:", "no event `it bent`")

    def test_another_level_or_module_is_found(self):
        self.table("| `it broke` | info poa | `peer`, `error` |\n")
        self.assert_one_breach("`it broke` is warning poa; docs/logging.md:9 says 'info poa'")

    def test_a_field_that_is_not_listed_is_found(self):
        self.table("| `it broke` | warning poa | `peer` |\n")
        self.assert_one_breach("does not name the field `error` of `it broke`")

    def test_one_that_no_test_provokes_is_found_unless_the_list_says_why(self):
        self.provoked_by("")
        self.assert_one_breach("no test provokes `it broke`")
        self.assertEqual(check_events.check(self.root, {"it broke": "it never does"}), [])

    def test_the_list_names_none_that_is_tested_or_gone(self):
        self.assert_one_breach("a test provokes `it broke`", untested={"it broke": "never"})
        self.assert_one_breach("there is no event `it bent`", untested={"it bent": "never"})

    def test_literals_in_two_lines_are_one(self):
        self.code('CORBEL_LOG(log(), poa, warning, "it "\n  "broke");')
        self.provoked_by('expect("it "\n  "broke");')
        self.assertEqual(check_events.check(self.root, ()), [])

    def test_an_event_that_is_no_literal_is_found(self):
        self.code('CORBEL_LOG(log(), poa, warning, "it broke"); CORBEL_LOG(log(), poa, warning, event);')
        self.assert_one_breach("src/corbel/poa/poa.cpp:3:", "the event is no literal")

    def test_tests_may_look_at_lines(self):
        self.provoked_by('expect("] warning poa: it broke peer=none");')
        self.assertEqual(check_events.check(self.root, ()), [])


if __name__ == "__main__":
    unittest.main()
