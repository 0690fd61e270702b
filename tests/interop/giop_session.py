# SPDX-License-Identifier: Apache-2.0
"""What the checks of hand-made messages share: their list, and calls that verify what every answer must hold."""
import functools

import giop_wire as wire
from giop_wire import Connection, request

CHECKS = []


def check(peers=("corbel", "omniorb"), versions=(0, 1, 2), orders="<>"):
    """Registers a check for each GIOP minor version and byte order; `peers` says which servers must pass it."""
    def register(function):
        for minor in versions:
            for order in orders:
                name = f"{function.__name__}.1{minor}.{'little' if order == '<' else 'big'}"
                CHECKS.append((name, peers, functools.partial(function, minor=minor, order=order)))
        return function
    return register


def require(condition, why):
    if not condition:
        raise AssertionError(why)


def shown(answer):
    if answer is None:
        return "end of stream"
    if answer.kind == wire.REPLY and answer.status in (wire.USER_EXCEPTION, wire.SYSTEM_EXCEPTION):
        at = answer.body.at
        text = f"reply {answer.number}: {answer.exception()}"
        answer.body.at = at
        return text
    return f"message type {answer.kind}" + (f", status {answer.status}" if hasattr(answer, "status") else "")


class Probe:
    def __init__(self, ior):
        self.address, self.key, self.profile, self.ior = wire.parse_ior(ior)
        self.witness = Connection(self.address)
        self.number = 0

    def connect(self):
        return Connection(self.address)

    def call(self, connection, minor, order, operation, body=None, **more):
        """Sends a request and returns the Reply, checked to belong to it."""
        self.number += 1
        connection.send(request(minor, order, self.number, more.pop("key", self.key), operation, body, **more))
        return self.reply(connection, minor, self.number)

    def reply(self, connection, minor, number):
        answer = connection.receive()
        require(answer is not None and answer.kind == wire.REPLY, f"no reply but {shown(answer)}")
        require(answer.number == number, f"reply to {answer.number} instead of {number}")
        require(answer.minor == minor, f"reply in GIOP 1.{answer.minor}")
        return answer

    def result(self, *arguments, **more):
        answer = self.call(*arguments, **more)
        require(answer.status == wire.NO_EXCEPTION, shown(answer))
        return answer.body

    def raises(self, names, *arguments, **more):
        answer = self.call(*arguments, **more)
        require(answer.status == wire.SYSTEM_EXCEPTION, f"no system exception but {shown(answer)}")
        raised = answer.exception()
        require(raised[0] in [f"IDL:omg.org/CORBA/{name}:1.0" for name in names], f"raised {raised}")
        require(raised[2] in (0, 1, 2), f"completion {raised[2]}")

    def alive(self):
        self.result(self.witness, 2, "<", "ping")
