# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL of a test's own: in a temporary folder, at a UNIX-domain socket only, by a user who is not root."""

import glob
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time

PROGRAMS = max((os.path.dirname(path) for path in glob.glob("/usr/lib/postgresql/*/bin/initdb")), default="")
TIMEOUT_S = 120


class Postgres:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="corbel_pg_")
        self.data = os.path.join(self.folder, "data")
        self.prefix = ["setpriv", "--pdeathsig=QUIT"]
        if os.geteuid() == 0:
            names = {user.pw_name for user in pwd.getpwall()}
            user = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self.prefix += [f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
        subprocess.run(self.prefix + [PROGRAMS + "/initdb", "-D", self.data, "-U", "corbel", "-A", "trust", "-N", "--locale=C"],
                       check=True, stdout=subprocess.DEVNULL, timeout=TIMEOUT_S)
        self.url = f"postgresql:///postgres?user=corbel&host={self.folder}"
        with open(os.path.join(self.folder, "log"), "wb") as log:
            self.process = subprocess.Popen(self.prefix + [PROGRAMS + "/postgres", "-D", self.data, "-k", self.folder, "-h", "",
                                                           "-c", "fsync=off"], stdout=log, stderr=log)
        deadline = time.monotonic() + TIMEOUT_S
        while not self.is_ready():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError("PostgreSQL does not start")
            time.sleep(0.01)  # its file is all that tells

    def is_ready(self):
        try:
            with open(os.path.join(self.data, "postmaster.pid"), encoding="ascii") as file:
                lines = file.read().splitlines()
        except OSError:
            return False
        return len(lines) >= 8 and lines[7].startswith("ready")

    def end(self):
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait(TIMEOUT_S)
        shutil.rmtree(self.folder)
