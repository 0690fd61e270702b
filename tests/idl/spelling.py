#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether the C++ of IDL has no name that a user could have chosen, too, and mean something else by it.

usage: spelling.py CORBEL_IDL

Every name in the generated C++ is the user's (here it has `q_` in it), begins with an underscore, which IDL cannot
write, is the library's and spelled from its root or as a member, or is one of those below. So whatever users call their
things hides nothing: what sweep.py tries with some names holds for all of them.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from sweep import GLOBALS, MODULES

SAMPLE = """
#include <orb.idl>
native q_Thing;
module q_More {
  typedef sequence<long> q_Longs; struct q_Late; struct q_Early { sequence<q_Late> q_all; any q_any; }; struct q_Late { sequence<q_Early> q_all; long q_n; };
  struct q_Padded { octet q_o; double q_d; short q_s; }; struct q_Holds { q_Padded q_p[2][3]; octet q_last; };
  @bit_bound(8) enum q_Small { q_one, @default_literal q_two }; enum q_Signed { @value(-1) q_minus, @value(7) q_seven };
  struct q_Extended { @optional long q_l; @external string q_s; map<string, long> q_m; @default(q_two) q_Small q_e;
    q_Signed q_g[2]; fixed<5, 2> q_f; wstring<4> q_w; @optional @external q_Padded q_x; CORBA::TypeCode q_t; };
  bitset q_Base { bitfield<3> q_a; }; bitset q_Derived : q_Base { bitfield<9> q_b; bitfield<2>; }; bitmask q_Flags { q_f, q_g };
  union q_Ring switch (boolean) { case TRUE: sequence<q_Ring> q_more; case FALSE: @external q_Padded q_end; };
  union q_Choice switch (q_Small) { case q_one: case q_two: q_Derived q_d; }; union q_Byte switch (octet) { default: any q_a; };
  const string q_Text = "x"; const fixed q_Fixed = 1.5d; const wchar q_Wide = L'x'; const q_Small q_Chosen = q_one;
  exception q_Empty {}; exception q_Full { q_Holds q_h; string q_what; };
  interface q_Parent { readonly attribute string q_r raises (q_Empty); attribute q_Choice q_c setraises (q_Full, q_Empty); };
  abstract interface q_Abstract { q_Flags q_f(inout q_Derived q_d) raises (q_Full); };
  interface q_Child : q_Parent, q_Abstract { @view string q_v(in string q_s, in q_Longs q_l); any q_any(in any q_a) context ("q");
    oneway void q_gone(in q_Flags q_f); q_Thing q_think(in q_Thing q_t); q_Child q_self(out Object q_o, inout q_Child q_c); };
  local interface q_Local : q_Parent { void q_l(in q_Local q_o); };
  valuetype q_Plain { public q_Choice q_c; private sequence<q_Plain> q_all; factory q_make(in long q_n); };
  valuetype q_Longer : truncatable q_Plain { public string q_s; @default(3) public long q_n; };
  custom valuetype q_Custom supports q_Child { public long q_n; }; abstract valuetype q_None { void q_nothing(in long q_p); };
  valuetype q_Both : q_Longer, q_None supports q_Abstract { private long q_bb; }; valuetype q_Box sequence<string>;
  exception q_Values { q_Plain q_p; q_Box q_b; };
};
"""
ROOTS = {"std", "corbel", "CORBA", "IDL", "PortableServer"}  # no type, module or constant of a user is called so
KEYWORDS = set("""alignof auto bool break case char class const const_cast constexpr constinit default do double else enum explicit
extern false final float for friend if inline int long namespace noexcept nullptr operator override private protected public
return sizeof static static_assert static_cast struct switch template this throw true typename unsigned using virtual void
wchar_t gnu noreturn unlikely""".split())
# What the mapping wants beside the user's own, an overrider, a macro, which users' names are kept from, and parameters of
# the implied IDL of reply handlers and pollers, whose names are part of the standard.
OURS = {"POA", "obv", "swap", "create_for_unmarshal", "offsetof", "ami_return_val", "excep_holder", "ul_timeout"}
# Members of specialisations of the library's templates: no user's name is in these scopes.
MEMBERS = {"kMinSize", "encode", "decode", "value", "alignment", "first_alignment", "has_padding", "clear_padding", "proven",
           "underlying_type", "bit_bound", "is_abstract", "is_truncatable", "tie_type", "code"}


def strange_names(text):
    """Names in C++ that a user's could be taken for, with their lines."""
    text = re.sub(r"//[^\n]*|^#[^\n]*", "", text, flags=re.M)
    text = re.sub(r'L?"(\\.|[^"\\])*"|L?\'(\\.|[^\'\\])*\'', '""', text)
    inside = ""  # the library's template that is being specialised
    for line in text.split("\n"):
        head = re.match(r"\s*struct ((?:corbel|CORBA|IDL)::[\w:]+)<", line)
        inside = head[1] if head else "" if line == "};" else inside
        for match in re.finditer(r"(?<![\w.])[A-Za-z_]\w*", line):
            name, before, after = match[0], line[:match.start()].rstrip(), line[match.end():]
            if name in KEYWORDS or name in OURS or "q_" in name or (name in MEMBERS and inside):
                continue
            if re.search(r"(::|->|\.)$", before) or (name in ROOTS and after.startswith("::")):
                continue
            if name.startswith("_") and not name.startswith(("_m_", "_state_", "_cxx_")):
                continue
            yield name, line.strip()


def main(tool):
    idl = MODULES + "".join(f"module q_g{n} {{ {text} }};\n" for n, text in enumerate(GLOBALS)) + SAMPLE
    idl = re.sub(r"(q_[a-z]+)N\b", r"\1n", idl).replace("NAME", "q_name")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "q_sample.idl"
        file.write_text(idl)
        subprocess.run([tool, "--ami", "--pollers", "--async", "--amh", "-o", folder, file], check=True, stderr=subprocess.DEVNULL)
        generated = sorted(Path(folder).glob("*.?pp"))
        found = {}
        for path in generated:
            for name, line in strange_names(path.read_text()):
                found.setdefault(name, f"{path.name}: {line}")
    # A check that overlooks everything would be content, too.
    seen = {name for name, _ in strange_names("void f(int value) { std::swap(a, _b); Codec<::q_x>::f(q_y.g()); }")}
    if seen != {"f", "value", "a", "Codec"}:
        found["(the check itself)"] = str(seen)
    if len(generated) != 6:
        found["(the files)"] = str(generated)
    for name, where in sorted(found.items()):
        print(f"{name}: {where}")
    print(f"{len(found)} names that could be a user's")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else print(__doc__) or 2)
