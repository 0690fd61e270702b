# SPDX-License-Identifier: Apache-2.0
"""The tables that figures.py puts into the documentation: each a function of the figures, which gives the lines of a Markdown table."""

RAW = ("raw", "none")
OURS = ("corbel", "giop")
NAMES = {"raw": "raw sockets", "wrappers": "wrapper facades", "corbel": "Corbel"}
SPECIAL = {("raw", "spin"): "raw sockets that spin", ("corbel", "giop-spin"): "Corbel giop, `-ORBSpin`", ("corbel", "giop-lent"): "Corbel giop, lent memory"}


def name_of(who):
    orb, protocol = who
    if who in SPECIAL:
        return SPECIAL[who]
    name = NAMES.get(orb, " ".join(orb.rsplit("-", 1)))
    return name if protocol == "none" or (protocol == "giop" and orb != "corbel") else f"{name} {protocol}"


def text_of(value):
    """Three digits or more, thousands apart."""
    if value is None:
        return ""
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:,.{digits}f}"


def table(heads, rows):
    rows = [row for row in rows if any(row[1:])]
    kept = [0] + [i for i in range(1, len(heads)) if any(row[i] for row in rows)]
    lines = ["| " + " | ".join(row[i] for i in kept) + " |" for row in [heads] + rows]
    return lines[:1] + ["|" + "---|" * len(kept)] + lines[1:] if rows else []


class Figures:
    """The figures of a run, by suite and metric."""

    def __init__(self, report):
        self.machine, self.warnings, self.results = report["machine"], report["warnings"], report["results"]
        self.by_metric = {}
        self.spreads = {}
        for one in self.results:
            self.by_metric.setdefault((one["suite"], one["metric"]), []).append(one)
            if (one["case"].get("orb"), one["case"].get("protocol", "none")) == RAW and one["value"] > 0:
                spread = 2 * one["uncertainty"] if "uncertainty" in one else (one["max"] - one["min"]) / one["value"]
                key = self.common(one)
                self.spreads[key] = max(spread, self.spreads.get(key, 0))

    @staticmethod
    def common(one):
        return (one["suite"], one["metric"]) + tuple(sorted(
            pair for pair in one["case"].items() if pair[0] not in ("orb", "protocol", "concurrency", "waiting", "scheme", "by", "control")))

    def doubted(self, one):
        """The raw sockets beside it varied by more than a quarter."""
        return self.spreads.get(self.common(one), 0) > 0.25

    def all(self, suite, metric, **of):
        wanted = of.items()
        return [one for one in self.by_metric.get((suite, metric), []) if wanted <= one["case"].items()]

    def find(self, suite, metric, who=None, **of):
        if who:
            of |= {"orb": who[0], "protocol": who[1]}
        found = self.all(suite, metric, **of)
        return found[0] if found else None

    def value(self, suite, metric, who=None, **of):
        found = self.find(suite, metric, who, **of)
        return found["value"] if found else None

    def who(self, suite, spinning=False):
        """Who takes part in a suite: sockets, wrappers, RPC, Corbel, other ORBs."""
        found = {(one["case"]["orb"], one["case"].get("protocol", "none")) for one in self.results if one["suite"] == suite and "orb" in one["case"]}
        found = {who for who in found if who[0] != "memcpy" and (spinning or not who[1].endswith("spin"))}
        order = ["raw", "wrappers", "ONC", "corbel", "omniORB"]
        return sorted(found, key=lambda who: (next((i for i, name in enumerate(order) if who[0].startswith(name)), 9), who[0], who[1]))

    def cell(self, one, ratio):
        """A figure, or what multiple of its control's it is; a question mark where the control varied too much."""
        if one is None:
            return ""
        text = f"{one['value'] / one['control']:.2f}" if ratio and "control" in one else text_of(one["value"])
        return text + (" ?" if self.doubted(one) else "")

    def cells(self, suite, metric, who, of, points):
        """"1,234 / 2,345 ?" for a list of what is added to the case."""
        found = [self.cell(self.find(suite, metric, who, **{**of, **more}), who != RAW) for more in points]
        return " / ".join(one or "-" for one in found) if any(found) else ""

    def beside_raw(self, suite, metric, rows, points=({},), spinning=False):
        """A row for each (name, case), a column for each mechanism: the raw sockets' figures, multiples of them for the others."""
        whos = self.who(suite, spinning)
        return table([""] + [name_of(who) for who in whos],
                     [[name] + [self.cells(suite, metric, who, of, points) for who in whos] for name, of in rows])


def counts(f):
    rows = []
    for transport in ("tcp", "unix", "shm", "udp"):
        def pair(metric, who):
            sides = [f.value("counts", metric, who, transport=transport, side=side) for side in ("client", "server")]
            return None if None in sides else sides
        base = next((sum(pair("instructions_per_call", who)) for who in f.who("counts")
                     if who[0].startswith("omniORB") and pair("instructions_per_call", who)), None)
        for who in f.who("counts"):
            instructions = pair("instructions_per_call", who)
            if not instructions:
                continue
            cells = [f"{instructions[0]:,.0f} / {instructions[1]:,.0f}", f"{sum(instructions) / base:.2f}" if base else ""]
            for metric, digits in (("syscalls_per_call", 2), ("allocations_per_call", 2), ("bytes_per_call", 0)):
                found = pair(metric, who)
                cells.append(" / ".join(f"{abs(side):.{digits}f}" for side in found) if found else "")  # less than nothing is chance
            rows.append([f"{transport}, {name_of(who)}"] + cells)
    return table(["", "instructions client / server", "both, by omniORB's", "system calls", "allocations", "octets sent"], rows)


def latency(f, placement, metric="latency_p50", spinning=False):
    rows = []
    for transport in ("tcp", "unix", "shm", "udp"):
        for payload in ("0", "1024", "65536"):
            for loop, words in (("closed", "back to back"), ("open", "at fixed times")):
                what = "void" if payload == "0" else f"{int(payload):,} octets"
                rows.append((f"{transport}, {what}, {words}", {"transport": transport, "placement": placement, "loop": loop, "payload": payload}))
    return f.beside_raw("latency", metric, rows, spinning=spinning)


def streams(f, placement, mode="oneway", spinning=False):
    rows = [(f"{transport}, {kind}", {"transport": transport, "placement": placement, "mode": mode, "type": kind, "queue": "default"})
            for transport in ("tcp", "unix", "shm", "tls") for kind in ("octet", "BinStruct")]
    sizes = [{"buffer": size} for size in ("1024", "8192", "32768", "131072")]
    return f.beside_raw("ttcp", "throughput", rows, sizes, spinning)


def types(f, suite, queue="default", **more):
    """Table 1 of 1996b: the highest and the lowest rate of each mechanism, by kind of type, in buffers of 1 to 128 KiB."""
    rows = []
    for who in f.who(suite):
        cells = []
        for kinds in (("char", "octet", "short", "long", "double"), ("BinStruct",)):
            rates = [one["value"] for kind in kinds for one in f.all(suite, "throughput", orb=who[0], protocol=who[1], transport="tcp", mode="oneway",
                     queue=queue, type=kind, **more) if one["case"]["buffer"] != "1" and "no_delay" not in one["case"]]
            cells.append(f"{text_of(max(rates))} / {text_of(min(rates))}" if rates else "")
        rows.append([name_of(who)] + cells)
    return table(["Mbit/s", "scalars, highest / lowest", "structs, highest / lowest"], rows)


def queues(f, network):
    """Figures 1 to 3 and tables 1 and 2 of 1995a: Mbit/s by buffer, for queues of 8 and of 64 KiB."""
    sizes = ["1", "1024", "2048", "4096", "8192", "16384", "32768", "65536", "131072"]
    rows = []
    for queue in ("8192", "65536"):
        for kind in ("octet", "string"):
            for who in f.who("networks"):
                found = [f.find("networks", "throughput", who, network=network, queue=queue, type=kind, mode="oneway", transport="tcp", buffer=size)
                         for size in sizes]
                rows.append([f"{int(queue) // 1024} KiB, {kind}, {name_of(who)}"] + [f.cell(one, False) for one in found])
    return table(["queues, type, who"] + ["1 B"] + [f"{int(size) // 1024} KiB" for size in sizes[1:]], rows)


def nasa(f):
    """Tables 1 and 2 of 1996a: the linear model over sizes, with the queues that the report had."""
    rows = []
    for network, queue in (("Ethernet 10 Mb/s", "8192"), ("FDDI 100 Mb/s", "65536"), ("ATM 155 Mb/s", "65536"), ("HiPPI 800 Mb/s", "1048576")):
        for transport in ("tcp", "udp"):
            for who in f.who("networks"):
                of = {"network": network, "transport": transport, "type": "octet", "mode": "oneway", "orb": who[0], "protocol": who[1]}
                found = [one for one in f.all("model", "r_max", **of)]
                exact = [one for one in found if one["case"].get("queue") == queue and "no_delay" not in one["case"]] or found[:1]
                if not exact:
                    continue
                best = exact[0]
                more = [next((one["value"] for one in f.all("model", metric) if one["case"] == best["case"]), None) for metric in ("r_squared", "n_half", "t_0")]
                rows.append([f"{network}, {transport}, queues {best['case'].get('queue', '')}, {name_of(who)}", text_of(best["value"]),
                             f"{text_of(best['min'])} to {text_of(best['max'])}", f"{more[0]:.3f}" if more[0] is not None else "",
                             f"{more[1]:,.0f}" if more[1] is not None else "", text_of(more[2])])
    return table(["network, who", "r_max Mbit/s", "90 % interval", "R2", "n_1/2 octets", "t_0 us"], rows)


def round_trips(f):
    """Table 3 of 1996a: 16 KiB, characters and structs, bulk and round trip, and the same over loopback; the data come back."""
    rows = []
    places = [(name, "networks", {"network": name}) for name in ("Ethernet 10 Mb/s", "FDDI 100 Mb/s", "ATM 155 Mb/s", "HiPPI 800 Mb/s")]
    for place, suite, of in places + [("loopback", "ttcp", {"placement": "two cpus"})]:
        for who in f.who(suite):
            cells = [f.cell(f.find(suite, "throughput", who, transport="tcp", buffer="16384", queue="default", type=kind, mode=mode, **of), False)
                     for mode in ("oneway", "ring") for kind in ("char", "BinStruct")]
            if cells[2]:
                rows.append([f"{place}, {name_of(who)}"] + cells)
    return table(["Mbit/s", "bulk char", "bulk struct", "round trip char", "round trip struct"], rows)


def trips(f):
    """t_0 of the four networks: a void call, and 8 octets there and back by UDP."""
    rows = []
    for network in ("Ethernet 10 Mb/s", "FDDI 100 Mb/s", "ATM 155 Mb/s", "HiPPI 800 Mb/s", "unlimited"):
        rows.append((f"{network}, void call, us", {"network": network, "transport": "tcp", "payload": "0"}))
        rows.append((f"{network}, 8 octets by UDP, us", {"network": network, "transport": "udp", "payload": "8"}))
    return f.beside_raw("networks", "latency_p50", rows)


def cubit(f):
    rows = [(f"{transport}, {operation}", {"transport": transport, "operation": operation, "placement": "one cpu"})
            for transport in ("tcp", "unix", "inproc", "collocated") for operation in ("void", "struct", "octets-large", "longs-large")]
    whos = f.who("cubit")
    return table(["us a call"] + [name_of(who) for who in whos],
                 [[name] + [text_of(f.value("cubit", "time_per_call", who, **of)) for who in whos] for name, of in rows])


def headline(f):
    """What the front page says: sockets, Corbel, and the newest other ORB."""
    others = [who for who in f.who("latency") if who[0].startswith("omniORB")]
    whos = [RAW, OURS] + others[-1:]
    call = {"transport": "tcp", "placement": "one cpu", "loop": "closed", "payload": "0"}
    stream = {"transport": "tcp", "placement": "one cpu", "mode": "oneway", "queue": "default", "buffer": "131072"}

    def instructions(who):
        sides = [f.value("counts", "instructions_per_call", who, transport="tcp", side=side) for side in ("client", "server")]
        return text_of(sum(sides)) if None not in sides else ""

    rows = [["void call over tcp, one processor, us"] + [text_of(f.value("latency", "latency_p50", who, **call)) for who in whos],
            ["instructions of that call, both sides"] + [instructions(who) for who in whos]]
    for kind in ("octet", "BinStruct"):
        rows.append([f"{kind}s in buffers of 128 KiB over tcp, one processor, Mbit/s"] +
                    [f.cell(f.find("ttcp", "throughput", who, type=kind, **stream), False) for who in whos])
    return table([""] + [name_of(who) for who in whos], rows)
