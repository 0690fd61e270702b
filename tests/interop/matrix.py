#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the table of docs/interop-matrix.md: a row for each feature, a column for each peer and direction.

JUNIT is what `ctest -L interop --output-junit` wrote. A cell says in which versions of GIOP every check of the feature
passed and how many they are; a cell without checks says why. Exit status: 0 all is well, 1 something failed or a cell
says neither, 2 JUNIT or FILE cannot be used.
"""
import argparse
import re
import sys
import xml.etree.ElementTree

PEERS = {"omniorb": "omniORB 4.2.5", "omniorb43": "omniORB 4.3.4", "omniorbpy": "omniORBpy 4.3.1", "jacorb": "JacORB 3.9",
         "glassfish": "GlassFish 4.2.5", "tango": "Tango 9.3"}
FAMILIES = {"omniorb43": "omniorb", "omniorbpy": "omniorb", "jacorb": "java", "glassfish": "java"}
COLUMNS = [(peer, role) for peer in PEERS for role in ("server", "client")]


def heading(column):
    peer, role = column
    return f"Corbel calls {PEERS[peer]}" if role == "server" else f"{PEERS[peer]} calls Corbel"


class Feature:
    """A row: the checks whose names match, of the tests whose part and carrier match."""

    def __init__(self, title, checks=".", part="", carrier=r"tcp|dissect|", tango=None, **why):
        """`part`: the word behind "interop." in the names of tests; `carrier`: the word behind the pair. `tango`: its device and
        its client have checks of their own. `why`: of cells without checks, by peer_role or by peer."""
        self.title, self.checks, self.part, self.why = title, re.compile(checks), part, why
        self.carrier = re.compile(rf"({carrier})$")
        if isinstance(tango, str):
            why["tango"], tango = tango, None
        self.tango = dict(zip(("server", "client"), tango or (None, None), strict=True))

    def found(self, run, column):
        """What came of the checks in `run` that belong in this row; nothing if the whole run does not."""
        if run.column() != column:
            return None
        if column[0] == "tango":
            checks = self.tango[column[1]]
            return {name: outcome for name, outcome in run.checks.items() if re.match(checks, name)} if checks else None
        if run.part != self.part or not self.carrier.match(run.carrier):
            return None
        return {name: outcome for name, outcome in run.checks.items() if self.checks.match(name)}

    def missing(self, column):
        """What is said of its peer, else of its family: that of omniORB goes for all its versions, that of Java for both ORBs."""
        peer, role = column
        for name in (peer, FAMILIES.get(peer, peer)):
            if why := self.why.get(f"{name}_{role}") or self.why.get(name):
                return why
        return "Tango has none" if peer == "tango" else None


SCALARS = "boolean|char|octet|short|ushort|long|ulong|longlong|ulonglong|float|double|enum|alias"
SHORTER = "its client's checks are fewer; the other direction shows it"
NO_LOCATE = "Corbel sends none: it asks what every object has, _is_a and _non_existent"
OWN = "Corbel's own servants"
UNDERNEATH = "not tested: omniORB is underneath"
HEADINGS = {
    "Types: arguments, results, out and inout parameters": [
        Feature("basic types, enums, aliases", rf"(ping|echo_({SCALARS}))$",
                tango=("(attributes of the interface|info and ping|states change)", "(names|state)")),
        Feature("strings, bounded ones, ISO 8859-1", r"echo_((bounded_)?string(_large|_latin1)?|char_latin1)$",
                tango=("commands, basic types", "commands")),
        Feature("UTF-8, octets 0 in strings", r"echo_string_(unicode|with_nul)$",
                omniorb_client="its client speaks ISO 8859-1; below it is told UTF-8", java_client=SHORTER),
        Feature("wide characters and strings, UTF-16", r"echo_(wchar|(bounded_)?wstring(_surrogates)?|wides|wchar_seq|wstring_seq)$"),
        Feature("code sets: the peer is ISO 8859-1 inside, DATA_CONVERSION", r"(code_set_|seen: code sets)", carrier="latin1", tango=UNDERNEATH),
        Feature("code sets: the peer is UTF-8 inside", r"(code_set_|seen: code sets)", carrier="utf8", tango=UNDERNEATH),
        Feature("structs, nested ones, empty sequences in them", r"echo_(bin|scalars|record|nested|empties)$",
                tango=("(info and ping|list of commands)", "attributes")),
        Feature("unions, by every kind of discriminator", r"echo_(long|enum|bool|char|short|wide)_union$|echo_union_seq$",
                tango=("attributes read, values in unions", None), tango_client="the device's interface is an older one, without unions"),
        Feature("arrays, of arrays, structs and sequences", r"echo_(arrays|grid|digest|names|bin_array|seq_array|record_array|grid_seq)$"),
        Feature("sequences, bounded ones, of sequences", r"echo_(bounded_|bounded_text_|seq_|bin_|record_|enum_|string_|octet_|double_|bool_)seq$",
                tango=("(commands, sequences|list of commands|the black box)", "(attributes|black box)")),
        Feature("recursive types", r"echo_(tree|tree_seq)$"),
        Feature("all parameter directions in one call", r"mixed$"),
        Feature("constants, escaped and keyword names", r"constants$|echo_words$|keywords$"),
        Feature("attributes", r"attributes$", tango=("attributes of the interface", "names")),
    ],
    "Types known at run time": [
        Feature("Any: structs, unions, arrays, recursive types", r"echo_any ", part="dynamic",
                tango=("(commands, |attributes (read|written))", "(commands|attributes|a thousand)")),
        Feature("TypeCodes, fixed", r"(type of|echo_type|same_type|not same_type|fixed|large fixed|describe Money|echo_any Money)", part="dynamic"),
        Feature("DynAny", r"(Dyn|an Any of the peer)", part="dynamic", omniorb_client="local to each ORB",
                java_client="local to each ORB", tango=("corbel call: command_inout", None), tango_client="local to each ORB"),
        Feature("calls without stubs (DII)", r"(DII|deferred)", part="dynamic", tango=("corbel ", None),
                omniorbpy_client="omniORBpy has no DII", java_client="on the wire as with stubs", tango_client="on the wire as with stubs"),
        Feature("servants without skeletons (DSI), every check of these rows", part="dynamic", carrier="dsi",
                omniorb_server=OWN, java_server=OWN, tango_server=OWN, tango_client="its device has a skeleton"),
    ],
    "Valuetypes": [
        Feature("null, state, derived, shared and circular", r"(describe |echo )?(nil|\d+ .*|shared.*|a graph.*)$", part="values"),
        Feature("truncation, boxes, abstract interfaces, in Anys", r"(truncat|box|things?$|no thing|.* as a thing|a .*value in an any)", part="values"),
    ],
    "Failures": [
        Feature("user exceptions", r"raise_(user|nothing|empty|detail|renamed)$", tango=("refusals", "refusals")),
        Feature("every standard system exception, minor code, completion", r"raise_[A-Z_]+$", tango="both raise DevFailed alone"),
        Feature("unlisted and foreign exceptions, unknown operations", r"(raise_(unlisted|foreign|unknown)|unknown_operation)$",
                tango="both raise DevFailed alone"),
        Feature("a connection survives what fails", r"(connection_survives_failures|oversized_sequence)$", java_client=SHORTER,
                tango=("refusals", "refusals")),
    ],
    "References": [
        Feature("nil, foreign, nested and stringified references", r"(references|echo_(node|object|link|node_seq)|favourite|name_of|stringified)$",
                tango="its operations pass none"),
        Feature("_is_a, narrowing, _non_existent", r"(is_a|narrow|non_existent|references)$", tango=("type and existence", "names")),
        Feature("LocateRequest, answered OBJECT_HERE and UNKNOWN_OBJECT",
                r"seen: (LocateRequest of the client|(UNKNOWN_OBJECT|OBJECT_HERE) of the server)$", carrier="seen",
                omniorb_server=NO_LOCATE, java_server=NO_LOCATE, tango_server=NO_LOCATE, tango_client=UNDERNEATH,
                glassfish_client="GlassFish's client sends none"),
        Feature("location forwarding", r"location_forward$"),
        Feature("call-backs during a call", r"(call_back|poke_back)$", tango="its events are no CORBA"),
        Feature("corbaloc URLs with the key of an object", r"echo_long", carrier="corbaloc",
                glassfish_client="GlassFish writes octets beyond ASCII in such a key as UTF-8; Corbel's NameService it finds", tango=("type and existence", "names")),
        Feature("one side's naming service, the other's client", part="naming", carrier="",
                omniorbpy_server="omniORBpy has no service of its own", tango="its database is no naming service"),
    ],
    "Traffic": [
        Feature("oneways", r"oneway$"),
        Feature("1 MiB and more, lengths round every buffer", r"(large|large_.*|octet_boundaries|echo_string_large)$",
                tango=("commands, sequences", "commands")),
        Feature("more than 4 MiB", r"beyond_4_mib$", tango=UNDERNEATH),
        Feature("fragments as the peer makes them", r"seen: Fragment of the (server|client)$", carrier=r"pieces\d*|seen",
                jacorb="JacORB makes none", tango=UNDERNEATH),
        Feature("all requests and replies in fragments of 16 to 320 octets, or 1/64 of what is long", carrier="cut", tango=UNDERNEATH),
        Feature("service contexts of interceptors, both ways", r"contexts$", carrier="contexts", tango=UNDERNEATH),
        Feature("calls of several threads at the same time", r"concurrent_calls$", java_client=SHORTER,
                tango=("calls of several threads", None), tango_client="its client has one thread"),
        Feature("asynchronous calls (AMI), 1,000 in flight", part="async", omniorb_client="omniORB has no AMI", tango_server=UNDERNEATH,
                jacorb_client="not tested: its AMI is its own client's matter", glassfish_client="GlassFish has no AMI",
                tango_client="its client calls like any other"),
        Feature("servants that answer later", part="deferred", omniorb_server=OWN, java_server=OWN, tango_server=OWN, tango_client=UNDERNEATH),
    ],
    "Carriers, with every check above that is of interop.idl": [
        Feature("IIOP over IPv6", carrier="tcp6"),
        Feature("UNIX-domain sockets", carrier="unix", jacorb="JacORB has none", glassfish="GlassFish has none"),
        Feature("TLS, certificates on both sides (SSLIOP)", carrier="ssl", omniorb43="this build of it has no TLS",
                omniorbpy="this build of it has no TLS", glassfish="not tested: its TLS is the application server's"),
        Feature("bidirectional GIOP, call-backs over the client's connection", carrier="both-ways", glassfish="GlassFish has none"),
        Feature("groups: datagrams to many (MIOP)", carrier="miop", omniorb="omniORB has none", glassfish="GlassFish has none",
                jacorb="passes with living JacORBs, beside this table: `interop.jacorb.miop`"),
        Feature("compressed by both sides (ZIOP)", carrier="ziop", jacorb="JacORB has none", glassfish="GlassFish has none"),
        Feature("through corbel-bridge, bodies as they came", part="bridge", carrier=r"|1\.\d"),
        Feature("through corbel-bridge, by types (DII and DSI)", part="bridge", carrier="by-types"),
        Feature("through corbel-bridge, giop_lite on the other side", part="bridge", carrier="lite(-server)?"),
        Feature("recorded and dissected by tshark", carrier="dissect"),
    ],
}
for row in HEADINGS["Carriers, with every check above that is of interop.idl"]:
    row.why["tango"] = UNDERNEATH


class Run:
    """One test: who took part, over what, and what came of each check."""

    def __init__(self, name, passed, checks):
        self.passed, self.checks = passed, checks
        words = re.match(r"interop\.(?:([a-z]+)\.)?([a-z0-9]+)-([a-z0-9]+)(?:\.(.*))?$", name)
        self.part = (words and words[1]) or ""
        self.server, self.client, rest = (words[2], words[3], words[4] or "") if words else ("", "", "")
        self.carrier = re.sub(r"(^|[.-])\d\.\d.*$", "", rest)
        # The version that both speak; 1.2 where nothing is said.
        self.version = min(re.findall(r"\d\.\d", rest), default="1.2")

    def column(self):
        sides = {self.server: "server", self.client: "client"}
        peers = [peer for peer in PEERS if peer in sides]
        return (peers[0], sides[peers[0]]) if len(peers) == 1 and "corbel" in sides else None


def read_runs(path):
    """The runs in the file that ctest wrote."""
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        checks = {}
        for line in (case.findtext("system-out") or "").splitlines():
            word, _, rest = line.partition(" ")
            name, _, why = rest.partition(": ")
            if word in ("ok", "FAIL", "skip"):
                checks[rest if word == "ok" else name] = (word, why)
        yield Run(case.get("name"), case.get("status") == "run", checks)


def cell(feature, column, runs, notes):
    """The text of a cell, and whether all is well with it."""
    versions, names, skipped, failed = set(), set(), {}, []
    for run in runs:
        found = feature.found(run, column)
        if found is None:
            continue
        if not run.passed and not any(word == "FAIL" for word, _ in run.checks.values()):
            failed.append(run.version)  # it did not get through
        failed += [name for name, (word, _) in found.items() if word == "FAIL"]
        passed = [name for name, (word, _) in found.items() if word == "ok"]
        names.update(passed)
        if passed:
            versions.add(run.version)
        for name, (word, why) in found.items():
            if word == "skip":
                skipped.setdefault(why, {}).setdefault(name, set()).add(run.version)
    if failed:
        return "**failed**: " + ", ".join(sorted(set(failed))[:5]), False
    if not versions:
        why = feature.missing(column) or next(iter(skipped), None)
        return (why, True) if why else ("**?**", False)
    marks = "".join(f": {name.split(': code sets ')[1]}" for name in sorted(names) if ": code sets " in name)
    for why, by_name in skipped.items():
        what = ", ".join(name.removeprefix("echo_").removeprefix("raise_") for name in by_name)
        at = sorted(set().union(*by_name.values()))
        text = f"{what}{'' if set(at) == versions else ' (' + ', '.join(at) + ')'}: {why}"
        if text not in notes:
            notes.append(text)
        marks += f" [{notes.index(text) + 1}]"
    return f"{', '.join(sorted(versions))} ({len(names)}){marks}", True


def table(runs):
    """The document, and whether all is well."""
    lines, notes, well = [], [], True
    for title, rows in HEADINGS.items():
        lines += ["", f"## {title}", "", "| | " + " | ".join(map(heading, COLUMNS)) + " |", "|---" * (len(COLUMNS) + 1) + "|"]
        for feature in rows:
            cells = [cell(feature, column, runs, notes) for column in COLUMNS]
            well = well and all(fine for _, fine in cells)
            lines.append(f"| {feature.title} | " + " | ".join(text for text, _ in cells) + " |")
    lines += ["", "## What is left out, and why", ""]
    lines += [f"{index}. {text}" for index, text in enumerate(notes, 1)]
    return lines, well


PREFACE = """# What was tried with other ORBs

Made by `./dev interop`; what the peers cannot do, and how it was found, is in [interoperability](interoperability.md).

A cell says in which versions of GIOP all checks of the row passed, and (in brackets) how many there are; each runs with several
values. Versions below 1.2 are spoken where either side is held to them. JacORB and GlassFish send big endian, omniORB and Corbel what the
machine has; requests in both byte orders are also made by hand, {probes} checks against Corbel and {foreign} against omniORB.
Behind a colon: the code sets that were agreed on."""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("junit", metavar="JUNIT")
    parser.add_argument("--write", metavar="FILE", help="also write it there, if all is well")
    arguments = parser.parse_args()
    try:
        tests = list(xml.etree.ElementTree.parse(arguments.junit).getroot().iter("testcase"))
        runs = list(read_runs(arguments.junit))
    except (OSError, xml.etree.ElementTree.ParseError) as failure:
        print(f"matrix: {arguments.junit}: {failure}", file=sys.stderr)
        return 2
    probes = {case.get("name"): len(re.findall("^ok ", case.findtext("system-out") or "", re.MULTILINE)) for case in tests}
    preface = PREFACE.format(probes=probes.get("interop.corbel.probe", 0), foreign=probes.get("interop.omniorb.probe", 0))
    lines, well = table(runs)
    text = preface + "\n" + "\n".join(lines) + "\n"
    print(text)
    try:
        if arguments.write and well:
            with open(arguments.write, "w", encoding="utf-8") as file:
                file.write(text)
    except OSError as failure:
        print(f"matrix: {failure}", file=sys.stderr)
        return 2
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
