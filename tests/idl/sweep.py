#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether users may call things what they like: IDL that uses names of the library's headers for everything.

usage: sweep.py CORBEL_IDL CXX SOURCE_FOLDER [--all] [--kinds=N] [--ami] [NAME...]

The names are all identifiers and macros of the installed headers, of what those include, and of generated code. Without
--all: those below and every 80th. Each is used as N (two) of the 26 kinds of things below within modules, and as one at
file level; which, goes by the turn. Those that clashed once are used as all of them. All of --all --kinds=26 takes two
hours of a processor, --all a quarter of one. That names which are not tried do no harm either, is for spelling.py to say.
"""
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from compiling import Compiling, HEADERS

AT_ONCE = 100  # modules in a file
# g++ says of a constant at file level that parameters in the library's headers shadow it, and of a module that it is called like
# a function that it knows (exp2f).
QUIET = ("-Wno-shadow", "-Wno-builtin-declaration-mismatch")
ALWAYS = """
AMI_iHandler Access AmicTraits Any BulkLayout CORBA CORBEL_API Codec Corba DynamicAny EINVAL EOF EncodingFormat Exception
Field FILE Future IDL IOP In InterfaceTraits KeptCall LocalObject Messaging NULL Object OMGVMCID ORB OperationEntry Owner
POA PortableServer RTCORBA SYS_read Servant ServantTraits StubTraits SystemException T TypeCode TypeOf UserException
ValueBase ValueBox a ami_handler ami_return_val any arguments assert b base bits call cdr code common_traits
corba corbel create_for_unmarshal data decode decoder detail dispatch div dynamic encode encoder errno get
get_q_op element_0 id in index info inherited inout kMinSize kNames key keep label linux main make_reference mapping
marshal messages move name narrow object obv octet operator orb other out padding_0 poa print q_op_excep raise read
ref_type rep_id repository_id result self send_call servant_traits serve signal size size_t skeleton stat std stderr stdin stream
string swap swap_ tie_type tm time timezone traits types uint8_t unix unmarshal v value value_ value_type vector what with write
""".split()
# Keywords since IDL 4, which are names in files that declare such names: the modules here need them as keywords.
YOUNG_KEYWORDS = set("bitfield bitmask bitset map int8 int16 int32 int64 uint8 uint16 uint32 uint64".split())
CLASHED = "a encoder object swap value".split()
MODULES = """
module q_0 { module NAME { interface q_i { void q_f(in q_i q_p); }; valuetype q_v { public long q_a; };
  struct q_s { long q_a; string q_b; }; enum q_e { q_x, q_y }; exception q_z { q_s q_m; };
  union q_u switch (q_e) { case q_x: q_s q_m; }; typedef q_s q_t[2]; };
  interface q_i : NAME::q_i { NAME::q_s q_g(in NAME::q_u q_p, out NAME::q_t q_r) raises (NAME::q_z); }; };
module q_1 { interface NAME { NAME q_op(in NAME q_p, out string q_r); attribute string q_at; oneway void q_on(in long q_p); };
  interface q_d : NAME { void q_e(); }; struct q_s { NAME q_m; sequence<NAME> q_q; }; };
module q_2 { struct NAME { long q_a; string q_b; sequence<NAME> q_c; }; struct q_s { NAME q_m; sequence<NAME> q_q; };
  union q_u switch (long) { case 1: NAME q_m; case 2: case 3: string q_n; }; struct q_d : NAME { short q_e; };
  interface q_i { NAME q_op(in NAME q_p, inout NAME q_r); }; };
module q_3 { union NAME switch (short) { case 1: long q_a; default: string q_b; }; exception q_e { NAME q_m; };
  struct q_s { NAME q_m; sequence<NAME> q_q; }; };
module q_4 { enum NAME { q_a, q_b }; struct q_s { NAME q_m; @default(q_b) NAME q_n; }; const NAME q_c = q_b;
  union q_u switch (NAME) { case q_a: long q_m; }; valuetype q_v { public NAME q_m; }; };
module q_5 { typedef sequence<long> NAME; typedef NAME q_t[2]; interface q_i { NAME q_f(in NAME q_p, inout q_t q_q); };
  struct q_s { NAME q_m; q_t q_n; }; };
module q_6 { exception NAME { long q_a; string q_b; }; interface q_i { void q_f() raises (NAME); }; };
module q_7 { const long NAME = 3; struct q_s { long q_a; }; typedef long q_t[NAME]; };
module q_8 { enum q_e { NAME, q_b }; struct q_s { @default(NAME) q_e q_m; }; const q_e q_c = NAME;
  union q_u switch (q_e) { case NAME: string q_m; }; @bit_bound(8) enum q_f { q_x, @value(3) q_y }; };
module q_9 { struct q_s { long NAME; string q_o; }; struct q_t { string NAME; }; exception q_e { string NAME; long q_p; };
  struct q_d : q_s { long q_l; }; bitset q_b { bitfield<3> NAME; bitfield<9> q_r; }; bitmask q_m { NAME, q_f };
  union q_u switch (long) { case 1: string NAME; case 2: case 3: long q_y; }; struct q_n { octet q_o; double NAME; }; };
module q_10 { valuetype q_v { public string NAME; private long q_z; }; valuetype q_w : q_v { public short q_k; }; };
module q_11 { valuetype q_v { private sequence<short> NAME; void q_f(in long q_p); }; };
module q_12 { interface q_i { long NAME(in long q_a, out string q_b); }; interface q_j : q_i { void q_k(); };
  local interface q_l { string NAME(inout long q_a); }; abstract interface q_x { void NAME(); }; interface q_z : q_x {};
  valuetype q_v { void NAME(in long q_p); factory q_f(in long q_a); }; valuetype q_w { factory NAME(in string q_p); }; };
module q_13 { interface q_i { attribute string NAME; readonly attribute long q_r; }; };
module q_14 { interface q_i { string q_f(in string NAME, out long q_x); void q_g(inout long NAME); oneway void q_h(in long NAME);
  void q_k(out string NAME); }; valuetype q_v { factory q_m(in long NAME); void q_n(in string NAME); }; };
module q_15 { valuetype NAME { public long q_a; public NAME q_n; factory q_m(in long q_a); }; valuetype q_d : truncatable NAME
  { public NAME q_k; }; interface q_i { NAME q_f(in NAME q_p); }; };
module q_16 { valuetype NAME sequence<long>; interface q_i { NAME q_f(in NAME q_p); }; };
module q_17 { abstract interface NAME { void q_f(in long q_p); }; interface q_i : NAME {}; valuetype q_v supports NAME {}; };
module q_18 { local interface NAME { void q_f(in NAME q_p); }; };
module q_19 { bitset NAME { bitfield<3> q_a; }; bitmask q_m { q_x }; struct q_s { NAME q_b; q_m q_c; }; };
module q_20 { bitmask NAME { q_a, q_b }; interface q_i { NAME q_f(in NAME q_p); }; };
module q_21 { interface q_i { struct NAME { long q_a; }; NAME q_f(in NAME q_p); const string q_c = "x"; };
  interface q_j : q_i { NAME q_g(); }; };
module q_22 { interface q_i { const long NAME = 1; typedef string q_t; }; interface q_j : q_i { void q_f(in long NAME); }; };
module q_23 { struct q_s { enum q_e { q_a, NAME } q_m; sequence<string> q_x; }; custom valuetype q_v { public long NAME; }; };
module q_24 { struct q_o { struct NAME { long q_a; } q_m; NAME q_n; }; @ami(FALSE) interface q_i { void q_f(in any NAME); }; };
module q_25 { module q_a { struct q_s { long NAME; }; struct NAME : q_s { long q_l; }; struct q_t { NAME q_m; }; };
  module q_b { interface q_i { void NAME(); }; interface NAME : q_i {}; interface q_j { NAME q_f(in NAME q_p); }; };
  module q_c { bitset q_b { bitfield<3> NAME; }; bitset NAME : q_b { bitfield<4> q_a; }; };
  module q_d { valuetype q_v { public long NAME; }; valuetype NAME : q_v { public long q_n; }; valuetype q_w { public NAME q_n; }; };
  module q_e { abstract interface q_x { void NAME(in long q_p); }; interface NAME : q_x {}; valuetype q_v supports NAME {}; };
  module q_f { bitset NAME { bitfield<3> NAME; }; }; module q_g { bitmask NAME { NAME }; }; };
"""
GLOBALS = ["module NAME { interface q_iN { void q_f(); }; };", "interface NAME { NAME q_f(in NAME q_p); };",
           "struct NAME { long q_a; }; struct q_sN { NAME q_m; };", "union NAME switch (long) { case 1: long q_a; };",
           "enum NAME { q_aN, q_bN }; struct q_sN { NAME q_m; };", "typedef sequence<string> NAME; struct q_sN { NAME q_m; };",
           "exception NAME { long q_a; }; interface q_iN { void q_f() raises (NAME); };", "const long NAME = 1;",
           "enum q_eN { NAME }; const q_eN q_cN = NAME;", "valuetype NAME { public NAME q_a; }; struct q_sN { NAME q_m; };",
           "valuetype NAME string;", "abstract interface NAME {}; interface q_iN : NAME {};",
           "bitset NAME { bitfield<3> q_a; };", "local interface NAME {};",
           "interface q_iN { void NAME(in string q_x, out long q_y); void q_f(in long NAME); };"]


def names_of(compiler, source, tool, folder):
    """Every identifier of the headers and of generated code that IDL could write, those above first."""
    include = Path(source) / "src"
    (folder / "sample.idl").write_text(MODULES.replace("NAME", "q_name"))
    subprocess.run([tool, "--ami", "--pollers", "--async", "--amh", "-o", folder, folder / "sample.idl"], check=True)
    text = "".join(f"#include <{h.relative_to(include)}>\n" for h in sorted((include / "corbel").glob("**/*.hpp"))
                   if h.name != "test_support.hpp")
    text += "".join(f"#include <{header}>\n" for header in HEADERS) + '#include "sample.cpp"\n#include "sample_server.cpp"\n'
    words = set()
    for options in (["-std=c++20"], ["-std=c++20", "-dM"], ["-std=gnu++20", "-dM"]):
        printed = subprocess.run([compiler, *options, "-E", "-P", "-x", "c++", f"-I{include}", f"-I{folder}", "-"],
                                 input=text, capture_output=True, text=True, check=True).stdout
        words |= set(re.findall(r"\b[A-Za-z]\w*", re.sub(r'"(\\.|[^"\\\n])*"', "", printed)))
    words = {w for w in words if not w.startswith("q_") and not re.fullmatch(r"[LuUR]|u8|[lLuU]+", w)}
    return ALWAYS + sorted(words - set(ALWAYS) - YOUNG_KEYWORDS)


def without_case(names, kinds):
    """IDL does not let names differ in case only: several files, each without such pairs."""
    files = []
    for name in names:
        for file in files:
            if name.lower() not in file and len(file) * kinds < AT_ONCE:
                file[name.lower()] = name
                break
        else:
            files.append({name.lower(): name})
    return [list(file.values()) for file in files]


def idl_of(names, first, kinds):
    """What is called by these names, of which the first is that many in the list."""
    modules = re.split(r"\n(?=module )", MODULES.strip())
    parts = []
    for number, name in enumerate(names, first):
        inside = "\n".join(modules[(number * kinds + i) % len(modules)] for i in range(kinds))
        outside = re.sub(r"(q_[a-z])N", rf"\g<1>_{number}", GLOBALS[number % len(GLOBALS)])
        parts.append(f"module q_m{number} {{\n{inside}\n}};\n{outside}".replace("NAME", "_" + name))
    return "\n".join(parts)


def main(tool, compiler, source, *rest):
    chosen = [word for word in rest if not word.startswith("-")]
    kinds = next((int(word[8:]) for word in rest if word.startswith("--kinds=")), 26 if chosen else 2)
    options = ("--ami", "--pollers", "--async", "--amh") if "--ami" in rest else ()
    folder = Path(tempfile.mkdtemp(dir=Path(tool).parent))
    try:
        names = chosen or names_of(compiler, source, tool, folder)
        if "--all" not in rest and not chosen:
            names = ALWAYS + names[len(ALWAYS)::80]
        compiling = Compiling(tool, compiler, source, folder)
        compiling.precompile()
        jobs, first, failures = [], 0, 0
        groups = [(kinds, some) for some in without_case(names, kinds)]
        if not chosen and kinds < 26:
            groups += [(26, some) for some in without_case(CLASHED, 26)]
        for number, (each, some) in enumerate(groups):
            jobs.append((f"sweep_{number}", idl_of(some, first, each), options, QUIET))
            first += len(some)
        with ThreadPoolExecutor((os.cpu_count() + 1) // 2) as pool:
            for (name, *_), said in zip(jobs, pool.map(lambda job: compiling.check(*job), jobs)):
                failures += said != ""
                if said:
                    print(f"--- {name}\n{said}", flush=True)
        print(f"{len(names)} names in {len(jobs)} files, {failures} not well")
        return 1 if failures else 0
    finally:
        if "--keep" not in rest:
            subprocess.run(["rm", "-rf", str(folder)], check=True)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) > 3 else print(__doc__) or 2)
