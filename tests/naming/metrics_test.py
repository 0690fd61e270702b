#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `corbel-named` tells of itself: by HTTP, and as a CORBA object.

usage: metrics_test.py CORBEL_NAMED CORBEL
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from programs import CORBEL, NAMED, TIMEOUT_S, Named, run


class MetricsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="corbel_named_")
        self.addCleanup(shutil.rmtree, self.folder)

    def test_metrics_are_served_and_top_shows_them(self):
        named = Named(self.folder, "--metrics", "127.0.0.1:0")
        address = "127.0.0.1:" + named.line.rsplit(" ", 1)[1]
        for interval in ("3", "10", "30"):  # in which a call must begin and end: longer where the machine is busy
            top = subprocess.Popen([CORBEL, "top", address, "-i", interval, "-n", "1", "--json"], stdout=subprocess.PIPE, text=True)
            calls = 0
            while top.poll() is None:
                run(CORBEL, "ns", "resolve", "nothing", "--service", named.url, status=1)
                calls += 1
            seen = json.loads(top.communicate(timeout=TIMEOUT_S)[0])
            if any(one["operation"] == "resolve" and one["calls"] > 0 for one in seen["operations"]):
                break
        self.assertEqual(seen["processes"][0]["address"], address)
        self.assertGreater(seen["processes"][0]["resident"], 0)
        resolve = [one for one in seen["operations"] if one["operation"] == "resolve"][0]
        self.assertEqual((resolve["side"], resolve["errors"]), ("server", resolve["calls"]))
        self.assertTrue(0 < resolve["calls"] <= calls, resolve)
        self.assertGreater(resolve["p99_us"], 0)
        for _ in range(5):  # it waits for an answer for two seconds
            done = subprocess.run([CORBEL, "top", address, "127.0.0.1:1", "-i", "0.05", "-n", "1"], capture_output=True, text=True,
                                  timeout=TIMEOUT_S, check=False)
            if done.returncode == 0 and "resolve" in done.stdout:
                break
        self.assertEqual(done.returncode, 0, done.stderr)
        text = done.stdout
        self.assertIn("resolve", text)
        self.assertIn("127.0.0.1:1: ", text)
        self.assertEqual(named.end(), 0)
        self.assertIn("refused", run(CORBEL, "top", address, "-i", "0.05", "-n", "1", status=4))
        self.assertIn("HOST:PORT", run(NAMED, "--data", self.folder + "/other.db", "--port", "0", "--metrics", "nonsense", status=1))

    def test_metrics_are_an_object_if_that_is_asked_for(self):
        idl = os.path.join(os.path.dirname(__file__), "../../services/metrics/CorbelMetrics.idl")
        for options, status in ((("--metrics", "127.0.0.1:0"), 3), (("--metrics", "127.0.0.1:0", "--metrics-object"), 0)):
            named = Named(self.folder, *options)
            url = named.url.partition("/")[0] + "/CorbelMetrics"
            run(CORBEL, "ns", "resolve", "nothing", "--service", named.url, status=1)
            said = run(CORBEL, "call", url, "text", "--idl", idl, status=status)
            if status == 0:
                self.assertIn('corbel_requests_total{side="server",operation="resolve",outcome="user_exception"} 1\n', json.loads(said))
            self.assertEqual(named.end(), 0)
        self.assertIn("--metrics", run(NAMED, "--data", self.folder + "/other.db", "--port", "0", "--metrics-object", status=2))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
