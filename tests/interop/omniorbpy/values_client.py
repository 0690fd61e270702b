# SPDX-License-Identifier: Apache-2.0
"""The omniORBpy client of the value suite."""
import Graph
from graph import Base, Derived, Node, Plain, Secret, ThingValue, describe, filled, register_factories
from omniORB import CORBA
from program import Report, init_orb, parse_arguments, require


def base(a=1, s="one"):
    return filled(Base, a=a, s=s)


def derived(a, s, extra, link):
    return filled(Derived, a=a, s=s, extra=extra, link=link)


def check_values(report, mirror):
    one = base()
    two = derived(2, "two", 3, one)
    for value in (None, one, two, filled(Plain, a=4, s="four", d=0.5), derived(5, "five", 6, None)):
        text = describe(value)
        report.run(text, lambda value=value, text=text: require(mirror.describe(value) == text, mirror.describe(value)))
        report.run("echo " + text, lambda value=value, text=text: require(describe(mirror.echo(value)) == text, text))
    report.run("shared between parameters", lambda: require(mirror.same(one, one) and not mirror.same(one, base()), "same"))

    def three():
        b, c = mirror.three(one, two)
        require(describe(b) == "1 one" and describe(c) == "2 two +3 (1 one)", f"{describe(b)}, {describe(c)}")
        require(c.link is b, "not shared")

    report.run("shared between results", three)

    def truncated():
        secret = filled(Secret, a=10, s="secret", d=1.5, inner=derived(9, "inner", 1, one), more="more")
        require(mirror.describe(secret) == "10 secret", mirror.describe(secret))
        back = mirror.two(Graph.Pair(secret, base(12, "after"), "label"))
        require(describe(back.first) == "10 secret" and describe(back.second) == "12 after" and back.label == "label", "a pair")

    report.run("truncated, and what follows it", truncated)


def check_graphs(report, mirror):
    def circles():
        a, b = filled(Node, name="a", edges=[]), filled(Node, name="b", edges=[])
        b.edges = [a, None]
        a.edges = [b, b, a]
        back = mirror.graph(a)
        require(back.name == "a" and len(back.edges) == 3 and back.edges[0] is back.edges[1], "shared")
        require(back.edges[2] is back and back.edges[0].edges[0] is back and back.edges[0].edges[1] is None, "circles")

    def large():
        root = filled(Node, name="root", edges=[filled(Node, name=str(i), edges=[]) for i in range(2000)])
        for node in root.edges:
            node.edges = [root, root.edges[0]]
        back = mirror.graph(root)
        require(len(back.edges) == 2000, "length")
        for i, node in enumerate(back.edges):
            require(node.name == str(i) and node.edges[0] is back and node.edges[1] is back.edges[0], node.name)

    report.run("a graph with circles", circles)
    report.run("a graph of 2,000", large)


def check_others(report, mirror):
    report.run("boxes", lambda: require(mirror.boxed("box", [1, 2]) == ("box", [1, 2, 99]), "text and sequence"))
    report.run("boxes of nothing", lambda: require(mirror.boxed(None, None) == (None, None), "nil"))

    def thing():
        found, is_value = mirror.what(filled(ThingValue, n=7))
        require(is_value and found.n == 7, "a value")

    def reference():
        found, is_value = mirror.what(mirror)
        require(not is_value and found._is_equivalent(mirror), "a reference")

    report.run("a value as a thing", thing)
    report.run("an object as a thing", reference)
    report.run("no thing", lambda: require(mirror.what(None) == (None, False), "nil"))

    def any_value():
        holder = CORBA.Any(Graph._tc_Base, base())
        require(mirror.describe_any(holder) == "1 one", "described")
        require(describe(mirror.echo_any(holder).value()) == "1 one", "echoed")

    def any_derived():
        holder = CORBA.Any(Graph._tc_Derived, derived(2, "two", 3, base()))
        require(describe(mirror.echo_any(holder).value()) == "2 two +3 (1 one)", "echoed")

    report.run("a value in an any", any_value)
    report.run("a truncatable value in an any", any_derived)
    report.run("boxed in an any", lambda: require(mirror.describe_any(CORBA.Any(Graph._tc_Text, "boxed")) == "boxed", "text"))


def main():
    options = parse_arguments()
    report, orb = Report(options.filter), init_orb(options)
    register_factories(orb)
    mirror = orb.string_to_object(options.ior)._narrow(Graph.Mirror)
    check_values(report, mirror)
    check_graphs(report, mirror)
    check_others(report, mirror)
    mirror.shutdown()
    orb.destroy()
    report.finish()


main()
