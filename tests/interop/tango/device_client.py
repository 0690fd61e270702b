#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tango's own client for Python (omniORB underneath) against the device of server.cpp: device_client.py URL NAME."""
import sys

import tango


def refusal(call, *arguments):
    """The reason of the first error."""
    try:
        call(*arguments)
    except tango.DevFailed as failed:
        return failed.args[0].reason
    return "nothing refused"


def checks(device, name):
    def properties():
        assert device.name() == name, device.name()
        assert device.description() == "an oven", device.description()
        assert "/dserver/Oven/one" in device.adm_name(), device.adm_name()
        assert device.info().dev_class == "Oven", device.info()
        assert device.ping() >= 0

    def states():
        assert device.state() == tango.DevState.OFF, device.state()
        device.set_point = 180.5
        assert device.state() == tango.DevState.ON and "on" in device.status(), device.status()
        device.command_inout("Init")
        assert device.state() == tango.DevState.OFF, device.state()

    def commands():
        names = [one.cmd_name for one in device.command_list_query()]
        assert names == ["Label", "Mean", "Init", "End"], names
        assert device.command_inout("Label", "one") == "oven one"
        assert device.command_inout("Mean", [1.5, 2.5, 5.0]) == 3.0
        assert device.Label("x" * 100_000) == "oven " + "x" * 100_000

    def attributes():
        assert list(device.get_attribute_list()) == ["temperature", "set_point"], device.get_attribute_list()
        device.write_attribute("set_point", 100.0)
        read = device.read_attribute("set_point").value
        assert read == 100.0, read
        both = device.read_attributes(["temperature", "set_point"])
        assert [one.value for one in both] == [99.75, 100.0] and both[0].quality == tango.AttrQuality.ATTR_VALID
        assert device.get_attribute_config("temperature").unit == "degC"

    def refusals():
        assert refusal(device.write_attribute, "set_point", 1000.0) == "API_WAttrOutsideLimit"
        assert refusal(device.read_attribute, "pressure") == "API_AttrNotFound"
        assert refusal(device.command_inout, "Explode") == "API_CommandNotFound"

    def black_box():
        device.ping()
        assert device.black_box(1)[0] == "ping", device.black_box(3)

    def many():
        for i in range(1000):
            assert device.command_inout("Mean", [float(i)]) == i

    return {"names, class and ping": properties, "state and status": states, "commands": commands,
            "attributes": attributes, "refusals": refusals, "black box": black_box, "a thousand commands": many}


def main():
    url, name = sys.argv[1:]
    device = tango.DeviceProxy(url)
    passed = failed = 0
    for title, check in checks(device, name).items():
        try:
            check()
            passed += 1
            print("ok", title)
        except Exception as failure:  # pylint: disable=broad-except
            failed += 1
            print(f"FAIL {title}: {type(failure).__name__} {failure}")
    device.command_inout("End")
    print(f"done: {passed} ok, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
