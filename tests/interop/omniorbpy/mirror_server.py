# SPDX-License-Identifier: Apache-2.0
"""The omniORBpy server of the dynamic suite."""
import Dynamic
import Dynamic__POA
from omniORB import CORBA, any as anys
from program import end_soon, init_orb, parse_arguments, serve


class Mirror(Dynamic__POA.Mirror):
    """Dynamic::Mirror of dynamic.idl."""

    def __init__(self, orb):
        self.orb = orb

    def echo_any(self, a, b):
        return a, a, b

    def describe(self, a):
        value, kind = a.value(), a.typecode()
        if kind.equivalent(Dynamic._tc_Point):
            return f"Point {value.x} {value.y}"
        if kind.equivalent(Dynamic._tc_Node):
            return f"Node {value.name} {len(value.kids)}"
        if kind.equivalent(Dynamic._tc_Choice):
            return f"Choice {value._v if value._d == Dynamic.red else -1}"
        if isinstance(value, type(CORBA.fixed(0))):  # omniORBpy does not compare TypeCodes of fixed with others
            return f"Money {value}"
        return "?"

    def make(self, what):
        if what == "Point":
            return CORBA.Any(Dynamic._tc_Point, Dynamic.Point(1, -2))
        if what == "Node":
            return CORBA.Any(Dynamic._tc_Node, Dynamic.Node("root", [Dynamic.Node("a", []), Dynamic.Node("b", [])]))
        if what == "Choice":
            return CORBA.Any(Dynamic._tc_Choice, Dynamic.Choice(Dynamic.green, Dynamic.Point(3, 4)))
        if what == "Money":
            return CORBA.Any(Dynamic._tc_Money, CORBA.fixed(7, 2, "1.25"))
        return anys.to_any(None)

    def echo_type(self, t):
        return t

    def same_type(self, t, a):
        return t.equal(a.typecode())

    def twice(self, amount):
        if amount < CORBA.fixed(0):
            raise Dynamic.Oops("negative", CORBA.fixed(7, 2, "0.01"))
        return amount * CORBA.fixed(2)

    def shutdown(self):
        end_soon(self.orb)


def main():
    orb = init_orb(parse_arguments())
    poa = orb.resolve_initial_references("RootPOA")
    poa._get_the_POAManager().activate()
    serve(orb, Mirror(orb)._this())


main()
