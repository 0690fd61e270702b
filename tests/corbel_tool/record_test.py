#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records conversations with a server, replays them against it and against a mock, and serves hand-written answers.

usage: record_test.py CORBEL SERVER IDL
"""

import json
import os
import random
import socket
import sys
import time
import unittest

from between import CORBEL, IDL, TIMEOUT_S, BenchTest, Program, path_in, port_of


class RecordTest(BenchTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.recording = path_in(cls.folder, "session.jsonl")
        with cls.bench.between("record", cls.bench.reference, cls.recording, "--idl", IDL) as record:
            call = cls.bench.call
            call(record.reference, "divide", "17", "5")
            call(record.reference, "divide", "1", "0", status=1)
            call(record.reference, "label", "first")
            call(record.reference, "label")
            call(record.reference, "label", "second")
            call(record.reference, "label")
            call(record.reference, "count")
            call(record.reference, "echo_any", '{"type": "Test::SPoint", "value": {"x": 1, "y": 2.0}}')
            call(record.reference, "number", '{"discriminator": 2, "small": 5}')
            call(record.reference, "echo_object", record.reference)
            call(record.reference, "swap", "left", "right")
            assert record.end() == 0, record.errors
            assert "11 calls" in "".join(record.errors), record.errors

    def write(self, name, *lines):
        path = path_in(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines)
        return path

    def mock(self, *arguments):
        return self.bench.between("mock", *arguments, "--idl", IDL)

    def test_a_recording_has_a_line_for_each_call(self):
        with open(self.recording, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        self.assertEqual((lines[0]["corbel"], lines[0]["version"]), ("recording", 1))
        first, second = lines[1], lines[2]
        self.assertEqual((first["operation"], first["interface"], first["arguments"], first["result"]),
                         ("divide", "Test::Bench", {"a": 17, "b": 5}, {"result": 3, "rest": 2}))
        self.assertEqual((second["exception"], second["members"]), ("Test::Refused", {"why": "division by nothing", "code": 1}))
        self.assertGreater(first["ms"], 0)

    def test_scripts_are_told_in_json(self):
        file = path_in(self.folder, "told.jsonl")
        with self.bench.between("record", self.bench.reference, file, "--idl", IDL, "--json") as record:
            first = json.loads(record.seen[0])
            self.assertEqual((first["reference"], first["server"]), (record.reference, f"127.0.0.1:{port_of(self.bench, self.bench.reference)}"))
            self.bench.call(record.reference, "divide", "17", "5")
            self.assertEqual(record.end(), 0)
            self.assertEqual([json.loads(line) for line in record.seen[1:]], [{"calls": 1, "in_part": 0, "unreadable": 0, "written": True}])
        answers = self.write("told_answers.jsonl", {"operation": "divide", "result": {"result": 3, "rest": 1}},
                             {"operation": "_get_label", "result": {"result": 5}}, {"operation": "nothing", "result": 1})
        with self.mock(answers, "--json", "--interface", "Test::Bench") as mock:
            unusable = json.loads(mock.seen[0])["unusable"]
            self.assertEqual([line.partition(": ")[0] for line in unusable], ["line 2", "line 3"])
            self.bench.call(mock.reference, "divide", "7", "2")
            self.bench.call(mock.reference, "count", status=3)
            self.bench.call(mock.reference, "label", status=3)
            self.assertEqual(mock.end(), 0)
            told = [json.loads(line) for line in mock.seen[1:]]
            self.assertEqual(told, [{"kind": "call", "operation": "divide", "arguments": {"a": 7, "b": 2}, "line": 1},
                                        {"kind": "call", "operation": "_get_count", "arguments": {}},
                                        {"kind": "call", "operation": "_get_label", "arguments": {}}])
            self.assertEqual(mock.errors, [])

    def test_the_same_server_gives_the_same_answers(self):
        said = self.bench.run("replay", self.recording, "--idl", IDL)
        self.assertIn("11 calls, 0 with another end", said)
        self.assertIn("11 calls, 0", self.bench.run("replay", self.recording, self.bench.reference, "--idl", IDL, "--speed", "1000"))

    def test_differences_are_shown_and_some_members_may_differ(self):
        with open(self.recording, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        lines[1]["result"]["rest"] = 4
        changed = self.write("changed.jsonl", *lines)
        said = self.bench.run("replay", changed, self.bench.reference, "--idl", IDL, status=1)
        self.assertIn('line 2: divide {"a":17,"b":5}', said)
        self.assertIn("11 calls, 1 with another end", said)
        self.assertIn("11 calls, 0", self.bench.run("replay", changed, self.bench.reference, "--idl", IDL, "--ignore", "rest"))
        away = self.bench.run("replay", self.recording, "corbaloc::127.0.0.1:1/x", "--idl", IDL, "--json", status=1)
        self.assertEqual(json.loads(away.splitlines()[-1]), {"calls": 11, "different": 11, "skipped": 0, "unusable": 0})
        self.assertIn("CORBA::TRANSIENT", away)

    def test_a_mock_gives_the_recorded_answers_in_their_order(self):
        with self.mock(self.recording) as mock:
            self.assertIn("11 calls, 0 with another end", self.bench.run("replay", self.recording, mock.reference, "--idl", IDL))
            self.assertEqual(self.bench.call(mock.reference, "label"), "second")  # the last one from then on
            self.assertEqual(self.bench.call(mock.reference, "divide", "17", "5"), {"result": 3, "rest": 2})
            self.assertIn("Test::Refused", self.bench.call(mock.reference, "divide", "1", "0", status=1))
            self.assertIn("NO_IMPLEMENT", self.bench.call(mock.reference, "divide", "2", "2", status=3))
            self.assertIn("divide", "".join(mock.errors))
            # It is of its interface and of those above it, and doctor finds nothing wrong.
            for name, answer in (("Bench", "true"), ("Base", "true"), ("Other", "false")):
                self.assertEqual(self.bench.run("call", mock.reference, "_is_a", f"IDL:Test/{name}:1.0").strip(), answer)
            self.assertIn("_is_a(IDL:Test/Bench:1.0): true", self.bench.run("doctor", mock.reference))
            # References to recorded objects lead to the mock.
            again = self.bench.call(mock.reference, "echo_object", self.recorded_reference())
            self.assertEqual(self.bench.call(again, "count"), 42)
            self.assertNotEqual(again, self.recorded_reference())
            self.assertEqual(mock.end(), 0)

    def recorded_reference(self):
        with open(self.recording, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        return [line for line in lines if line.get("operation") == "echo_object"][0]["arguments"]["value"]

    def test_answers_are_written_by_hand(self):
        answers = self.write("answers.jsonl",
                             {"operation": "divide", "arguments": {"b": 2, "a": 7}, "result": {"result": 3, "rest": 1}},
                             {"operation": "divide", "exception": "Test::Refused", "members": {"why": "never", "code": 7}},
                             {"operation": "_get_count", "result": 1}, "\n", {"operation": "_get_count", "result": 2},
                             {"operation": "_get_label", "exception": "CORBA::NO_PERMISSION", "members": {"minor": 5, "completed": "COMPLETED_YES"}})
        with self.mock(answers, "--interface", "Test::Bench") as mock:
            self.assertEqual(self.bench.call(mock.reference, "divide", "7", "2"), {"result": 3, "rest": 1})
            self.assertIn('{"why":"never","code":7}', self.bench.call(mock.reference, "divide", "8", "2", status=1))
            self.assertEqual([self.bench.call(mock.reference, "count") for _ in range(3)], [1, 2, 2])
            said = self.bench.call(mock.reference, "label", status=3)
            self.assertIn("NO_PERMISSION", said)
            self.assertIn("COMPLETED_YES", said)

    def test_without_a_file_it_answers_with_nothing_of_each_type(self):
        with self.mock(self.write("nothing.jsonl"), "--defaults") as mock:
            self.assertEqual(self.bench.call(mock.reference, "label"), "")
            mock.end()
            self.assertIn("there are no answers in", "".join(mock.errors))
        with self.mock("--defaults") as mock:
            everything = self.bench.call(mock.reference, "number", '{"small": 5}')
            self.assertIn("discriminator", everything)
            self.assertEqual(self.bench.call(mock.reference, "divide", "7", "2"), {"result": 0, "rest": 0})
            self.assertEqual(self.bench.call(mock.reference, "label"), "")

    def test_other_arguments_are_taken_if_so_told(self):
        with self.mock(self.recording, "--any-arguments") as mock:
            self.assertEqual(self.bench.call(mock.reference, "divide", "100", "2"), {"result": 3, "rest": 2})

    def test_answers_that_do_not_fit_the_idl_are_said_by_line(self):
        answers = self.write("wrong.jsonl", {"operation": "_get_count", "result": "many"}, {"operation": "divide", "result": 1},
                             {"operation": "_get_label", "exception": "Test::Refused"})
        with self.mock(answers) as mock:
            self.assertIn("NO_IMPLEMENT", self.bench.call(mock.reference, "count", status=3))
            self.bench.call(mock.reference, "divide", "1", "1", status=3)
            self.bench.call(mock.reference, "label", status=3)
            mock.end()
            said = "".join(mock.errors)
            for text in ("line 1: _get_count: result: \"many\" is no number", "line 2: divide: 'rest' is missing", "line 3: _get_label: the operation does not raise Test::Refused"):
                self.assertIn(text, said)

    def test_files_that_make_no_sense_are_refused(self):
        for text, said in (("{", "line 1: this is no JSON"), ('{"operation": 5}', "'operation' is no text"), ("{}", "'operation' is missing"),
                           ('{"operation": "x", "arguments": {"a": ' + "[" * 200000, "nested deeper"), ("[" * 200000, "nested deeper"),
                           ('{"operation": "x", "arguments": [1]}', "no object of names"), ("[1]", "no JSON object"), ("5", "no JSON object"),
                           ('{"corbel": "recording", "version": 9}', "no recording of version 1"), ('{"operation": "x", "ms": "soon"}', "no number")):
            path = self.write("bad.jsonl", text)
            self.assertIn(said, self.bench.run("mock", path, "--idl", IDL, status=2))
            self.assertIn(said, self.bench.run("replay", path, self.bench.reference, "--idl", IDL, status=2))
        self.assertIn("there are no calls in", self.bench.run("replay", self.write("empty.jsonl"), self.bench.reference, "--idl", IDL, status=2))
        handmade = self.write("handmade.jsonl", {"operation": "_get_count", "arguments": {}, "result": 42})
        self.assertIn("give REF", self.bench.run("replay", handmade, "--idl", IDL, status=2))
        self.assertIn("no interface 'Nobody'", self.bench.run("mock", "--idl", IDL, "--interface", "Nobody", status=2))

    def test_types_are_called_as_the_idl_calls_them(self):
        plant = path_in(self.folder, "prefixed.idl")
        with open(plant, "w", encoding="utf-8") as file:
            file.write('#pragma prefix "example.com"\n// SPDX-License-Identifier: Apache-2.0\nmodule M { struct P { long x; }; struct L { long x; }; '
                       'exception No { long why; }; interface I { any swap(in any v) raises (No); };\n#pragma ID L "LOCAL:l"\n};\n')
        point = {"x": 1}
        values = [{"type": "M::P", "value": point}, {"type": "M::L", "value": point}, {"type": "string<3>", "value": "abc"},
                  {"type": "sequence<M::P, 2>", "value": [point]}, {"type": "M::P[1][2]", "value": [[point, point]]},
                  {"type": "Object", "value": None}, {"type": "sequence<long, 2>", "value": [1]}]
        answers = self.write("prefixed.jsonl", *({"operation": "swap", "arguments": {"v": one}, "result": {"result": one}} for one in values),
                             {"operation": "swap", "exception": "M::No", "members": {"why": 1}})
        session = path_in(self.folder, "prefixed_session.jsonl")
        with self.bench.between("mock", answers, "--idl", plant) as mock, \
                self.bench.between("record", mock.reference, session, "--idl", plant) as record:
            for one in values:
                said = self.bench.run("call", record.reference, "swap", json.dumps(one), "--idl", plant)
                self.assertEqual(json.loads(said), one)
            self.assertIn("raised M::No", self.bench.run("call", record.reference, "swap", "5", "--idl", plant, status=1))
            self.assertEqual(record.end(), 0)
            with open(session, encoding="utf-8") as file:
                self.assertEqual([json.loads(line)["arguments"]["v"] for line in file if "swap" in line][:-1], values)
            self.bench.run("replay", session, mock.reference, "--idl", plant)
            with open(session, encoding="utf-8") as file:
                text = file.read()
            before = self.write("prefixed_before.jsonl", text.replace('"arguments":{"v":{"type":"M::P"', '"arguments":{"v":{"type":"example.com::M::P"'))
            with open(before, encoding="utf-8") as file:
                self.assertIn("example.com", file.read())
            self.bench.run("replay", before, mock.reference, "--idl", plant)
            self.assertEqual(mock.end(), 0)

    def test_a_slow_answer_does_not_keep_a_mock_from_its_end(self):
        slow = self.write("slow.jsonl", {"operation": "_get_count", "result": 42, "ms": 3_600_000})
        with self.mock(slow, "--timed") as mock:
            call = Program(CORBEL, "call", mock.reference, "count", "--idl", IDL)
            time.sleep(0.5)
            begin = time.monotonic()
            self.assertEqual(mock.end(), 0)
            self.assertLess(time.monotonic() - begin, 10)
            call.close()

    def test_files_without_an_end_are_refused(self):
        endless = self.write("endless.jsonl")
        os.remove(endless)
        os.symlink("/dev/zero", endless)
        for command in (("mock", endless), ("replay", endless, self.bench.reference)):
            self.assertIn("larger than a gibibyte", self.bench.run(*command, "--idl", IDL, status=2))
        long = self.write("long.jsonl", "x" * 70_000_000 + "\n", {"operation": "_get_count", "arguments": {}, "result": 42})
        self.assertIn("1 calls, 0 with another end; 1 lines", self.bench.run("replay", long, self.bench.reference, "--idl", IDL, status=1))

    def test_calls_go_on_when_the_recording_cannot_be_written_any_more(self):
        file = path_in(self.folder, "full.jsonl")
        with self.bench.between("record", self.bench.reference, file, "--idl", IDL, "--json", file_limit=8) as record:
            for operation, *values in (("divide", "7", "2"), ("echo_any", json.dumps("x" * 60000)), ("divide", "9", "2")):
                self.bench.call(record.reference, operation, *values)
            self.assertEqual(record.end(), 2)
            self.assertIn("cannot be written any more", "".join(record.errors))
            self.assertEqual(json.loads(record.seen[-1]), {"calls": 1, "in_part": 0, "unreadable": 0, "written": False})
        # What is there is whole.
        self.assertIn("1 calls, 0 with another end", self.bench.run("replay", file, self.bench.reference, "--idl", IDL))

    def test_recordings_do_not_make_files_be_read(self):
        secret = self.write("secret", "not to be sent")
        asked = {"operation": "echo_any", "arguments": {"value": {"type": "Test::OctetList", "value": {"file": secret}}}, "result": None}
        said = self.bench.run("replay", self.write("asks.jsonl", asked), self.bench.reference, "--idl", IDL, status=1)
        self.assertIn("no files are read", said)
        self.assertIn("0 calls", said)

    def test_a_line_that_cannot_be_used_does_not_hide_the_others(self):
        count = {"operation": "_get_count", "arguments": {}, "result": 42}
        lines = self.write("partly.jsonl", count, {"operation": "divide", "arguments": {"a": {"same_as": "/"}, "b": 1}, "result": 1},
                           {"operation": "nothing", "arguments": {}, "result": 1}, {"operation": 5}, '{"operation": "_get_cou\n', count)
        said = self.bench.run("replay", lines, self.bench.reference, "--idl", IDL, status=1)
        for text in ("line 2: divide: a:", "line 3: nothing: the IDL files have no 'nothing'", "line 4: 'operation' is no text",
                     "line 5: this is no JSON", "2 calls, 0 with another end; 4 lines that cannot be used"):
            self.assertIn(text, said)
        summary = self.bench.run("replay", lines, self.bench.reference, "--idl", IDL, "--json", status=1)
        self.assertIn('{"calls":2,"different":0,"skipped":0,"unusable":4}', summary)

    def test_a_mock_leaves_out_what_it_cannot_use(self):
        seven = {"operation": "divide", "arguments": {"a": 7, "b": 2}}
        good = {"result": {"result": 3, "rest": 1}}
        lines = [{**seven, **good}, {**seven, "result": {"result": 3, "rest": "one"}}, {**seven, **good, "exception": "CORBA::TRANSIENT"},
                 *({**seven, "exception": "CORBA::" + name, "members": members} for name, members in
                   (("NOPE", {}), ("TRANSIENT", {"minor": 1 << 32}), ("TRANSIENT", {"minor": -1}), ("TRANSIENT", {"completed": "YES"}))),
                 {"operation": "_get_count", "result": "many"}]
        with self.mock(self.write("left_out.jsonl", *lines), "--defaults", "--json") as mock:
            unusable = json.loads(mock.seen[0])["unusable"]
            self.assertEqual([line.partition(":")[0] for line in unusable], [f"line {number}" for number in range(2, 9)])
            for _ in range(3):
                self.assertEqual(self.bench.call(mock.reference, "divide", "7", "2"), {"result": 3, "rest": 1})
            self.assertEqual(self.bench.call(mock.reference, "count"), 0)

    def test_a_mock_says_at_the_start_what_it_cannot_use(self):
        answers = self.write("unfit.jsonl", {"operation": "_get_count", "result": 1}, {"operation": "nothing", "result": 1}, {"operation": 5},
                             {"operation": "divide", "exception": "Test::Unheard"}, {"operation": "divide", "exception": "CORBA::UNHEARD"},
                             {"operation": "divide", "arguments": {"a": 1}, "result": {"result": 1, "rest": 0}}, {"operation": "shutdown"},
                             {"operation": "_get_label", "result": {"same_as": "/"}}, {"operation": "_get_label"},
                             {"operation": "_is_a", "arguments": {"id": "x"}, "result": False},
                             {"operation": "_set_label", "arguments": {"value": 7}, "result": {}})
        with self.mock(answers) as mock:
            self.assertEqual(self.bench.call(mock.reference, "count"), 1)
            mock.end()
        said = [error for error in mock.errors if "cannot be used" in error]
        for error, text in zip(said, ("line 3: 'operation' is no text", "line 2: nothing: Test::Bench has no 'nothing'",
                                      "line 4: divide: the operation does not raise Test::Unheard",
                                      "line 5: divide: there is no system exception CORBA::UNHEARD", "line 6: divide: argument 'b' is missing",
                                      "line 8: _get_label: 'result' is missing", "line 9: _get_label: there is neither",
                                      "line 11: _set_label: value: 7 is no text")):
            self.assertIn(text, error)
        self.assertEqual(len(said), 8, said)

    def test_calls_whose_values_could_not_be_shown_answer_no_other_call(self):
        answers = self.write("unshown.jsonl", {"operation": "divide", "no_arguments": "too large", "result": {"result": 3, "rest": 1}},
                             {"operation": "_get_count", "arguments": {}, "no_result": "too large", "exception": "CORBA::TRANSIENT"})
        with self.mock(answers) as mock:
            self.assertIn("NO_IMPLEMENT", self.bench.call(mock.reference, "divide", "7", "2", status=3))
            self.assertIn("NO_IMPLEMENT", self.bench.call(mock.reference, "count", status=3))
            mock.end()
            self.assertIn("line 1: divide: no arguments: too large", "".join(mock.errors))
        self.assertIn("2 skipped", self.bench.run("replay", answers, self.bench.reference, "--idl", IDL))

    def test_calls_that_are_too_large_are_recorded_without_their_values(self):
        octets = path_in(self.folder, "octets")
        with open(octets, "wb") as file:
            file.truncate((16 << 20) + 1)
        path = path_in(self.folder, "large.jsonl")
        with self.bench.between("record", self.bench.reference, path, "--idl", IDL) as record:
            self.bench.call(record.reference, "echo_any", json.dumps({"type": "Test::OctetList", "value": {"file": octets}}))
            self.bench.call(record.reference, "count")
            self.assertEqual(record.end(), 0, record.errors)
            self.assertIn("2 calls are in", "".join(record.errors))
            self.assertIn("1 of them in part", "".join(record.errors))
        with open(path, encoding="utf-8") as file:
            large, count = [json.loads(line) for line in file][1:]
        self.assertEqual((large["operation"], large["interface"]), ("echo_any", "Test::Bench"))
        for name in ("no_arguments", "no_result"):
            self.assertIn("too large to be looked at: 167", large[name])
        self.assertNotIn("result", large)
        self.assertEqual(count["result"], {"result": 42})

    def test_messages_that_cannot_be_read_are_told(self):
        path = path_in(self.folder, "unread.jsonl")
        with self.bench.between("record", self.bench.reference, path, "--idl", IDL) as record:
            with socket.create_connection(("127.0.0.1", port_of(self.bench, record.reference))) as peer:
                peer.sendall(b"GIOP\x01\x02\x01\0\x04\0\0\0\0\0\0\0")  # a request that ends before its header does
                while peer.recv(4096):
                    pass
            self.assertEqual(record.end(), 1, record.errors)
            self.assertIn("1 messages could not be read", "".join(record.errors))

    def test_damaged_recordings_never_crash(self):
        with open(self.recording, "rb") as file:
            data = file.read()
        rng = random.Random(19)
        for _ in range(15):
            bad = bytearray(data)
            for _ in range(rng.randint(1, 30)):
                bad[rng.randrange(len(bad))] = rng.choice(b'{}[]",:0aI\xff\n')
            path = path_in(self.folder, "damaged.jsonl")
            with open(path, "wb") as file:
                file.write(bad)
            program = Program(CORBEL, "replay", path, self.bench.reference, "--idl", IDL, "--timeout", "2000")
            try:
                self.assertIn(program.process.wait(TIMEOUT_S), (0, 1, 2, 3, 4), program.errors)
            finally:
                program.close()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
