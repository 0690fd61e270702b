#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hand-made GIOP messages, good and hostile, sent to a server of interop.idl's Suite; usable against any ORB.

Every hostile check has a connection of its own; after it a witness connection must still be served. Prints `ok NAME` or
`FAIL NAME: why` like the clients of the suite.
"""
import argparse
import struct
import sys

import giop_hostile  # noqa: F401  (registers its checks)
import giop_valid  # noqa: F401
from giop_session import CHECKS, Probe
from giop_wire import request


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ior", required=True)
    parser.add_argument("--peer", default="corbel", help="which ORB the server is made of")
    parser.add_argument("--filter", default="")
    arguments = parser.parse_args()
    probe, passed, failed = Probe(arguments.ior), 0, 0
    for name, peers, function in CHECKS:
        if arguments.filter not in name or arguments.peer not in peers:
            continue
        try:
            function(probe)
            probe.alive()
            passed += 1
            print("ok", name, flush=True)
        except (AssertionError, OSError, ValueError, struct.error) as failure:
            failed += 1
            print(f"FAIL {name}: {type(failure).__name__} {failure}", flush=True)
            if not isinstance(failure, AssertionError):
                probe.witness = probe.connect()
    probe.witness.send(request(2, "<", 0, probe.key, "shutdown", response=False))
    print(f"done: {passed} ok, {failed} failed")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
