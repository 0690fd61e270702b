#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the demonstration and the laboratory on little input and checks that their --json has the one shape.

usage: check_shape.py --demo PROGRAM --bench PROGRAM
"""

import argparse
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

MACHINE = {"processor": str, "cores": int, "kernel": str, "load": (int, float), "versions": dict}
RESULT = {"suite": str, "case": dict, "metric": str, "unit": str, "value": (int, float), "min": (int, float),
          "max": (int, float), "n": int}
CONTROLLED = {"control": (int, float), "ratio": (int, float)}
COUNTS = {"instructions_per_call", "syscalls_per_call", "allocations_per_call", "bytes_per_call"}
TIMEOUT_S = 240


def expect(condition, message):
    if not condition:
        sys.exit(f"check_shape: {message}")


def check_object(value, members, where):
    expect(isinstance(value, dict), f"{where} is no object")
    expect(set(value) == set(members), f"{where} has the members {sorted(value)}, not {sorted(members)}")
    for name, kind in members.items():
        expect(isinstance(value[name], kind), f"{where}.{name} is {value[name]!r}")


def check_report(path, suite):
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    check_object(report, {"machine": dict, "results": list, "warnings": list}, "the report")
    check_object(report["machine"], MACHINE, "machine")
    expect(report["results"], "there are no results")
    for number, result in enumerate(report["results"]):
        where = f"results[{number}]"
        members = {**RESULT, **CONTROLLED} if "control" in result or "ratio" in result else dict(RESULT)
        if result["n"] >= 5 and "uncertainty" in result:
            members["uncertainty"] = (int, float)
        check_object(result, members, where)
        expect(result["suite"] == suite, f"{where}.suite is {result['suite']}")
        expect(all(isinstance(text, str) for text in result["case"].values()), f"{where}.case holds more than strings")
        expect(result["min"] <= result["value"] <= result["max"] and result["n"] >= 1, f"{where} is in disorder")
        if "ratio" in result:
            expect(math.isclose(result["ratio"], result["value"] / result["control"], rel_tol=1e-9), f"{where}.ratio")
    return report["results"]


def run(command, status=0, environment=None):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT_S, check=False, env=environment)
    expect(done.returncode == status, f"{' '.join(command)} ended with {done.returncode}, not {status}:\n{done.stdout}")
    return done.stdout


def write(folder, name, size):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(bytes(i * i % 251 for i in range(1009)) * (size // 1009) + b"x" * (size % 1009))
    return path


def check_demo(program, folder):
    files = [write(folder, "empty", 0), write(folder, "one", 1), write(folder, "some", (3 << 20) + 17),
             write(folder, "n\u00e4me", 5000)]
    path = os.path.join(folder, "demo.json")
    text = run([program, *files, "--quick", "--repeat", "1", "--json", path])
    expect("transfers arrived intact" in text, f"no verdict in\n{text}")
    cases = [result["case"] for result in check_report(path, "demo")]
    expect(any(case["orb"] == "corbel" for case in cases), "no result of corbel")
    expect("no such file" in run([program, os.path.join(folder, "missing")], status=2), "no word about a missing file")
    expect("nothing to move" in run([program, files[0]], status=2), "no word about empty files")


def check_counts(program, folder):
    path = os.path.join(folder, "counts.json")
    run([program, "counts", "--quick", "--json", path])
    results = check_report(path, "counts")
    for orb in ("raw", "corbel"):
        for side in ("client", "server"):
            found = {r["metric"] for r in results if r["case"]["orb"] == orb and r["case"]["side"] == side}
            expect(found and found <= COUNTS, f"{orb}, {side}: {found}")


def check_profile(program, folder):
    """Each side's shares are of one whole: 100 per cent of its instructions, and of its time where the clock saw any."""
    path = os.path.join(folder, "profile.json")
    run([program, "profile", "--quick", "--repeat", "1", "--only", "corbel", "--types", "struct", "--json", path])
    results = check_report(path, "profile")
    for orb in ("raw", "corbel"):
        for side in ("sender", "receiver"):
            found = [r for r in results if r["case"]["orb"] == orb and r["case"]["side"] == side]
            whole = sum(r["value"] for r in found if r["metric"] == "share_of_instructions")
            expect(math.isclose(whole, 100, rel_tol=1e-9), f"{orb}, {side}: {whole} % of the instructions")
            times = [r["value"] for r in found if r["metric"] == "share_of_time"]
            expect(not times or math.isclose(sum(times), 100, rel_tol=1e-9), f"{orb}, {side}: {sum(times)} % of the time")
    expect(any(r["case"].get("function") == "corbel::messaging::giop::GiopSession::put_request" for r in results), "no function of Corbel's")


def check_servers(program, folder):
    """Counts, not times: linear search costs more than hashing, the steps are the whole, and only the lookup differs."""
    path = os.path.join(folder, "servers.json")
    run([program, "servers", "--quick", "--repeat", "1", "--only", "corbel", "--json", path])
    results = check_report(path, "servers")

    def cost(scheme, **of):
        wanted = {"scheme": f"Corbel, {scheme}", "order": "last", "mode": "twoway", **of}
        metric = "instructions" if "step" in of else "instructions_per_call"
        return next(r["value"] for r in results if r["metric"] == metric and r["case"] == wanted)

    for scheme in ("linear search", "hashing", "direct index"):
        steps = sum(r["value"] for r in results if r["metric"] == "instructions" and r["case"]["mode"] == "twoway"
                    and r["case"]["scheme"] == f"Corbel, {scheme}")
        expect(math.isclose(steps, cost(scheme), rel_tol=1e-9), f"{scheme}: steps of {steps}, {cost(scheme)} in all")
        expect(abs(cost(scheme, step="message") / cost("hashing", step="message") - 1) < 0.1, f"{scheme}: messages cost something else")
    expect(cost("linear search") > cost("hashing") * 1.3, "linear search is as good as hashing")
    expect(cost("direct index", step="lookup") < cost("hashing", step="lookup"), "an index is no better than hashing")


# What is compared, and the least settings, of every suite that runs peers; and cases that it must have measured.
PEER_SUITES = {
    "ttcp": [{"orb": "raw", "mode": "oneway", "type": "octet"}, {"orb": "memcpy"}, {"orb": "wrappers", "mode": "twoway"},
             {"orb": "corbel", "type": "BinStruct"},
             {"orb": "wrappers", "type": "padded BinStruct"}, {"orb": "corbel", "queue": "8192", "granted": "16384/16384"},
             {"orb": "raw", "transport": "tls"}, {"orb": "corbel", "transport": "tls", "control": "raw"}, {"orb": "corbel", "placement": "one cpu"}],
    "oneways": [{"orb": "raw", "way": "100 together"}, {"orb": "corbel", "way": "100 together"}, {"orb": "corbel", "protocol": "frames"}],
    "latency": [{"orb": "raw", "loop": "closed", "waiting": "blocking"}, {"orb": "corbel", "loop": "open"}],
    "cubit": [{"orb": "corbel", "protocol": protocol, "transport": transport, "operation": operation}
              for protocol in ("giop", "giop_lite") for transport in ("tcp", "unix", "inproc")
              for operation in ("void", "octet", "struct", "union", "octets-large", "longs-small")],
    "values": [{"orb": "corbel", "operation": operation} for operation in ("octets", "string", "any", "valuetype", "future")],
    "collocated": [{"orb": "corbel", "operation": operation} for operation in ("void", "struct")],
    "networks": [{"orb": "corbel", "type": "octet"}, {"orb": "raw", "loop": "closed"}, {"orb": "corbel", "mode": "ring", "type": "char"},
                 {"orb": "raw", "transport": "udp", "mode": "oneway"}, {"orb": "raw", "transport": "udp", "payload": "8"}],
    "scale": [{"orb": "corbel", "concurrency": name, "connections": "100"} for name in ("adaptive", "pool", "single")]
             + [{"orb": "raw", "side": "client"}, {"orb": "raw", "threads": "8"}],
    "restart": [{"orb": orb, "scheme": scheme, "end": end, "client": client}
                for orb, scheme in (("raw", "connects again by hand"), ("corbel", "defaults"), ("corbel", "two servers"))
                for end in ("ends in order", "is killed") for client in ("calls on", "waits")],
    "fanout": [{"orb": "corbel", "concurrency": name, "connections": "1000"} for name in ("adaptive", "pool", "single")]
              + [{"orb": "raw", "concurrency": name, "threads": "64"} for name in ("thread per connection", "poll", "epoll")]
              + [{"orb": "corbel", "concurrency": "pool", "idle": "1000"}],
}


def check_peer_suites(program, folder):
    for suite, wanted in PEER_SUITES.items():
        path = os.path.join(folder, f"{suite}.json")
        run([program, suite, "--quick", "--repeat", "1", "--only", "corbel,wrappers", "--json", path])
        cases = [result["case"] for result in check_report(path, suite)]
        for case in wanted:
            expect(any(case.items() <= found.items() for found in cases), f"{suite} has no result of {case}")
    path = os.path.join(folder, "cut.json")
    expect("OUT OF TIME: ttcp" in run([program, "ttcp", "--quick", "--repeat", "1000", "--budget", "1", "--json", path], status=3),
           "no word about the end of the time")
    expect(os.path.exists(path), "no figures of what was measured until the time was over")
    path = os.path.join(folder, "chosen.json")
    run([program, "ttcp", "--quick", "--repeat", "1", "--only", "corbel", "--transport", "unix", "--mode", "ring", "--json", path])
    chosen = {(r["case"]["transport"], r["case"]["mode"]) for r in check_report(path, "ttcp") if r["case"]["orb"] != "memcpy"}
    expect(chosen == {("unix", "ring")}, f"--transport and --mode chose {chosen}")
    expect("oneway alone" in run([program, "networks", "--transport", "udp", "--mode", "ring"], status=1), "no word about rings of datagrams")
    run([program, "networks", "--quick", "--repeat", "1", "--only", "corbel", "--network", "Ethernet", "--types", "octet", "--buffers", "4096",
         "--queue", "8192", "--no-delay", "off", "--json", path])
    chosen = {(r["case"]["queue"], r["case"].get("no_delay")) for r in check_report(path, "networks") if "buffer" in r["case"]}
    expect(chosen == {("8192", "off")}, f"--queue and --no-delay chose {chosen}")
    expect("corbel: found" in run([program, "--peers"]), "--peers does not list corbel")


def check_lines(program, folder):
    """Counts, not times: giop_lite's void calls take fewer octets than giop's, and ZIOP's calls with a log fewer than half."""
    path = os.path.join(folder, "lines.json")
    text = run([program, "lines", "--quick", "--only", "corbel", "--network", "Ethernet", "--payload", "0,1024", "--json", path])
    if "Nothing is measured" in text:
        return
    octets = {(r["case"]["protocol"], r["case"]["mode"], r["case"]["octets"]): r["value"] for r in check_report(path, "lines")
              if r["metric"] == "octets_per_call"}
    expect(octets["giop_lite", "twoway", "0"] < octets["giop", "twoway", "0"] - 40, f"giop_lite saves nothing: {octets}")
    expect(("frames", "oneway", "64") in octets and ("none", "twoway", "8") in octets, f"lines: {octets}")
    if "without ZIOP" not in text:
        expect(octets["ziop", "twoway", "1024"] < octets["giop", "twoway", "1024"] / 2, f"ZIOP saves nothing: {octets}")


def check_predictability(program, folder):
    path = os.path.join(folder, "predictability.json")
    run([program, "predictability", "--quick", "--repeat", "1", "--json", path])
    results = check_report(path, "predictability")
    for scheme in ("one pool", "lanes"):
        for clients in ("0", "1", "5", "10", "25", "50"):
            found = {r["metric"]: r["value"] for r in results if r["case"]["scheme"] == scheme and r["case"]["clients"] == clients}
            expect(set(found) == {"latency_p50", "latency_p99", "latency_max", "jitter", "low_calls"}, f"{scheme}, {clients}: {found}")
            expect((found["low_calls"] > 0) == (clients != "0"), f"{scheme}: {clients} clients made {found['low_calls']} calls/s")


def check_analysis(program, folder):
    """What is made of figures: streams of 100 Mbit/s at best, with 10 us for each message."""
    streams = os.path.join(folder, "streams.json")
    results = [{"suite": "ttcp", "case": {"orb": "raw", "protocol": "none", "transport": "tcp", "type": "octet", "buffer": str(size)},
                "metric": "throughput", "unit": "Mbit/s", "value": rate, "min": rate, "max": rate, "n": 1}
               for size in (1024, 4096, 16384) for rate in (8 * size / (10 + 0.08 * size),)]
    with open(streams, "w", encoding="utf-8") as file:
        json.dump({"machine": {"processor": "p", "cores": 1, "kernel": "k", "load": 0, "versions": {}}, "results": results}, file)
    path = os.path.join(folder, "model.json")
    run([program, "model", streams, "--json", path])
    found = {result["metric"]: result["value"] for result in check_report(path, "model")}
    expect(math.isclose(found["r_max"], 100) and math.isclose(found["b0"], 10), f"the model says {found}")
    expect("three sizes" in run([program, "model", path], status=1), "no word about a model without streams")
    run([program, "report", streams, path, "--output", os.path.join(folder, "report")])
    for name, text in (("report.html", '<section id="ttcp">'), ("report.md", "## Streams of user data")):
        with open(os.path.join(folder, "report", name), encoding="utf-8") as file:
            expect(text in file.read(), f"{name} has no streams")


def check_whole_run(program, folder):
    """A run that was broken off goes on with the suites that are missing, and says how long that takes."""
    path = os.path.join(folder, "whole")
    os.mkdir(path)
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "suites", "main.cpp"), encoding="utf-8") as file:
        suites = re.findall(r'{"([a-z]+)", [0-9]+, [1-9]', file.read())
    there = os.path.join(folder, "streams.json")
    for suite in suites:
        if suite not in ("collocated", "model", "report"):
            shutil.copy(there, os.path.join(path, f"{suite}.json"))
    with open(os.path.join(path, "collocated.json"), "w", encoding="utf-8") as file:
        json.dump({"machine": {"processor": "p", "cores": 1, "kernel": "k", "load": 0, "versions": {}}, "results": [], "warnings": ["ended early: x"]}, file)
    text = run([program, "--continue", path, "--only", "corbel"], environment={**os.environ, "PATH": folder})  # counts nothing
    expect(re.search("This takes about [12] minutes", text) and "== collocated" in text and "== ttcp" not in text, f"--continue said {text}")
    cases = check_report(os.path.join(path, "collocated.json"), "collocated")
    expect(all(r["n"] >= 5 for r in cases if r["metric"] == "time_per_call"), "a brief run has fewer than five samples")
    for name in ("model.json", "report.html"):
        expect(os.path.exists(os.path.join(path, name)), f"no {name} of a run that went on")


def check_figures(folder):
    """A run becomes the reference of the documentation; a table that says something else is noticed."""
    script = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "figures.py")]
    root = os.path.join(folder, "root")
    os.makedirs(os.path.join(root, "docs"))
    page = os.path.join(root, "docs", "page.md")
    for path in (page, os.path.join(root, "README.md")):
        with open(path, "w", encoding="utf-8") as file:
            file.write("before\n<!-- figures collocated -->\nold\n<!-- end -->\nafter\n")
    run([*script, root, "--check"], status=77)
    run([*script, root, "--take", os.path.join(folder, "whole")])
    with open(page, encoding="utf-8") as file:
        text = file.read()
    expect(re.fullmatch(r"before\n<!-- figures collocated -->\n\| call.*\n\|---.*\n\| void, Corbel.*\n\| struct, Corbel.*\n<!-- end -->\nafter\n", text), text)
    expect(os.path.exists(os.path.join(root, "docs", "reference.md")), "no page of the reference run")
    run([*script, root, "--check"])
    with open(page, "w", encoding="utf-8") as file:
        file.write(text.replace("void, Corbel", "void, somebody"))
    expect("page.md" in run([*script, root, "--check"], status=1), "a table that was changed by hand is not noticed")


def check_then_and_now(program, folder):
    """The chart in docs/ is what the report makes of the figures beside it."""
    docs = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs")
    run([program, "report", os.path.join(docs, "then-and-now.json"), "--output", os.path.join(folder, "then")])
    for name in ("then-and-now.svg", "then-and-now.json"):
        with open(os.path.join(docs, name), encoding="utf-8") as there, open(os.path.join(folder, "then", name), encoding="utf-8") as here:
            expect(there.read() == here.read(), f"docs/{name} is not what the report makes of docs/then-and-now.json")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--demo", required=True)
    parser.add_argument("--bench", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        check_demo(arguments.demo, folder)
        check_analysis(arguments.bench, folder)
        check_whole_run(arguments.bench, folder)
        check_figures(folder)
        check_then_and_now(arguments.bench, folder)
        check_peer_suites(arguments.bench, folder)
        check_lines(arguments.bench, folder)
        check_predictability(arguments.bench, folder)
        if shutil.which("valgrind"):
            check_counts(arguments.bench, folder)
            check_profile(arguments.bench, folder)
            check_servers(arguments.bench, folder)


if __name__ == "__main__":
    main()
