# SPDX-License-Identifier: Apache-2.0
"""More of figure_tables.py: what is measured beyond streams, calls and networks."""

from figure_tables import name_of, table, text_of

MESSAGING = {"request header", "marshal", "unmarshal", "framing", "reply header", "reply header and marshal"}
ADAPTER = {"transport send", "wait and receive", "transport adapter"}


def gains(f):
    """Figure 16 of 2001: calls a second of all operations, per cent more."""
    changes = [("local sockets instead of tcp (2001: 20 to 50)", ("giop", "unix"), ("giop", "tcp")),
               ("giop_lite over tcp (0.36 to 4.74, mean 2.74)", ("giop_lite", "tcp"), ("giop", "tcp")),
               ("giop_lite over local sockets (0.37 to 5.29, mean 3.26)", ("giop_lite", "unix"), ("giop", "unix"))]
    rows = []
    for placement in ("one cpu", "two cpus"):
        for words, new, old in changes:
            found = []
            for one in f.all("cubit", "calls", orb="corbel", placement=placement, protocol=new[0], transport=new[1]):
                other = f.value("cubit", "calls", ("corbel", old[0]), placement=placement, transport=old[1], operation=one["case"]["operation"])
                if other:
                    found.append(100 * (one["value"] / other - 1))
            if found:
                rows.append([f"{words}, {placement}"] + [f"{x:.1f}" for x in (min(found), max(found), sum(found) / len(found))])
    return table(["per cent", "least", "most", "mean"], rows)


def layers(f):
    """Tables 1 and 2 of 2001: us of a void call, by layer."""
    rows = []
    for side in ("client", "server"):
        for one in f.all("whitebox", "layer_time", side=side, type="void", transport="tcp", protocol="giop"):
            local = f.value("whitebox", "layer_time", ("corbel", "giop"), side=side, type="void", transport="unix", layer=one["case"]["layer"])
            rows.append([f"{side}, {one['case']['layer']}", f"{one['value']:.3f}", f"{local:.3f}" if local is not None else ""])
    return table(["us", "tcp", "unix"], rows)


def bars(f):
    """Figure 18 of 2001: a void call, both sides. While the client waits the server works: that part is not the system's."""
    rows = []
    for transport in ("tcp", "unix"):
        for protocol in ("giop", "giop_lite"):
            sums = {}
            for one in f.all("whitebox", "layer_time", protocol=protocol, transport=transport, type="void"):
                layer, side = one["case"]["layer"], one["case"]["side"]
                kind = "system" if layer.startswith("system ") else "messaging" if layer in MESSAGING else "adapter" if layer in ADAPTER else "ORB"
                sums[side, kind] = sums.get((side, kind), 0) + one["value"]
            parts = [sum(sums.get((side, kind), 0) for side in ("client", "server")) for kind in ("messaging", "adapter", "ORB")]
            system = sums.get(("client", "system"), 0) - sum(sums.get(("server", kind), 0) for kind in ("messaging", "adapter", "ORB"))
            if system > 0:
                whole = f.value("whitebox", "call_time", ("corbel", protocol), transport=transport, type="void")
                rows.append([f"{protocol}, {transport}"] + [f"{x:.2f}" for x in parts + [system, sum(parts) + system]] + [text_of(whole)])
    return table(["us", "messaging", "transport adapter", "ORB", "system", "sum", "whole call, with the probes"], rows)


def sizes(f):
    """Figure 19 of 2001: what the ORB and the system take of calls with more and more octets."""
    rows = []
    for transport in ("tcp", "unix"):
        for octets in sorted({int(one["case"]["octets"]) for one in f.all("whitebox", "layer_time", type="octet", transport=transport)}):
            found = f.all("whitebox", "layer_time", type="octet", transport=transport, protocol="giop", octets=str(octets))
            orb = sum(one["value"] for one in found if not one["case"]["layer"].startswith("system "))
            client = sum(one["value"] for one in found if one["case"]["side"] == "client")
            rows.append([f"{transport}, {octets:,} octets", f"{orb:.2f}", f"{client - orb:.2f}"])
    return table(["us of both sides", "ORB", "system"], rows)


def servers(f):
    """Tables 4 to 10 of 1996b: a server's instructions for one of 100 operations; a client's time for 1,000 times 100 calls."""
    rows = []
    for scheme in dict.fromkeys(one["case"]["scheme"] for one in f.results if one["suite"] == "servers"):
        cells = [text_of(f.value("servers", "instructions_per_call", scheme=scheme, order=order, mode="twoway")) for order in ("first", "last")]
        cells.append(text_of(f.value("servers", "instructions", scheme=scheme, order="last", mode="twoway", step="lookup")))
        cells += [text_of(f.value("servers", "time", scheme=scheme, mode=mode, iterations="1000")) for mode in ("twoway", "oneway")]
        depths = [f.value("servers", "instructions_by_depth", scheme=scheme, depth=depth) for depth in ("1", "64")]
        rows.append([scheme] + cells + [" to ".join(text_of(one) for one in depths) if None not in depths else ""])
    return table(["server", "first operation, instructions", "last", "of that the lookup", "two-way, ms", "oneway, ms", "adapters 1 to 64 deep, instructions"], rows)


def lookups(f):
    schemes = list(dict.fromkeys(one["case"]["scheme"] for one in f.results if one["suite"] == "demux"))
    rows = []
    for what in ("operation", "object"):
        for entries in ("1", "100", "10000", "1000000"):
            rows.append([f"{what}, one of {int(entries):,}"] +
                        [text_of(f.value("demux", "time", what=what, entries=entries, order="random", scheme=scheme)) for scheme in schemes])
    return table(["ns, any of them"] + schemes, rows)


def profile(f):
    """Tables 2 and 3 of 1996b: what 64 MiB of structs in buffers of 128 KiB cost each side."""
    rows = []
    for who in f.who("profile"):
        for side in ("sender", "receiver"):
            of = {"side": side, "type": "BinStruct"}
            user, system = (f.value("profile", metric, who, **of) for metric in ("user_time", "system_time"))
            shares = [one for one in f.all("profile", "share_of_instructions", orb=who[0], protocol=who[1], **of)]
            top = max(shares, key=lambda one: one["value"], default=None)
            whole = sum(one["value"] for one in f.all("profile", "instructions", orb=who[0], protocol=who[1], **of))
            rows.append([f"{name_of(who)}, {side}", text_of(user), text_of(system), f"{whole / 1e6:,.2f}" if whole else "",
                         f"`{top['case']['function'][:60]}` {top['value']:.0f} %" if top else ""])
    return table(["64 MiB of BinStructs", "user ms", "system ms", "million instructions", "of these most in"], rows)


def oneways(f):
    rows = [(f"{transport}, {way}", {"transport": transport, "way": way}) for transport in ("tcp", "unix", "shm", "udp")
            for way in ("each by itself", "100 together", "two-way, void")]
    return f.beside_raw("oneways", "rate", rows)


def predictability(f):
    rows = []
    for clients in ("0", "1", "5", "10", "25", "50"):
        found = [f.find("predictability", metric, scheme=scheme, clients=clients) for scheme in ("one pool", "lanes")
                 for metric in ("latency_p50", "latency_p99", "latency_max", "jitter")]
        rows.append([clients] + [f"{one['value']:,.0f}" if one else "" for one in found])
    return table(["low clients", "one pool: p50", "p99", "max", "jitter", "lanes: p50", "p99", "max", "jitter"], rows)


def applications(f, suite="values"):
    """What a call costs, with its client's and server's instructions and allocations."""
    rows = []
    for one in f.results:
        if one["suite"] != suite or one["metric"] != "time_per_call":
            continue
        of = {key: one["case"][key] for key in ("orb", "protocol", "transport", "operation")}
        sides = [[f.value(suite, metric, side=side, **of) for side in ("client", "server")] for metric in ("instructions_per_call", "allocations_per_call")]
        shown = [" / ".join(text_of(x) for x in pair if x is not None) for pair in sides]
        rows.append([f"{of['operation']}, {name_of((of['orb'], of['protocol']))}", text_of(one["value"])] + shown)
    return table(["call", "us", "instructions client / server", "allocations"], rows)


def compiling(f):
    rows = []
    for one in f.all("compile", "compile_time"):
        of = one["case"]
        size = next((x["value"] for x in f.all("compile", "object_size") if all(x["case"][key] == of[key] for key in ("interface", "part", "by"))), None)
        rows.append([f"{of['interface']}, {of['part']}, {of['by']}", text_of(one["value"]), text_of(size)])
    return table(["interface, by", "s to compile", "octets"], rows)


def marshalling(f):
    rows = []
    for direction in ("encode", "decode"):
        for kind in ("BinStruct sequence", "string list", "tree of structs"):
            found = {one["case"]["by"]: one["value"] for one in f.all("micro", "instructions", direction=direction, type=kind)}
            rows.append([f"{direction}, {kind}"] + [text_of(found.get(by)) for by in ("Corbel", "hand-written")] +
                        [text_of(next((value for by, value in found.items() if by.startswith("omniORB")), None))])
    return table(["instructions an element", "Corbel", "by hand", "omniORB"], rows)


def gathering(f):
    """Figure 6 of 2001: from how many octets on to gather instead of to copy."""
    rows = []
    for payload in sorted({int(one["case"]["payload"]) for one in f.all("micro", "time", by="copied")}):
        cells = []
        for direction in ("send", "call"):
            copied, gathered = (f.value("micro", "time", by=by, direction=direction, payload=str(payload)) for by in ("copied", "gathered"))
            cells.append(f"{gathered / copied:.2f}" if copied and gathered else "")
        rows.append([f"{payload:,} octets"] + cells)
    return table(["time gathered, by copied", "a message there and back", "whole calls"], rows)


def lines(f):
    rows = []
    for one in f.results:
        if one["suite"] != "lines" or one["metric"] not in ("latency_p50", "time_per_call"):
            continue
        of = one["case"]
        octets = next((x["value"] for x in f.all("lines", "octets_per_call") if all(of[key] == x["case"][key] for key in x["case"])), None)
        rows.append([f"{of['network']}, {of['mode']} with {of['octets']} octets, {name_of((of['orb'], of['protocol']))}", text_of(one["value"] / 1000), text_of(octets)])
    return table(["line, call", "ms", "octets on the line"], rows)


def threads(f):
    rows = []
    for of in dict.fromkeys((one["case"]["orb"], one["case"]["protocol"], one["case"]["concurrency"]) for one in f.all("scale", "calls") if "threads" in one["case"]):
        rows.append([f"{name_of(of[:2])}, {of[2]}"] + [text_of(f.value("scale", "calls", of[:2], concurrency=of[2], threads=count)) for count in ("1", "4", "16", "64")])
    return table(["calls/s by threads of a client", "1", "4", "16", "64"], rows)


def connections(f):
    rows = []
    for of in dict.fromkeys((one["case"]["orb"], one["case"]["protocol"], one["case"]["concurrency"]) for one in f.all("scale", "memory_per_connection")):
        cells = [f.value("scale", metric, of[:2], concurrency=of[2], connections="10000") for metric in ("memory_per_connection", "connect_time", "calls")]
        rows.append([f"{name_of(of[:2])}, {of[2]}"] + [text_of(x) for x in cells])
    return table(["10,000 connections", "octets each", "us to connect and call", "calls/s in turn"], rows)


def smallest(f):
    rows = []
    for one in f.all("scale", "start_time"):
        of = {"orb": one["case"]["orb"], "side": one["case"]["side"]}
        found = [f.value("scale", metric, **of) for metric in ("exclusive_memory", "program_size", "program_and_libraries_size")]
        rows.append([f"{of['orb']}, {of['side']}", text_of(one["value"] / 1000)] + [text_of(x / 1024) if x else "" for x in found])
    return table(["least program", "ms to start", "KiB of its own memory", "KiB program", "with libraries"], rows)


def fanout(f):
    rows = []
    for of in dict.fromkeys((one["case"]["orb"], one["case"]["protocol"], one["case"]["concurrency"]) for one in f.results if one["suite"] == "fanout"):
        cells = []
        for metric in ("client_instructions", "server_instructions", "server_instructions_to_find"):
            found = [f.value("fanout", metric, of[:2], concurrency=of[2], connections=count) for count in ("1", "64", "1000")]
            cells.append(" / ".join(text_of(x) for x in found) if any(x is not None for x in found) else "")
        idle = f.all("fanout", "processor_time", orb=of[0], protocol=of[1], concurrency=of[2])
        rows.append([f"{name_of(of[:2])}, {of[2]}"] + cells + [text_of(idle[0]["value"]) if idle else ""])
    return table(["1 / 64 / 1,000 connections", "client's instructions", "server's", "of them to find who has octets", "us/s with 10,000 idle"], rows)


def restart(f):
    rows = []
    for of in dict.fromkeys((one["case"]["orb"], one["case"]["scheme"], one["case"]["end"]) for one in f.all("restart", "first_good_call")):
        cells = []
        for client in ("calls on", "waits"):
            case = {"orb": of[0], "scheme": of[1], "end": of[2], "client": client}
            time, failed = f.value("restart", "first_good_call", **case), f.value("restart", "failed_calls", **case)
            cells.append(f"{text_of(time / 1000)} ({failed:.0f})" if time is not None and failed is not None else "")
        rows.append([", ".join(of)] + cells)
    return table(["ms to the first good call (failed calls)", "a client that calls on", "one that waits"], rows)
