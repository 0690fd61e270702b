# SPDX-License-Identifier: Apache-2.0
"""What tests of the naming service share: its programs, which the command line names, and a way to run them."""

import os
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import ports  # noqa: E402

NAMED, CORBEL = sys.argv[1:3]
TIMEOUT_S = 120
THING = "corbaloc::127.0.0.1:1/thing"  # no server listens there


def run(*line, status=0, env=None, **more):
    done = subprocess.run(line, capture_output=True, text=True, timeout=TIMEOUT_S, check=False, env=env, **more)
    if status is not None and done.returncode != status:
        raise AssertionError(f"{' '.join(line)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout if status == 0 else done.stdout + done.stderr


def free_port():
    """For servers that start again at the port they had: nobody else gets it meanwhile."""
    return str(ports.free_port())


class Named:
    """corbel-named with a database in `folder`, or in PostgreSQL at the URL `store`.

    Without an `env` of its own it does not listen where processes of this host look: there the next test's server
    would be taken for it.
    """

    def __init__(self, folder, *options, port="0", store=None, env=None):
        place = ["--store", store] if store else ["--data", os.path.join(folder, "names.db")]
        place += [] if env else ["--no-local"]
        self.process = subprocess.Popen([NAMED, *place, "--host", "127.0.0.1", "--port", port,
                                         *options], stdout=subprocess.PIPE, text=True, env=env)
        line = self.line = self.process.stdout.readline().strip()
        self.url = line.split()[1].rstrip(",") if line.startswith("corbel-named: corbaloc:") else ""

    @property
    def port(self):
        return self.url.split(":")[3].split("/")[0]

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        status = self.process.wait(TIMEOUT_S)
        self.process.stdout.close()
        return status
