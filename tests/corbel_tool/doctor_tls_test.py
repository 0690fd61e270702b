#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows `corbel doctor` what can be wrong with TLS, one thing at a time; it must name the cause.

usage: doctor_tls_test.py CORBEL SERVER
"""

import datetime
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from doctor_test import DONE, NOT_REACHED, NOT_USABLE, DoctorCase, fake, free_port, ior, port_of, server

CONFIGURATION = """
[ca]
default_ca = here
[here]
database = index
serial = serial
new_certs_dir = .
private_key = ca.key
certificate = ca.pem
default_md = sha256
default_crl_days = 30
policy = any
x509_extensions = extensions
unique_subject = no
copy_extensions = copy
[any]
commonName = supplied
[extensions]
"""
ONLY_TLS = "ssliop://127.0.0.1:0"


def openssl(folder, *line):
    done = subprocess.run(["openssl", *line], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stderr)


class Authority:
    """A folder with an authority, and whatever it issues."""

    def __init__(self, name):
        self.folder = tempfile.mkdtemp(prefix="corbel_ca_")
        for file, text in (("index", ""), ("serial", "1000\n"), ("conf", CONFIGURATION)):
            with open(self.path(file), "w", encoding="ascii") as out:
                out.write(text)
        openssl(self.folder, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "ca.key",
                "-out", "ca.pem", "-days", "30", "-subj", "/CN=" + name)

    def path(self, name):
        return os.path.join(self.folder, name)

    def issue(self, name, names="IP:127.0.0.1", usage="serverAuth,clientAuth", first=-1, last=30):
        """NAME.pem, certificate and key; good from so many days from now to so many."""
        openssl(self.folder, "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", name + ".key", "-out",
                name + ".csr", "-subj", "/CN=" + name, "-addext", "subjectAltName=" + names, "-addext", "extendedKeyUsage=" + usage)
        dates = [(datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=each)).strftime("%Y%m%d%H%M%SZ") for each in (first, last)]
        openssl(self.folder, "ca", "-batch", "-config", "conf", "-in", name + ".csr", "-out", name + ".crt", "-notext", "-startdate", dates[0],
                "-enddate", dates[1])
        with open(self.path(name + ".pem"), "w", encoding="ascii") as out:
            for part in (".crt", ".key"):
                with open(self.path(name + part), encoding="ascii") as file:
                    out.write(file.read())
        return self.path(name + ".pem")

    def revoke(self, name):
        openssl(self.folder, "ca", "-config", "conf", "-revoke", name + ".crt")
        openssl(self.folder, "ca", "-config", "conf", "-gencrl", "-out", "crl.pem")
        return self.path("crl.pem")


class TlsTest(DoctorCase):
    @classmethod
    def setUpClass(cls):
        cls.authority = Authority("Ours")
        cls.good = cls.authority.issue("good")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.authority.folder)

    def env(self, **more):
        return {**os.environ, "CORBEL_TLS_AUTHORITIES": self.authority.path("ca.pem"), **more}

    def server(self, certificate, *more, clients="off"):
        return server("", "-ORBTlsCertificate", certificate, "-ORBTlsVerifyClients", clients, *more, endpoint=ONLY_TLS)

    def look(self, certificate, *said, status=NOT_REACHED, env=None, more=(), clients="off", timeout="20000"):
        with self.server(certificate, *more, clients=clients) as reference:
            text = self.doctor(reference, status, "tls://127.0.0.1:", "accepts connections", *said, env=env or self.env(), timeout=timeout)
        if status != DONE:
            self.assertIn("problem", text)
        return text

    def test_a_healthy_server(self):
        self.assertNotIn("problem", self.look(self.good, "speaks TLS and knows the object", "healthy", status=DONE))

    def test_certificates_that_are_wrong_in_one_way(self):
        issue = self.authority.issue
        self.look(issue("old", first=-30, last=-2), "has expired", "clocks")
        self.look(issue("early", first=2), "not valid yet", "clocks")
        self.look(issue("other", names="DNS:other.example.org"), "made out to another name", "other.example.org", "CORBEL_TLS_SERVER_NAMES")
        self.look(issue("client", usage="clientAuth"), "is not for servers", "serverAuth")
        issue("revoked")
        lists = self.authority.revoke("revoked")
        self.look(self.authority.path("revoked.pem"), "taken back", env=self.env(CORBEL_TLS_REVOCATIONS=lists))

    def test_an_authority_that_is_not_believed(self):
        other = Authority("Theirs")
        self.addCleanup(shutil.rmtree, other.folder)
        self.look(other.issue("stranger"), "of an authority that is not believed here", "Theirs", "CORBEL_TLS_AUTHORITIES")
        self.look(self.good, "of an authority that is not believed here", env={name: value for name, value in os.environ.items() if not name.startswith("CORBEL_TLS")})

    def test_a_server_that_wants_a_certificate_of_the_client(self):
        more = ("-ORBTlsAuthorities", self.authority.path("ca.pem"))
        self.look(self.good, "wants a client's certificate", "CORBEL_TLS_CERTIFICATE", more=more, clients="required")
        self.look(self.good, "wants a client's certificate", more=more, clients="required", env=self.env(CORBEL_TLS_CIPHERS="ECDHE+AESGCM"))
        self.look(self.good, "healthy", status=DONE, more=more, clients="required", env=self.env(CORBEL_TLS_CERTIFICATE=self.good))
        wrong = self.authority.issue("server_only", usage="serverAuth")
        self.look(self.good, "refuses the certificate of this side", more=more, clients="required", env=self.env(CORBEL_TLS_CERTIFICATE=wrong))

    def test_no_version_or_cipher_in_common(self):
        self.look(self.good, "no version of TLS or no cipher in common", more=("-ORBTlsCiphers", "ECDHE+AESGCM"),
                  env=self.env(CORBEL_TLS_MINIMUM_VERSION="1.3"))

    def test_settings_of_this_side_that_are_wrong(self):
        self.look(self.good, "this side's own settings", env=self.env(CORBEL_TLS_AUTHORITIES="/nowhere/ca.pem"))

    def test_an_object_that_is_gone(self):
        with server("deactivated", "-ORBTlsCertificate", self.good, "-ORBTlsVerifyClients", "off", endpoint=ONLY_TLS) as reference:
            self.doctor(reference, NOT_USABLE, "does not know the object", env=self.env())

    def component(self, port):
        return ior(port=0, components=[(20, b"\x00\x00\x00\x7e\x00\x06" + port.to_bytes(2, "big"))])

    def test_a_plain_server_where_the_reference_promises_tls(self):
        with server() as reference:
            self.doctor(self.component(port_of(reference)), NOT_REACHED, "a CORBA server without TLS", "ssliop://", env=self.env())

    def test_something_else_where_the_reference_promises_tls(self):
        with fake(lambda request: b"HTTP/1.1 400 Bad Request\r\n\r\n") as port:
            self.doctor(self.component(port), NOT_REACHED, "does not speak TLS and is no CORBA server: it speaks HTTP", env=self.env())
        with fake(lambda request: b"", close=False) as port:
            self.doctor(self.component(port), NOT_REACHED, "does not end the hand-shake", env=self.env(), timeout="300")
        with fake(None) as port:
            self.doctor(self.component(port), NOT_REACHED, "does not end the hand-shake", env=self.env(), timeout="1500")
        self.doctor(self.component(free_port()), NOT_REACHED, "nobody listens", env=self.env())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
