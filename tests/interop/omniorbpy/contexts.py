# SPDX-License-Identifier: Apache-2.0
"""`--endpoint contexts`: a service context with each request, whose octets are answered the other way round."""
import threading

from omniORB import interceptors

CONTEXT_ID = 0x434f5242


class Counts:
    """What this process sent, and what came back."""
    sent = answered = wrong = 0


_under_way = threading.local()  # of this thread: the context of its request, or of the call that it makes


def _found(contexts):
    return next((bytes(data) for number, data in contexts if number == CONTEXT_ID), b"")


def _send(_, contexts):
    length = 3 + Counts.sent * 97 % 5000
    Counts.sent += 1
    _under_way.data = bytes(i & 0xff for i in range(length, 2 * length))
    contexts.append((CONTEXT_ID, _under_way.data))


def _compare(_, contexts):
    if _found(contexts) == _under_way.data[::-1]:
        Counts.answered += 1
    else:
        Counts.wrong += 1


def _receive(_, contexts):
    _under_way.data = _found(contexts)


def _answer(_, contexts, *_exception):
    contexts.append((CONTEXT_ID, _under_way.data[::-1]))


def intercept():
    """Before the ORB is made."""
    interceptors.addClientSendRequest(_send)
    interceptors.addClientReceiveReply(_compare)
    interceptors.addServerReceiveRequest(_receive)
    interceptors.addServerSendReply(_answer)
    interceptors.addServerSendException(_answer)
