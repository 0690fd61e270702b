# SPDX-License-Identifier: Apache-2.0
"""The omniORBpy server of the value suite."""
import Graph
import Graph__POA
from graph import describe, register_factories
from omniORB import CORBA
from program import end_soon, init_orb, parse_arguments, serve


class Mirror(Graph__POA.Mirror):
    """Graph::Mirror of values.idl."""

    def __init__(self, orb):
        self.orb = orb

    def echo(self, v):
        return v

    def describe(self, v):
        return describe(v)

    def three(self, a, b):
        return a, b

    def same(self, a, b):
        return a is b

    def graph(self, n):
        return n

    def boxed(self, t, l):
        return t, None if l is None else l + [99]

    def two(self, p):
        return p

    def what(self, t):
        return t, t is not None and isinstance(t, CORBA.ValueBase)

    def echo_any(self, a):
        return a

    def describe_any(self, a):
        value = a.value()
        return value if isinstance(value, str) else describe(value)

    def shutdown(self):
        end_soon(self.orb)


def main():
    orb = init_orb(parse_arguments())
    register_factories(orb)
    poa = orb.resolve_initial_references("RootPOA")
    poa._get_the_POAManager().activate()
    serve(orb, Mirror(orb)._this())


main()
