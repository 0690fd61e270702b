# SPDX-License-Identifier: Apache-2.0
"""The servants of the omniORBpy server: interop.idl's contract in the Python mapping."""
import threading

import Interop
import Interop__POA
from omniORB import CORBA
from program import end_soon
from shapes import twist

STATUS = (CORBA.COMPLETED_YES, CORBA.COMPLETED_NO, CORBA.COMPLETED_MAYBE)


def echoed(descriptor):
    """The method of an operation echo_T whose in arguments are `descriptor`."""
    return lambda self, a, b: (a, a, twist(b, descriptor[1]))


def with_echoes(servant):
    """`servant` with the operations that are alike: echo_T and twist_T, by what the generated skeleton knows."""
    for name, description in servant._omni_op_d.items():
        if name.startswith("echo_"):
            setattr(servant, name, echoed(description[0]))
        elif name.startswith("twist_"):
            setattr(servant, name, lambda self, a, inner=description[0][0]: twist(a, inner))
    return servant


def float_text(value):
    """As printf("%a") has it."""
    mantissa, _, exponent = value.hex().partition("p")
    return mantissa.rstrip("0").rstrip(".") + "p" + exponent


def constants_text():
    """The constants of interop.idl as this ORB mapped them; constants_text.hpp does the same."""
    m = Interop
    return (f"{int(m.kYes)} {m.kChar} {m.kOctet} {m.kShort} {m.kUShort} {m.kLong} {m.kULong} {m.kLongLong} {m.kULongLong} "
            f"{float_text(m.kFloat)} {float_text(m.kDouble)} U+{ord(m.kWChar):04X} <{m.kText}>"
            + "".join(f" U+{ord(c):04X}" for c in m.kWide) + f" {m.kBound} {m.kColour._v}")


def mixed_text(a, b, c, d, e, f, g, h):
    """What Basic::mixed answers."""
    total = a + b + ord(c) + int(e) + f + h
    return f"{int(total * 8)}/{d}/{g}"


class NodeServant(Interop__POA.Node):
    """An object with a name."""

    def __init__(self, name):
        self.called = name

    def _get_name(self):
        return self.called

    def ping(self):
        pass


class SuiteServant(Interop__POA.Whole.Suite):
    """The whole of interop.idl on one object."""

    def __init__(self, orb, poa, forwarding_poa):
        self.orb, self.poa, self.forwarding_poa = orb, poa, forwarding_poa
        self.lock, self.sum = threading.Lock(), 0
        self.kept = {"level": 0, "label": "", "bin": Interop.BinStruct(0, "\0", 0, 0, 0.0), "values": [], "shade": Interop.red,
                     "flag": False, "template": 0, "favourite": None}

    def _get_name(self):
        return "suite"

    def _get_ratio(self):
        return 0.125

    def ping(self):
        pass

    def mixed(self, *arguments):
        return mixed_text(*arguments)

    def constants(self):
        return constants_text()

    def sum_octets(self, a):
        return sum(a)

    def make_octets(self, count):
        return (bytes((i * 7 + 3) & 0xff for i in range(256)) * (count // 256 + 1))[:count]

    def delete(self, new, of):
        return new * 10 + of

    def module(self):
        return 77

    def raise_user(self, which):
        if which == 1:
            raise Interop.Empty()
        if which == 2:
            raise Interop.Detail("because", -7, Interop.green, [1, 2, 3])
        if which == 3:
            raise Interop.Renamed((1 << 40) + 1)
        return which, "nothing raised"

    def raise_unlisted(self):
        raise Interop.Unlisted(5)

    def raise_foreign(self):
        raise RuntimeError("not a CORBA exception")

    def raise_system(self, name, minor, completed):
        found = getattr(CORBA, name, None)
        if isinstance(found, type) and issubclass(found, CORBA.SystemException):
            raise found(minor, STATUS[completed % 3])

    def oversized(self, count):
        return list(range(count))

    def self(self):
        return self.poa.servant_to_reference(self)._narrow(Interop.Node)

    def make_node(self, name):
        servant = NodeServant(name)
        return self.poa.id_to_reference(self.poa.activate_object(servant))._narrow(Interop.Node)

    def destroy_node(self, which):
        self.poa.deactivate_object(self.poa.reference_to_id(which))

    def forwarded(self):
        made = self.forwarding_poa.create_reference_with_id(b"elsewhere", CORBA.id(Interop.Node))
        return made._narrow(Interop.Node)

    def name_of(self, which):
        return "nil" if which is None else which._get_name()

    def call_back(self, target, text, depth):
        return target.notify(f"[{text}]", depth)

    def poke_back(self, target, times):
        for _ in range(times):
            target.poke(1)

    def fire(self, amount):
        with self.lock:
            self.sum += amount

    def fire_text(self, text, data):
        with self.lock:
            self.sum += len(text) + len(data)

    def fired(self):
        with self.lock:
            return self.sum

    def shutdown(self):
        end_soon(self.orb)


def with_attributes(servant, names):
    """`servant` with accessors of attributes that it keeps in `kept`."""
    for name in names:
        setattr(servant, f"_get_{name}", lambda self, name=name: self.kept[name])
        setattr(servant, f"_set_{name}", lambda self, value, name=name: self.kept.__setitem__(name, value))


with_echoes(SuiteServant)
with_attributes(SuiteServant, ("level", "label", "bin", "values", "shade", "flag", "template", "favourite"))
