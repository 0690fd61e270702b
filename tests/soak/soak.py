#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rounds of `./dev soak`. Everything it starts is a command of ./dev, in a process group of its own."""
import argparse
import json
import os
import signal
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, "build", "soak")
TESTS = "fault|siege|connection|threads"


def fuzz_targets():
    return subprocess.run(["./dev", "fuzz", "--list"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()


def kinds(turn):
    """What a round is made of: a name, and the commands that take turns in it, each with the seconds that it should take. A kind with
    several commands does one of them a round."""
    slow = 3  # sanitizers, and machines with much else to do
    return {
        "attack": [(["./dev", "attack", str(turn)], 2 * turn)],
        "attack-asan": [(["./dev", "attack", str(turn), "--preset", "asan"], 2 * turn * slow)],
        "restarts": [(["./dev", "attack", "restarts", "--minutes", f"{turn / 60:.2f}"], 2 * turn)],
        "restarts-asan": [(["./dev", "attack", "restarts", "--minutes", f"{turn / 60:.2f}", "--preset", "asan"], 2 * turn * slow)],
        "names": [(["./dev", "attack", "names", str(15 * turn)], 2 * turn)],
        "tests-asan": [(["./dev", "test", "--preset", "asan", "--label", TESTS], 900)],
        "fuzz": [(["./dev", "fuzz", target, "--seconds", str(turn)], 2 * turn) for target in fuzz_targets()],
    }


def run(name, command, expected):
    """Runs one command; what came of it."""
    log = os.path.join(FOLDER, f"{name}.log")
    begin = time.monotonic()
    with open(log, "wb") as output:
        process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                   start_new_session=True)
        try:
            status = process.wait(3 * expected + 60)
            outcome = "ok" if status == 0 else f"status {status}"
        except subprocess.TimeoutExpired:
            outcome = "stall"
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)  # it and what it has left behind
            except ProcessLookupError:
                pass
            process.wait()
    with open(log, "rb") as output:
        if b"LeakSanitizer" in output.read() and outcome != "ok":
            outcome = "leak"
    return outcome, time.monotonic() - begin, log


def table(runs):
    lines = [f"{'what':<16}{'runs':>6}{'failed':>8}{'stalls':>8}{'leaks':>7}{'minutes':>9}"]
    for name in dict.fromkeys(run["name"] for run in runs):
        own = [run for run in runs if run["name"] == name]
        count = {word: sum(run["outcome"] == word for run in own) for word in ("ok", "stall", "leak")}
        lines.append(f"{name:<16}{len(own):>6}{len(own) - count['ok']:>8}{count['stall']:>8}{count['leak']:>7}"
                     f"{sum(run['seconds'] for run in own) / 60:>9.1f}")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(prog="./dev soak")
    parser.add_argument("hours", nargs="?", type=float, default=1.0)
    parser.add_argument("--turn", type=int, default=60)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--json")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    if options.list:
        print("\n".join(["attack", "attack-asan", "restarts", "restarts-asan", "names", "tests-asan", "fuzz"]))
        return 0
    known = kinds(options.turn)
    unknown = [name for name in options.only if name not in known]
    if unknown or options.hours <= 0 or options.turn <= 0:
        parser.error(f"there is no {unknown[0]}; see --list" if unknown else "times are greater than 0")
    chosen = options.only or list(known)
    os.makedirs(FOLDER, exist_ok=True)
    runs = []
    end = time.monotonic() + 3600 * options.hours
    round_number = 0
    try:
        while time.monotonic() < end:
            for name in chosen:
                command, expected = known[name][round_number % len(known[name])]
                print(f"{time.strftime('%H:%M:%S')}  {' '.join(command)}", flush=True)
                outcome, seconds, log = run(name, command, expected)
                runs.append({"name": name, "command": command, "outcome": outcome, "seconds": round(seconds, 1), "round": round_number})
                if outcome != "ok":
                    kept = os.path.join(FOLDER, f"failed-{len(runs)}-{name}.log")
                    os.replace(log, kept)
                    runs[-1]["log"] = kept
                    print(f"          {outcome}: {kept}", flush=True)
                if time.monotonic() >= end:
                    break
            round_number += 1
    except KeyboardInterrupt:
        print("stopped", flush=True)
    print(table(runs))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"hours": options.hours, "turn": options.turn, "runs": runs}, file, indent=1)
    return 0 if runs and all(run["outcome"] == "ok" for run in runs) else 1


if __name__ == "__main__":
    sys.exit(main())
