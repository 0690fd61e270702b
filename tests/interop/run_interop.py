#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs one pairing of the interoperability suite: starts a server, waits for its IOR, runs a client against it.

With --bridge the client is given a reference that leads through that bridge. With --dissect the traffic passes through a
recording proxy, is written as a capture file and handed to tshark, whose GIOP dissector must find nothing malformed; with --seen
FACT it must have been so (giop_seen.py). With --endpoint cut a proxy passes every request and reply on in fragments. With --probe
SCRIPT a script of hand-made messages takes the client's place.
Exit status: 0 all well, 1 a check failed, 2 the run itself failed. Only processes started here are ever killed.
"""
import argparse
import contextlib
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

sys.dont_write_bytecode = True  # the source tree stays clean

import giop_capture  # noqa: E402
import giop_seen  # noqa: E402
from giop_wire import parse_ior  # noqa: E402


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", required=True, help="server program")
    parser.add_argument("--client", help="client program")
    parser.add_argument("--probe", help="Python script of hand-made messages, run in place of a client")
    parser.add_argument("--endpoint", default="tcp",
                        choices=["tcp", "tcp6", "unix", "lite+tcp", "lite+unix", "ssl", "both-ways", "ziop", "contexts",
                                 "cut"])
    parser.add_argument("--ziop-plugin", metavar="FILE", help="with --endpoint ziop: Corbel's plug-in")
    parser.add_argument("--giop", default="1.2", help="highest version the client offers")
    parser.add_argument("--server-giop", help="highest version the server offers; default as the client's")
    parser.add_argument("--server-flag", action="append", default=[], help="passed on to the server")
    parser.add_argument("--client-flag", action="append", default=[], help="passed on to the client")
    parser.add_argument("--corbaloc", action="store_true", help="the client is given a URL, no IOR")
    parser.add_argument("--seen", action="append", default=[], metavar="FACT", help="what must have passed, as giop_seen.py says it")
    parser.add_argument("--peer", default="corbel", help="which ORB the server is made of, as options.hpp has it")
    parser.add_argument("--filter", default="", help="only checks whose name contains this")
    parser.add_argument("--dissect", metavar="TSHARK", help="tshark program that must accept the recorded traffic")
    parser.add_argument("--keep", metavar="FILE", help="with --dissect: keep the capture here")
    parser.add_argument("--bridge", metavar="PROGRAM", help="a corbel-bridge between client and server")
    parser.add_argument("--bridge-listen", action="append", default=[], metavar="ENDPOINT",
                        help="where it listens; FOLDER is a temporary folder")
    parser.add_argument("--bridge-option", action="append", default=[], help="passed on to the bridge")
    parser.add_argument("--timeout", type=int, default=100, help="seconds for the whole run")
    arguments = parser.parse_args()
    if bool(arguments.client) == bool(arguments.probe):
        parser.error("give either --client or --probe")
    return arguments


class Child:
    """A process whose output lines are collected while it runs; killed when the block ends."""

    def __init__(self, name, command):
        self.name, self.lines, self._first = name, [], queue.Queue()
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                         stderr=subprocess.STDOUT, text=True, errors="replace")
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self._process.stdout:
            self.lines.append(line.rstrip("\n"))
            if line.startswith("IOR:"):
                self._first.put(line.strip())
        self._first.put(None)

    def wait_for_ior(self, seconds):
        """The IOR the process printed; None when it ended, or stayed silent, without one."""
        try:
            return self._first.get(timeout=seconds)
        except queue.Empty:
            return None

    def wait(self, seconds):
        """The exit status; None when the time is over."""
        try:
            status = self._process.wait(timeout=seconds)
            self._reader.join(timeout=5)
            return status
        except subprocess.TimeoutExpired:
            return None

    def log(self, most=30):
        """The last lines, less those that say all is well."""
        shown = [line for line in self.lines if not line.startswith("ok ")][-most:]
        return "\n".join([f"--- {self.name}: last {len(shown)} lines"] + ["    " + line[:400] for line in shown])

    def end(self):
        """Asks it to end; the exit status."""
        self._process.send_signal(signal.SIGTERM)
        return self.wait(20)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()


def check_output(client, status):
    """What is wrong with a client's run, as a list of lines; empty when every check passed."""
    problems = [line for line in client.lines if line.startswith("FAIL")]
    summary = [line for line in client.lines if line.startswith("done: ")]
    if status is None:
        problems.append("the client did not finish in time")
    elif status != 0:
        problems.append(f"the client ended with status {status}")
    if not summary or " 0 failed" not in summary[-1]:
        problems.append("the client printed no clean summary")
    return problems


def make_certificates(folder):
    """An authority, and a certificate of it for both sides, to which the environment then leads."""
    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=folder, check=True, stdin=subprocess.DEVNULL, capture_output=True)

    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-days", "2",
            "-subj", "/O=Interop/CN=authority")
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "peer.key", "-out", "peer.csr", "-subj", "/O=Interop/CN=peer")
    with open(os.path.join(folder, "peer.ext"), "w", encoding="ascii") as file:
        file.write("subjectAltName=IP:127.0.0.1,DNS:localhost\nextendedKeyUsage=serverAuth,clientAuth\n")
    openssl("x509", "-req", "-in", "peer.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
            "-extfile", "peer.ext", "-out", "peer.crt")
    with open(os.path.join(folder, "peer.pem"), "w", encoding="ascii") as both:
        for part in ("peer.crt", "peer.key"):
            with open(os.path.join(folder, part), encoding="ascii") as file:
                both.write(file.read())
    if shutil.which("keytool"):  # as Java has them
        openssl("pkcs12", "-export", "-in", "peer.pem", "-name", "peer", "-out", "peer.p12", "-passout", "pass:changeit")
        subprocess.run(["keytool", "-importcert", "-noprompt", "-alias", "authority", "-file", "ca.pem", "-keystore", "peer.p12",
                        "-storetype", "PKCS12", "-storepass", "changeit"], cwd=folder, check=True, capture_output=True)
        os.environ["CORBEL_INTEROP_KEYSTORE"] = os.path.join(folder, "peer.p12")
    os.environ["CORBEL_TLS_CERTIFICATE"] = os.path.join(folder, "peer.pem")
    os.environ["CORBEL_TLS_AUTHORITIES"] = os.path.join(folder, "ca.pem")


def start_bridge(arguments, ior, folder):
    """A bridge to the server."""
    listen = arguments.bridge_listen or ["tcp://127.0.0.1:0"]
    command = [arguments.bridge, "--to", ior, *arguments.bridge_option]
    for endpoint in listen:
        command += ["--listen", endpoint.replace("FOLDER", folder)]
    return Child("bridge", command)


def end_bridge(bridge):
    """What is wrong with its end."""
    problems = [] if bridge.end() == 0 else ["the bridge did not end cleanly"]
    counts = [line for line in bridge.lines if line.startswith("forwarded ")]
    if not counts or counts[-1].startswith("forwarded 0,"):
        problems.append("nothing went through the bridge")
    print("\n".join(counts))
    return problems + ([bridge.log()] if problems else [])


def count_compressed(proxy):
    """What is wrong if not both sides compressed: nearly every message of the suite is short, so many are not."""
    counts = [proxy.octets(outward).count(b"ZIOP\x01\x02") for outward in (True, False)]
    print(f"compressed: {counts[0]} messages of the client, {counts[1]} of the server")
    return [] if min(counts) > 20 else ["hardly any message was compressed"]


def count_cut(proxy):
    """What is wrong if neither side's messages came in fragments."""
    print(f"cut: {proxy.cut[True]} messages of the client, {proxy.cut[False]} of the server")
    return [] if min(proxy.cut.values()) > 2 else ["hardly any message was cut"]


def corbaloc(ior):
    """The URL that leads to where `ior` does, and says no more."""
    (host, port), key, profile, _ = parse_ior(ior)
    escaped = "".join(f"%{octet:02x}" for octet in key)
    return f"corbaloc:iiop:1.{profile[2]}@{host}:{port}/{escaped}"


def look_at(arguments, proxy, folder):
    """What is wrong with what passed the proxy."""
    if arguments.endpoint == "ziop":
        return count_compressed(proxy)
    problems = count_cut(proxy) if arguments.endpoint == "cut" else []
    if arguments.dissect:
        problems += giop_capture.dissect(arguments.dissect, proxy, arguments.keep or os.path.join(folder, "traffic.pcap"))
    return problems + giop_seen.check(proxy.whole(), arguments.seen)


def run_pair(arguments, folder):
    if arguments.endpoint == "ssl":
        make_certificates(folder)
    if arguments.ziop_plugin:
        os.environ["CORBEL_INTEROP_ZIOP"] = arguments.ziop_plugin
    server_endpoint = client_endpoint = arguments.endpoint
    if arguments.endpoint.endswith("unix"):
        server_endpoint += ":" + os.path.join(folder, "server.sock")
        client_endpoint += ":" + os.path.join(folder, "client.sock")
    life = ["--life", str(arguments.timeout)]
    server_giop = arguments.server_giop or arguments.giop
    spoken = min(arguments.giop, server_giop)
    server_command = [arguments.server, "--endpoint", server_endpoint, "--giop", server_giop] + arguments.server_flag + life
    with Child("server", server_command) as server, contextlib.ExitStack() as between:
        ior = server.wait_for_ior(40)
        if ior is None:
            print("the server printed no IOR\n" + server.log())
            return 2
        bridge = None
        if arguments.bridge:
            bridge = between.enter_context(start_bridge(arguments, ior, folder))
            ior = bridge.wait_for_ior(40)
            if ior is None:
                print("the bridge printed no IOR\n" + bridge.log())
                return 2
        proxy = None
        kinds = {giop_capture.CuttingProxy: arguments.endpoint == "cut", giop_capture.MessageProxy: arguments.seen,
                 giop_capture.RecordingProxy: arguments.dissect or arguments.endpoint == "ziop"}
        if kind := next((kind for kind, wanted in kinds.items() if wanted), None):
            proxy = kind(ior)
            ior = proxy.ior
        if arguments.corbaloc:
            ior = corbaloc(ior)
        if arguments.probe:
            command = [sys.executable, "-B", arguments.probe, "--ior", ior, "--peer", arguments.peer, "--filter", arguments.filter]
        else:
            command = [arguments.client, "--ior", ior, "--endpoint", client_endpoint, "--giop", arguments.giop, "--spoken",
                       spoken, "--peer", arguments.peer, "--filter", arguments.filter] + arguments.client_flag + life
        with Child("client", command) as client:
            problems = check_output(client, client.wait(arguments.timeout))
        status = server.wait(30)
        if status != 0:
            problems.append(f"the server did not end cleanly after shutdown(): {'it still runs' if status is None else f'status {status}'}")
        shown = ("skip", "done") if problems else ("ok ", "skip", "done")  # docs/interop-matrix.md is made of these
        print("\n".join(line for line in client.lines if line.startswith(shown)))
        if bridge:
            problems += end_bridge(bridge)
        if proxy:
            problems += look_at(arguments, proxy, folder)
        if problems:
            print("\n".join(problems[:40] + [client.log(), server.log()]))
        return 1 if problems else 0


def main():
    arguments = parse_arguments()
    with tempfile.TemporaryDirectory(prefix="interop.") as folder:
        return run_pair(arguments, folder)


if __name__ == "__main__":
    sys.exit(main())
