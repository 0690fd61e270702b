# SPDX-License-Identifier: Apache-2.0
"""What the omniORBpy programs of the value suite share: its valuetypes, and what is said of them."""
import Graph
from omniORB import CORBA


class Base(Graph.Base):
    pass


class Derived(Graph.Derived):
    pass


class Secret(Graph.Secret):
    """Only clients know it: servers truncate it."""


class Plain(Graph.Plain):
    pass


class Node(Graph.Node):
    pass


class ThingValue(Graph.ThingValue):
    pass


def register_factories(orb):
    for kind in (Base, Derived, Plain, Node, ThingValue):
        orb.register_value_factory(CORBA.id(kind.__bases__[0]), kind)


def filled(kind, **members):
    """A value whose state is `members`."""
    value = kind()
    for name, member in members.items():
        setattr(value, name, member)
    return value


def describe(value):
    """Mirror::describe."""
    if value is None:
        return "nil"
    text = f"{value.a} {value.s}"
    if isinstance(value, Graph.Derived):
        text += f" +{value.extra} ({describe(value.link)})"
    if isinstance(value, Graph.Plain):
        text += f" plain {value.d:f}"
    return text
