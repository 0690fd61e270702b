#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""OpenSSL is in processes that speak TLS, and in no others.

usage: loading_test.py CORBEL SERVER LIBRARY
"""

import os
import subprocess
import sys
import tempfile
import unittest

LIBRARY = sys.argv.pop()

from doctor_test import SERVER, TIMEOUT_S  # noqa: E402
from doctor_tls_test import ONLY_TLS, Authority  # noqa: E402


def loaded(process):
    with open(f"/proc/{process.pid}/maps", encoding="ascii") as file:
        return {os.path.basename(line.split()[-1]).split(".so")[0] for line in file if ".so" in line}


class LoadingTest(unittest.TestCase):
    def start(self, endpoint, *arguments, **environment):
        process = subprocess.Popen([SERVER, *arguments, "-ORBListenEndpoints", endpoint], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, env={**os.environ, **environment})
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def test_who_does_not_speak_tls_has_no_openssl(self):
        server = self.start("tcp://127.0.0.1:0")
        self.assertTrue(server.stdout.readline().startswith("IOR:"))
        self.assertIn("libcorbel", loaded(server))
        self.assertFalse(loaded(server) & {"libcorbel-tls", "libssl", "libcrypto"}, loaded(server))

    def test_who_does_has_it(self):
        server = self.start(ONLY_TLS, "-ORBTlsCertificate", Authority("Ours").issue("good"), "-ORBTlsVerifyClients", "off")
        self.assertTrue(server.stdout.readline().startswith("IOR:"))
        self.assertLessEqual({"libcorbel", "libcorbel-tls", "libssl"}, loaded(server))

    def test_without_the_library_everything_else_goes_and_tls_says_what_is_missing(self):
        with tempfile.TemporaryDirectory() as alone:
            os.symlink(LIBRARY, os.path.join(alone, os.path.basename(LIBRARY)))
            server = self.start("tcp://127.0.0.1:0", LD_LIBRARY_PATH=alone)
            self.assertTrue(server.stdout.readline().startswith("IOR:"))
            refused = self.start(ONLY_TLS, LD_LIBRARY_PATH=alone)
            self.assertNotEqual(refused.wait(TIMEOUT_S), 0)
            said = refused.stderr.read()
            self.assertIn("transport: TLS cannot be loaded", said)
            self.assertIn("library=libcorbel-tls.so", said)
            self.assertIn("install", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
