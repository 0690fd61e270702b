# SPDX-License-Identifier: Apache-2.0
"""The omniORBpy client of the dynamic suite: Anys and TypeCodes there and back, and fixed."""
import Dynamic
from omniORB import CORBA, any as anys
from program import Report, init_orb, parse_arguments, require


def samples(mirror):
    """(what, Any) of each kind of type."""
    point = CORBA.Any(Dynamic._tc_Point, Dynamic.Point(1, -2))
    wide = CORBA.Any(Dynamic._tc_Choice, Dynamic.Choice(Dynamic.blue, "gr\u00fc\u00dfe \u4e2d"))
    yield "struct", point
    yield "recursive struct", CORBA.Any(Dynamic._tc_Node, Dynamic.Node("root", [Dynamic.Node("a", []), Dynamic.Node("b", [])]))
    yield "union", CORBA.Any(Dynamic._tc_Choice, Dynamic.Choice(Dynamic.red, 7))
    yield "union with wstring", wide
    yield "enum", CORBA.Any(Dynamic._tc_Colour, Dynamic.blue)
    yield "array", CORBA.Any(Dynamic._tc_Grid, [[1, 2, 3], [4, 5, 6]])
    yield "fixed", CORBA.Any(Dynamic._tc_Money, CORBA.fixed(7, 2, "1.25"))
    yield "sequence of any", CORBA.Any(Dynamic._tc_Anys, [point, anys.to_any(5)])
    yield "any in an any", CORBA.Any(CORBA.TC_any, wide)
    yield "wstring", CORBA.Any(CORBA.TC_wstring, "gr\u00fc\u00dfe")
    yield "long long", CORBA.Any(CORBA.TC_longlong, -5000000000)
    yield "char", CORBA.Any(CORBA.TC_char, "c")
    yield "octets", anys.to_any(bytes(10000))
    yield "reference", CORBA.Any(Dynamic._tc_Mirror, mirror)
    yield "TypeCode", CORBA.Any(CORBA.TC_TypeCode, Dynamic._tc_Node)


def same(a, b):
    """Whether two Anys hold the same."""
    return a.typecode().equal(b.typecode()) and (repr(a.value()) == repr(b.value()) or a.value() == b.value())


def check_anys(report, mirror):
    other = anys.to_any("b")

    def echo(what, value):
        result, inout, out = mirror.echo_any(value, other)
        equal = (lambda a, b: a.value()._is_equivalent(b.value())) if what == "reference" else same
        equal = (lambda a, b: a.value().equal(b.value())) if what == "TypeCode" else equal
        require(equal(result, value), f"{result!r}")
        require(equal(inout, value) and out.value() == "b", f"{inout!r}, {out!r}")

    def types(value):
        kind = value.typecode()
        require(mirror.echo_type(kind).equal(kind) and mirror.same_type(kind, value), str(kind))

    for what, value in samples(mirror):
        report.run("echo_any " + what, lambda what=what, value=value: echo(what, value))
        report.run("type of " + what, lambda value=value: types(value))
    made = {"Point": "Point 1 -2", "Node": "Node root 2", "Choice": "Choice -1", "Money": "Money 1.25"}
    for what, text in made.items():
        report.run("echo_any made " + what, lambda what=what, text=text: require(mirror.describe(mirror.make(what)) == text, text))
    report.run("echo_any made an empty any", lambda: require(mirror.make("").typecode().kind() == CORBA.tk_null, "kind"))
    node = CORBA.Any(Dynamic._tc_Node, Dynamic.Node("root", []))
    report.run("same_type", lambda: require(mirror.same_type(Dynamic._tc_Node, node), "Node"))
    report.run("not same_type", lambda: require(not mirror.same_type(Dynamic._tc_Point, node), "Point"))


def check_fixed(report, mirror):
    def refused():
        try:
            mirror.twice(CORBA.fixed(7, 2, "-1.00"))
        except Dynamic.Oops as oops:
            require(oops.why == "negative" and oops.cost == CORBA.fixed(7, 2, "0.01"), repr(oops))
        else:
            require(False, "no exception was raised")

    for name, amount, twice in (("fixed", "1.25", "2.50"), ("large fixed", "49999.99", "99999.98")):
        report.run(name, lambda amount=amount, twice=twice: require(
            mirror.twice(CORBA.fixed(7, 2, amount)) == CORBA.fixed(7, 2, twice), twice))
    report.run("fixed in an exception", refused)


def main():
    options = parse_arguments()
    report, orb = Report(options.filter), init_orb(options)
    mirror = orb.string_to_object(options.ior)._narrow(Dynamic.Mirror)
    check_anys(report, mirror)
    check_fixed(report, mirror)
    mirror.shutdown()
    orb.destroy()
    report.finish()


main()
