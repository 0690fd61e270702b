# SPDX-License-Identifier: Apache-2.0
"""The omniORBpy client of servants that answer later."""
import threading

import Later
from omniORB import CORBA
from program import Report, init_orb, parse_arguments, require

CALLERS = 20


def check_held(desk):
    answers = {}
    threads = [threading.Thread(target=lambda i=i: answers.__setitem__(i, desk.held(str(i)))) for i in range(CALLERS)]
    for thread in threads:
        thread.start()
    while desk.waiting() != CALLERS:
        pass
    desk.release()
    for thread in threads:
        thread.join()
    require(answers == {i: f"{i}!" for i in range(CALLERS)}, str(answers))


def check_refused(desk):
    try:
        desk.split("one", "=", "kept ")
    except Later.Refused as refused:
        require(refused.why == "no such character", refused.why)
    else:
        require(False, "no exception was raised")


def check_failure(desk, call, kind, minor, completed):
    try:
        call()
    except kind as failure:
        require((failure.minor, failure.completed) == (minor, completed), str(failure))
    else:
        require(False, "no exception was raised")
    require(desk.waiting() == 0, "somebody still waits")


def main():
    options = parse_arguments()
    report, orb = Report(options.filter), init_orb(options)
    desk = orb.string_to_object(options.ior)._narrow(Later.Desk)

    def title():
        desk._set_title("chief")
        require(desk._get_title() == "chief", "title")

    report.run("calls that waited are answered, more than the server has threads", lambda: check_held(desk))
    report.run("an attribute", title)
    report.run("out and inout", lambda: require(desk.split("one=two", "=", "kept ") == (3, "one", "kept two"), "results"))
    report.run("a user exception", lambda: check_refused(desk))
    report.run("a system exception", lambda: check_failure(desk, desk.fail, CORBA.NO_PERMISSION, 7, CORBA.COMPLETED_YES))
    report.run("an answer that was dropped", lambda: check_failure(
        desk, desk.drop, CORBA.NO_RESPONSE, 0x4342058f, CORBA.COMPLETED_MAYBE))
    desk.shutdown()
    orb.destroy()
    report.finish()


main()
