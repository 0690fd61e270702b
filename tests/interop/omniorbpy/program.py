# SPDX-License-Identifier: Apache-2.0
"""What every omniORBpy program of the suite shares: its command line, its ORB, and the report of its checks."""
import argparse
import os
import sys
import threading

import contexts
from omniORB import CORBA, BiDirPolicy, PortableServer

NOWHERE = "127.0.0.2"


def parse_arguments():
    """The options of ../options.hpp."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--ior", default="")
    parser.add_argument("--endpoint", default="tcp")
    parser.add_argument("--giop", default="1.2")
    parser.add_argument("--spoken", default="1.2")
    parser.add_argument("--peer", default="corbel")
    parser.add_argument("--filter", default="")
    parser.add_argument("--char-set", default="")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--life", type=int, default=120)
    options = parser.parse_args()
    timer = threading.Timer(options.life, os._exit, [3])
    timer.daemon = True
    timer.start()
    return options


def init_orb(options):
    """An ORB of omniORB's that listens at a loopback address."""
    words = ["peer", "-ORBmaxGIOPVersion", options.giop, "-ORBgiopMaxMsgSize", "16777216", "-ORBscanGranularity", "1",
             "-ORBmaxGIOPConnectionPerServer", "30"]
    if not any(setting.startswith("ORBnativeCharCodeSet=") for setting in options.set):
        words += ["-ORBnativeCharCodeSet", "UTF-8"]
    if options.endpoint.startswith("unix:") and options.giop == "1.2":
        words += ["-ORBendPoint", "giop:unix:" + options.endpoint[len("unix:"):]]
    else:
        words += ["-ORBendPoint", f"giop:tcp:{'[::1]' if options.endpoint == 'tcp6' else '127.0.0.1'}:"]
    for setting in options.set:
        name, value = setting.split("=", 1)
        words += ["-" + name, value]
    if options.endpoint == "contexts":
        contexts.intercept()
    if options.endpoint == "both-ways":
        if options.ior:
            words += ["-ORBofferBiDirectionalGIOP", "1", "-ORBclientTransportRule", "* tcp,bidir",
                      "-ORBendPointPublish", f"giop:tcp:{NOWHERE}:"]
        else:
            words += ["-ORBacceptBiDirectionalGIOP", "1", "-ORBserverTransportRule", "* tcp,bidir"]
    if options.endpoint != "ziop":
        return CORBA.ORB_init(words)
    from omniORB import ZIOP, omniZIOP  # an ORB that is made afterwards may compress
    orb = CORBA.ORB_init(words + ["-ORBclientTransportRule", "* tcp,ziop", "-ORBserverTransportRule", "* tcp,ziop"])
    omniZIOP.setGlobalPolicies([ZIOP.CompressionLowValuePolicy(0), ZIOP.CompressionMinRatioPolicy(1.0)])
    return orb


def callback_poa(orb, root, options):
    """The adapter of objects that servers call back, and of what clients call."""
    if options.endpoint != "both-ways":
        return root
    both = CORBA.Any(CORBA.TC_ushort, BiDirPolicy.BOTH)
    policies = [root.create_implicit_activation_policy(PortableServer.IMPLICIT_ACTIVATION),
                orb.create_policy(BiDirPolicy.BIDIRECTIONAL_POLICY_TYPE, both)]
    return root.create_POA("both ways", root._get_the_POAManager(), policies)


def serve(orb, reference):
    """Tells where the object is, runs until it has been told to end, and ends the process."""
    print(orb.object_to_string(reference), flush=True)
    orb.run()
    orb.destroy()
    os._exit(0)  # the interpreter's own end may crash on threads of omniORB's that still run


def end_soon(orb):
    """Ends orb.run() from within a request."""
    threading.Thread(target=orb.shutdown, args=(False,), daemon=True).start()


class CheckFailed(Exception):
    """A check that did not hold."""


def require(condition, what):
    if not condition:
        raise CheckFailed(what)


# What omniORBpy 4.3.1 cannot do, with omniORB itself neither.
BEYOND = dict.fromkeys(("echo_wchar", "echo_wchar_seq", "echo_wides", "echo_wide_union"), "omniORBpy cannot read a wchar")
BEYOND["echo_ulonglong_seq"] = "omniORBpy cannot put numbers beyond 63 bits into sequences"


class Report:
    """Runs named checks and prints `ok NAME` or `FAIL NAME: why` of each, then one summary line."""

    def __init__(self, chosen=""):
        self.chosen, self.passed, self.failed = chosen, 0, 0

    def run(self, name, check):
        if self.chosen not in name:
            return
        if name in BEYOND:
            self.skip(name, BEYOND[name])
            return
        try:
            check()
        except Exception as failure:  # whatever it is, it is told
            self.failed += 1
            print(f"FAIL {name}: {type(failure).__name__} {failure}", flush=True)
        else:
            self.passed += 1
            print(f"ok {name}", flush=True)

    def holds(self, name, condition):
        """A check that is a condition."""
        self.run(name, lambda: require(condition, "it does not hold"))

    @staticmethod
    def skip(name, why):
        print(f"skip {name}: {why}", flush=True)

    def finish(self):
        """Prints the summary and ends the process."""
        print(f"done: {self.passed} ok, {self.failed} failed", flush=True)
        sys.stdout.flush()
        os._exit(0 if self.passed and not self.failed else 1)
