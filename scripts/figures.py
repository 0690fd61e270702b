#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the figures of the reference run (docs/reference.json.gz) into the tables of the documentation.

usage: figures.py ROOT [--take FOLDER | --check]

A table stands between `<!-- figures NAME -->` and `<!-- end -->`; NAMES below says which there are. --take makes the figures that
`./dev bench` left in FOLDER the reference. --check changes nothing: status 1 if a table is not what the figures say, 77 if there is
no reference.
"""

import argparse
import glob
import gzip
import json
import os
import re
import shutil
import statistics
import sys

import figure_tables as tables
import figure_tables_more as more

BLOCK = re.compile(r"(<!-- figures ([a-z0-9-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
REFERENCE = "reference.json.gz"
PAGE = "docs/reference.md"
SECTIONS = [
    ("What a void call costs, counted", "counts", tables.counts),
    ("Latency on one processor, p50, us", "latency-one", lambda f: tables.latency(f, "one cpu")),
    ("Latency between two processors, p50, us", "latency-two", lambda f: tables.latency(f, "two cpus", spinning=True)),
    ("Latency between two processors, p99, us", "latency-tail", lambda f: tables.latency(f, "two cpus", "latency_p99")),
    ("Small oneway calls, a second", "oneways", more.oneways),
    ("Streams between two processors, in buffers of 1 / 8 / 32 / 128 KiB, Mbit/s", "streams-two", lambda f: tables.streams(f, "two cpus")),
    ("Streams on one processor, the same", "streams-one", lambda f: tables.streams(f, "one cpu")),
    ("Two-way streams between two processors, the same", "streams-twoway", lambda f: tables.streams(f, "two cpus", "twoway", True)),
    ("Streams whose data come back, between two processors, the same", "streams-ring", lambda f: tables.streams(f, "two cpus", "ring")),
    ("1995a, figures 1 to 3 and tables 1 and 2: ATM", "queues-atm", lambda f: tables.queues(f, "ATM 155 Mb/s")),
    ("1995a, the same: Ethernet", "queues-ethernet", lambda f: tables.queues(f, "Ethernet 10 Mb/s")),
    ("1996a, figures 1 and 2, tables 1 and 2", "nasa", tables.nasa),
    ("1996a, t_0", "t0", tables.trips),
    ("1996a, table 3, in buffers of 16 KiB", "round-trips", tables.round_trips),
    ("1996b, table 1: ATM", "types-atm", lambda f: tables.types(f, "networks", "65536", network="ATM 155 Mb/s")),
    ("1996b, table 1: loopback", "types-loopback", lambda f: tables.types(f, "ttcp", placement="two cpus")),
    ("1996b, tables 2 and 3", "profile", more.profile),
    ("1996b, tables 4 to 10", "servers", more.servers),
    ("1996b, the lookup alone", "lookups", more.lookups),
    ("2001, figure 6", "gathering", more.gathering),
    ("2001, figure 16: gains", "gains", more.gains),
    ("2001, figure 16: calls on one processor", "cubit", tables.cubit),
    ("2001, tables 1 and 2", "layers", more.layers),
    ("2001, figure 18", "bars", more.bars),
    ("2001, figure 19", "sizes", more.sizes),
    ("What applications pass around", "values", more.applications),
    ("Calls within one process", "collocated", lambda f: more.applications(f, "collocated")),
    ("Marshalling", "marshalling", more.marshalling),
    ("Thin and long lines", "lines", more.lines),
    ("Many threads", "threads", more.threads),
    ("Many connections", "connections", more.connections),
    ("Many connections at work", "fanout", more.fanout),
    ("The least programs", "smallest", more.smallest),
    ("A server that comes back", "restart", more.restart),
    ("High priority against low, us", "predictability", more.predictability),
    ("Compiling generated code", "compiling", more.compiling),
]


def machine(f):
    of = f.machine
    versions = of["versions"]
    peers = [f"{name} {version}" for name, version in sorted(versions.items())
             if version != "absent" and name not in ("corbel", "compiler", "flags", "commit", "taken")]
    return [f"{of['processor']}, {of['cores']} processors, {of['kernel']}, {versions.get('compiler', '?')} {versions.get('flags', '')}; "
            f"Corbel {versions['corbel']} ({versions.get('commit', 'no commit')}), taken on {versions.get('taken', '?')}; other programs took "
            f"up to {of['load']:.1f} processors. Beside it: {', '.join(peers)}."]


def warnings(f):
    doubted = sum(1 for one in f.results if "control" in one and f.doubted(one))
    compared = sum(1 for one in f.results if "control" in one)
    busy = [text.split(": ")[0] for text in f.warnings if ": other programs took" in text]
    lines = [f"- {text}" for text in f.warnings if ": other programs took" not in text]
    samples = [one["n"] for one in f.results if "control" in one]
    if samples and statistics.median(samples) < 5:
        lines.insert(0, f"- A case was measured {statistics.median(samples):g} times as a rule, as with `--quick`, not five times at least: this is a first picture.")
    if busy:
        lines.insert(0, f"- Other programs wanted a processor during {', '.join(busy)}: trust ratios there, not times.")
    return lines + [
        f"- {doubted:,} of {compared:,} figures with a control stand beside raw sockets that varied by more than a quarter: they have a question mark."]


NAMES = {"headline": tables.headline, "machine": machine, "warnings": warnings, **{name: make for _, name, make in SECTIONS}}


def rounded(value):
    return float(f"{value:.5g}") if isinstance(value, float) else value


def take(folder, path):
    """One report of all the files of a run. Suites in order of the alphabet, so that the same run gives the same octets."""
    whole = None
    for name in sorted(glob.glob(os.path.join(folder, "*.json"))):
        with open(name, encoding="utf-8") as file:
            one = json.load(file)
        if os.path.basename(name) == "then-and-now.json" or "results" not in one:
            continue
        suite = one["results"][0]["suite"] if one["results"] else os.path.basename(name)[:-5]
        whole = whole or {"machine": one["machine"], "results": [], "warnings": []}
        whole["machine"]["load"] = max(whole["machine"]["load"], one["machine"]["load"])
        whole["machine"]["versions"] = {**one["machine"]["versions"], **whole["machine"]["versions"]}
        whole["warnings"] += [f"{suite}: {text}" for text in one.get("warnings", [])]
        for result in one["results"]:
            whole["results"].append({key: rounded(value) for key, value in result.items() if key != "ratio"})
    if not whole or not whole["results"]:
        sys.exit(f"figures.py: no figures in {folder}")
    lines = ",\n".join(json.dumps(one, separators=(",", ":"), sort_keys=True) for one in whole.pop("results"))
    text = json.dumps(whole, separators=(",", ":"), sort_keys=True)[:-1] + ',"results":[\n' + lines + "\n]}\n"
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        packed.write(text.encode())


def page():
    text = ["# The reference run\n", "Made by `./dev bench publish FOLDER` from one run of all suites (`./dev bench --output FOLDER`) on an otherwise idle machine, by nobody's hand. The",
            f"figures themselves are in `{REFERENCE}` beside this page (`gunzip -c` gives what `./dev bench report` draws with charts); [experiments](experiments.md) says what each table of the",
            "papers is, [performance](performance.md) what the figures mean. Columns beside raw sockets are multiples of the raw sockets' figure in the same row (more is",
            "better of rates, less of times); a question mark: the raw sockets varied too much for that. Nothing stands where nothing was measured.\n",
            "<!-- figures machine -->\n(There is no reference run yet.)\n<!-- end -->\n", "<!-- figures warnings -->\n<!-- end -->\n"]
    for title, name, _ in SECTIONS:
        text += [f"## {title}\n", f"<!-- figures {name} -->\n<!-- end -->\n"]
    return "\n".join(text)


def rewritten(text, figures, path):
    def fresh(block):
        if block.group(2) not in NAMES:
            sys.exit(f"figures.py: {path}: there is no table '{block.group(2)}'")
        lines = NAMES[block.group(2)](figures)
        return block.group(1) + "".join(f"{line}\n" for line in lines or ["(The reference run has none of these figures.)"]) + block.group(3)

    return BLOCK.sub(fresh, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--take")
    what.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    docs = os.path.join(arguments.root, "docs")
    if arguments.take:
        take(arguments.take, os.path.join(docs, REFERENCE))
        for name in ("then-and-now.svg", "then-and-now.json"):
            if os.path.exists(os.path.join(arguments.take, name)):
                shutil.copy(os.path.join(arguments.take, name), docs)
    if not os.path.exists(os.path.join(docs, REFERENCE)):
        print("figures.py: there is no reference run in docs/")
        return 77
    with gzip.open(os.path.join(docs, REFERENCE), "rt", encoding="utf-8") as file:
        figures = tables.Figures(json.load(file))
    stale = []
    for name in [os.path.join(arguments.root, "README.md")] + sorted(set(glob.glob(os.path.join(docs, "*.md"))) | {os.path.join(arguments.root, PAGE)}):
        there = open(name, encoding="utf-8").read() if os.path.exists(name) else ""
        text = rewritten(page() if name.endswith(PAGE) else there, figures, name)
        if text == there:
            continue
        stale.append(name)
        if not arguments.check:
            with open(name, "w", encoding="utf-8") as file:
                file.write(text)
    for name in stale:
        print(f"{name}: " + ("a table is not what docs/" + REFERENCE + " says: ./dev bench publish" if arguments.check else "written"))
    return 1 if stale and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
