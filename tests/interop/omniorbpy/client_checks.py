# SPDX-License-Identifier: Apache-2.0
"""What the omniORBpy client checks beside values: failures, references, and traffic."""
import threading
import time

import Interop
import Interop__POA
from omniORB import CORBA
from program import require
from suite_servant import STATUS

PATIENCE_S = 30


def raised_by(kind, call):
    """The exception of this kind that `call` must raise."""
    try:
        call()
    except kind as raised:
        return raised
    raise AssertionError("no exception was raised")


def system_exceptions():
    """The names of those that omniORB knows."""
    kinds = (kind for kind in vars(CORBA).values() if isinstance(kind, type) and issubclass(kind, CORBA.SystemException))
    return sorted({kind.__name__ for kind in kinds} - {"SystemException"})


def check_failures(session):
    suite, run = session.suite, session.report.run
    run("raise_nothing", lambda: require(suite.raise_user(0) == (0, "nothing raised"), "results"))
    run("raise_empty", lambda: raised_by(Interop.Empty, lambda: suite.raise_user(1)))

    def detail():
        found = raised_by(Interop.Detail, lambda: suite.raise_user(2))
        require((found.why, found.code, found.shade, found.values) == ("because", -7, Interop.green, [1, 2, 3]), repr(found))

    run("raise_detail", detail)
    run("raise_renamed", lambda: require(raised_by(Interop.Renamed, lambda: suite.raise_user(3)).stamp == (1 << 40) + 1, "stamp"))
    run("raise_unlisted", lambda: raised_by(CORBA.UNKNOWN, suite.raise_unlisted))
    run("raise_foreign", lambda: raised_by(CORBA.UNKNOWN, suite.raise_foreign))

    def system(name):
        for i, status in enumerate(STATUS):
            found = raised_by(getattr(CORBA, name), lambda i=i: suite.raise_system(name, 0x4f4d0000 + i, i))
            require(found.minor == 0x4f4d0000 + i and found.completed == status, str(found))

    for name in system_exceptions():
        run("raise_" + name, lambda name=name: system(name))

    def unknown():
        ior = session.orb.object_to_string(suite)
        wrong = session.orb.string_to_object(ior)._unchecked_narrow(Interop.Callback)
        raised_by(CORBA.BAD_OPERATION, lambda: wrong.notify("x", 0))

    run("unknown_operation", unknown)

    def survives():
        for _ in range(20):
            raised_by(Interop.Empty, lambda: suite.raise_user(1))
            raised_by(CORBA.UNKNOWN, suite.raise_unlisted)
            suite.ping()

    run("connection_survives_failures", survives)

    def oversized():
        require(suite.oversized(4) == [0, 1, 2, 3], "four fit")
        raised_by((CORBA.BAD_PARAM, CORBA.MARSHAL), lambda: suite.oversized(5))

    run("oversized_sequence", oversized)


class CallbackServant(Interop__POA.Callback):
    """The client's own object: recurses into the server that calls it."""

    def __init__(self, suite):
        self.suite, self.reference = suite, None
        self.pokes, self.changed = 0, threading.Condition()

    def notify(self, text, depth):
        if depth < 0:
            raise Interop.Empty()
        return text if depth == 0 else self.suite.call_back(self.reference, text, depth - 1)

    def poke(self, amount):
        with self.changed:
            self.pokes += amount
            self.changed.notify_all()


def check_identity(session):
    suite, run = session.suite, session.report.run

    def is_a():
        for kind in (Interop.Whole.Suite, Interop.Basic, Interop.References, Interop.Node):
            require(suite._is_a(CORBA.id(kind)), CORBA.id(kind))
        node = suite.self()
        require(CORBA.id(Interop.Node) == "IDL:corbel.test/Interop/Node:2.1" and node._is_a(CORBA.id(Interop.Sequences)), "Sequences")
        require(not node._is_a("IDL:corbel.test/Interop/Callback:1.0") and not node._is_a("IDL:corbel.test/Interop/Node:9.9"), "strangers")

    def narrow():
        node = suite.self()
        require(node._narrow(Interop.Failing)._get_name() == "suite", "to a base beside")
        require(node._narrow(Interop.Whole.Suite).module() == 77, "to the most derived")
        require(node._narrow(Interop.Callback) is None, "to a stranger gives nil")

    def non_existent():
        require(not suite._non_existent(), "the suite exists")
        node = suite.make_node("short-lived")
        require(node._get_name() == "short-lived" and not node._non_existent(), "made")
        suite.destroy_node(node)
        until = time.monotonic() + PATIENCE_S  # over a bridge another thread of the server may not have left it yet
        while not node._non_existent():
            require(time.monotonic() < until, "destroyed")
            time.sleep(0.01)
        raised_by(CORBA.OBJECT_NOT_EXIST, node.ping)

    run("is_a", is_a)
    run("narrow", narrow)
    run("non_existent", non_existent)


def check_passing(session):
    suite, run = session.suite, session.report.run

    def node():
        made = suite.make_node("made")
        result, inout, out = suite.echo_node(made, suite.self())
        require([each._get_name() for each in (result, inout, out)] == ["made", "made", "suite"], "names")
        require(result._is_equivalent(made), "equivalent")
        require(suite.echo_node(None, None) == (None, None, None), "nil stays nil")

    def anything():
        foreign = session.orb.string_to_object("corbaloc::1.2@127.0.0.1:9/no/such%20key")
        result, _, out = suite.echo_object(foreign, suite.self())
        require(result._is_equivalent(foreign), "the foreign one came back different")
        require(out._narrow(Interop.Node)._get_name() == "suite", "out")
        require(suite.echo_object(None, None) == (None, None, None), "nil stays nil")

    def nodes():
        result, inout, out = suite.echo_node_seq([suite.make_node("one"), None, suite.self()], [None, suite.make_node("two")])
        require(len(result) == 3 and result[0]._get_name() == "one" and result[1] is None, "result")
        require(len(inout) == 3 and inout[2]._get_name() == "suite", "inout")
        require(len(out) == 2 and out[0]._get_name() == "two" and out[1] is None, "out")

    def link():
        result, _, out = suite.echo_link(Interop.Link("Link", suite.make_node("linked"), None), Interop.Link("Nil", None, None))
        require(result.name == "Link" and result.target._get_name() == "linked", "result")
        require(out.name == "nIL" and out.target is None and out.any_target is None, "out")

    def favourite():
        require(suite._get_favourite() is None, "nil at first")
        suite._set_favourite(suite.self())
        require(suite._get_favourite()._get_name() == "suite", "set")
        suite._set_favourite(None)

    def stringified():
        text = session.orb.object_to_string(suite.make_node("text"))
        require(session.orb.string_to_object(text)._narrow(Interop.Node)._get_name() == "text", "round trip")

    run("echo_node", node)
    run("echo_object", anything)
    run("echo_node_seq", nodes)
    run("echo_link", link)
    run("favourite", favourite)
    run("name_of", lambda: require((suite.name_of(None), suite.name_of(suite.self())) == ("nil", "suite"), "names"))
    run("stringified", stringified)


def check_references(session):
    suite, run = session.suite, session.report.run
    check_identity(session)
    check_passing(session)

    def forwarded():
        require(suite.forwarded()._get_name() == "suite", "the first call follows")
        require(not suite.forwarded()._non_existent(), "a locating call follows")
        again = suite.forwarded()._narrow(Interop.Whole.Suite)
        require(again.twist_text("f" * 50000) == "F" * 50000, "a large request follows")

    run("location_forward", forwarded)
    servant = CallbackServant(suite)
    oid = session.for_callbacks.activate_object(servant)
    callback = servant.reference = session.for_callbacks.id_to_reference(oid)._narrow(Interop.Callback)

    def called_back():
        require(suite.call_back(callback, "x", 0) == "[x]", "once")
        require(suite.call_back(callback, "x", 3) == "[[[[x]]]]", "nested")
        raised_by(Interop.Empty, lambda: suite.call_back(callback, "x", -1))

    def poked():
        suite.poke_back(callback, 20)
        with servant.changed:
            require(servant.changed.wait_for(lambda: servant.pokes == 20, PATIENCE_S), "oneway callbacks")

    run("call_back", called_back)
    run("poke_back", poked)
    session.for_callbacks.deactivate_object(oid)


def check_traffic(session):
    suite, run = session.suite, session.report.run

    def oneway():
        expected = suite.fired() + 5050 + 10 * 10004
        for i in range(1, 101):
            suite.fire(i)
        for _ in range(10):
            suite.fire_text("four", bytes(10000))
        end = time.monotonic() + PATIENCE_S
        while suite.fired() != expected:
            require(time.monotonic() < end, f"{expected - suite.fired()} are missing")

    def concurrent():
        wrong = []

        def call(mark):
            for i in range(200):
                if suite.echo_long(mark, i) != (mark, mark, i + 1):
                    wrong.append((mark, i))

        threads = [threading.Thread(target=call, args=(mark,)) for mark in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        require(not wrong, f"wrong answers: {wrong[:5]}")

    run("oneway", oneway)
    run("concurrent_calls", concurrent)
