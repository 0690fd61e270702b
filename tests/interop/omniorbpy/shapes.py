# SPDX-License-Identifier: Apache-2.0
"""Values of any IDL type in omniORBpy's mapping, by the descriptors that its generated code hands to the ORB.

twist() of interop.idl, samples, and equality of every bit. A descriptor is the kind of a basic type, or a tuple that begins
with the kind and holds the descriptors of what the type is made of.
"""
import random
import struct

import omniORB
from omniORB import tcInternal as tc

INTEGERS = {tc.tv_short: (16, True), tc.tv_ushort: (16, False), tc.tv_long: (32, True), tc.tv_ulong: (32, False),
            tc.tv_longlong: (64, True), tc.tv_ulonglong: (64, False)}
CHARACTERS = (tc.tv_char, tc.tv_wchar)
TEXTS = (tc.tv_string, tc.tv_wstring)
REALS = {tc.tv_float: "<f", tc.tv_double: "<d"}


def resolved(desc):
    """The kind of a type, and its descriptor, less the names that it goes by."""
    while isinstance(desc, tuple):
        if desc[0] == tc.tv_alias:
            desc = desc[3]
        elif desc[0] == tc.tv__indirect:
            desc = omniORB.typeMapping[desc[1][0]] if isinstance(desc[1][0], str) else desc[1][0]
        else:
            return desc[0], desc
    return desc, desc


def members(desc):
    """(name, descriptor) of each member of a struct."""
    return list(zip(desc[4::2], desc[5::2]))


def active(union, desc):
    """(label, name, descriptor) of the member that the discriminator selects; None if it selects none."""
    return desc[8].get(union._d, desc[7])


def wrapped(value, bits, signed):
    """`value` as an integer of so many bits."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def swapped_case(text):
    """`text` with the case of its ASCII letters swapped."""
    return "".join(c.swapcase() if c.isascii() else c for c in text)


def twist(value, desc):
    """What interop.idl says about `value`."""
    kind, desc = resolved(desc)
    if kind == tc.tv_boolean:
        return not value
    if kind in CHARACTERS:
        return chr(ord(value) ^ 1)
    if kind == tc.tv_octet:
        return value ^ 1
    if kind in INTEGERS:
        return wrapped(value + 1, *INTEGERS[kind])
    if kind in REALS:
        return -value
    if kind in TEXTS:
        return swapped_case(value)
    if kind == tc.tv_enum:
        return desc[3][(value._v + 1) % len(desc[3])]
    if kind in (tc.tv_sequence, tc.tv_array):
        return twisted_elements(value, desc[1], reverse=kind == tc.tv_sequence)
    if kind == tc.tv_struct:
        return desc[1](*(twist(getattr(value, name), inner) for name, inner in members(desc)))
    if kind == tc.tv_union:
        member = active(value, desc)
        return desc[1](value._d, twist(value._v, member[2]) if member else value._v)
    return value


def twisted_elements(value, element, reverse):
    """The elements of a sequence or an array, twisted. Octets are bytes and characters a str in Python."""
    if reverse:
        value = value[::-1]
    if isinstance(value, bytes):
        return bytes(octet ^ 1 for octet in value)
    if isinstance(value, str):
        return "".join(chr(ord(c) ^ 1) for c in value)
    return [twist(item, element) for item in value]


def same(a, b, desc):
    """Whether two values are equal, floating point numbers bit by bit."""
    kind, desc = resolved(desc)
    if kind in REALS:
        return struct.pack(REALS[kind], a) == struct.pack(REALS[kind], b)
    if kind in (tc.tv_sequence, tc.tv_array):
        if isinstance(a, (bytes, str)):
            return a == b
        return len(a) == len(b) and all(same(x, y, desc[1]) for x, y in zip(a, b))
    if kind == tc.tv_struct:
        return all(same(getattr(a, name), getattr(b, name), inner) for name, inner in members(desc))
    if kind == tc.tv_union:
        member = active(a, desc)
        return a._d == b._d and (member is None or same(a._v, b._v, member[2]))
    if kind == tc.tv_boolean:
        return bool(a) == bool(b)
    return a == b


class Samples:
    """Values of any type: by their first numbers the least, the greatest and the odd ones, then random ones."""

    def __init__(self, seed):
        self.seed, self.random = seed, random.Random(seed)

    def integer(self, bits, signed):
        low = -(1 << (bits - 1)) if signed else 0
        high = (1 << (bits - int(signed))) - 1
        picks = [0, low, high, 1]
        return picks[self.seed] if self.seed < len(picks) else self.random.randint(low, high)

    def real(self, kind):
        picks = [0.0, -0.0, 1 / 3, float("inf"), float("nan"), 5e-324 if kind == tc.tv_double else 1.401298464324817e-45]
        value = picks[self.seed] if self.seed < len(picks) else self.random.uniform(-1e9, 1e9)
        return struct.unpack(REALS[kind], struct.pack(REALS[kind], value))[0]

    def text(self, wide, bound):
        letters = "Aé€中 z" if wide else "Hello, World"
        length = self.random.randint(0, min(bound or 12, 12)) if self.seed else 0
        return "".join(self.random.choice(letters) for _ in range(length))

    def value(self, desc, depth=0):
        """A value of the type; sequences end at a depth."""
        kind, desc = resolved(desc)
        if kind == tc.tv_boolean:
            return bool((self.seed + self.random.randint(0, 1)) % 2)
        if kind == tc.tv_char:
            return self.random.choice("Az~ \0\n")
        if kind == tc.tv_wchar:
            return self.random.choice("Aé€中")
        if kind == tc.tv_octet:
            return self.integer(8, False)
        if kind in INTEGERS:
            return self.integer(*INTEGERS[kind])
        if kind in REALS:
            return self.real(kind)
        if kind in TEXTS:
            return self.text(kind == tc.tv_wstring, desc[1])
        if kind == tc.tv_enum:
            return self.random.choice(desc[3])
        if kind == tc.tv_array:
            return self.elements(desc[1], desc[2], depth)
        if kind == tc.tv_sequence:
            return self.elements(desc[1], self.length(desc[2], depth), depth)
        if kind == tc.tv_struct:
            return desc[1](*(self.value(inner, depth + 1) for _, inner in members(desc)))
        if kind == tc.tv_union:
            return self.union(desc, depth)
        raise ValueError(f"no samples of kind {kind}")

    def length(self, bound, depth):
        if depth > 3 or self.seed == 0:
            return 0
        if depth == 0 and self.seed == 1:
            return bound or 1000
        return min(bound or 4, self.random.randint(0, 4))

    def elements(self, desc, length, depth):
        kind, _ = resolved(desc)
        inner = Samples(self.seed + 10) if length > 100 else self
        values = [inner.value(desc, depth + 1 if length <= 100 else 4) for _ in range(length)]
        if kind == tc.tv_octet:
            return bytes(values)
        return "".join(values) if kind == tc.tv_char else values

    def union(self, desc, depth):
        cases = list(desc[8].items())
        if desc[7] is not None:
            cases.append((self.other_label(desc), desc[7]))
        label, member = cases[(self.seed + self.random.randint(0, len(cases) - 1)) % len(cases)]
        return desc[1](label, self.value(member[2], depth + 1))

    @staticmethod
    def other_label(desc):
        """A discriminator that selects the default member."""
        kind, inner = resolved(desc[4])
        if kind == tc.tv_char:
            return "z"
        if kind == tc.tv_enum:
            return next(item for item in inner[3] if item not in desc[8])
        return 123456 if kind == tc.tv_long else 1 << 40
