# SPDX-License-Identifier: Apache-2.0
"""Uses a naming service as a Python application does: naming_client.py URL. Prints "ok", or raises."""
import os
import sys

import CosNaming
from omniORB import CORBA
from program import require


def raised_by(kind, call):
    try:
        call()
    except kind as raised:
        return raised
    raise AssertionError(f"no {kind.__name__}")


def listed(context, at_once):
    """The names in a context, asked for a few at a time."""
    bindings, iterator = context.list(at_once)
    names = [binding.binding_name[0].id for binding in bindings]
    more, one = iterator.next_one()
    while more:
        names.append(one.binding_name[0].id)
        more, bindings = iterator.next_n(at_once)
        names += [binding.binding_name[0].id for binding in bindings]
        if more:
            more, one = iterator.next_one()
    iterator.destroy()
    return names


def main():
    orb = CORBA.ORB_init(["client", "-ORBInitRef", "NameService=" + sys.argv[1]])
    root = orb.resolve_initial_references("NameService")._narrow(CosNaming.NamingContextExt)
    context = root.bind_new_context(root.to_name("java.k"))
    root.bind(root.to_name("java.k/a"), root)
    require(root.resolve_str("java.k/a")._is_a(CORBA.id(CosNaming.NamingContext)), "what was bound is resolved")
    require(root.to_string(root.to_name("x\\.y.z/w")) == "x\\.y.z/w", "names as text")
    require(root.to_url(":host:1", "a b") == "corbaname::host:1#a%20b", "names as URLs")
    raised_by(CosNaming.NamingContext.AlreadyBound, lambda: root.bind(root.to_name("java.k/a"), root))
    root.rebind(root.to_name("java.k/a"), context)
    missing = raised_by(CosNaming.NamingContext.NotFound, lambda: root.resolve(root.to_name("java.k/b/c")))
    require(missing.why == CosNaming.NamingContext.missing_node and root.to_string(missing.rest_of_name) == "b/c", repr(missing))
    raised_by(CosNaming.NamingContext.NotEmpty, context.destroy)
    for i in range(20):
        context.rebind(root.to_name(f"n{i}"), root)
    names = listed(context, 6)
    require(sorted(names) == sorted([f"n{i}" for i in range(20)] + ["a"]), repr(names))
    print("ok", flush=True)
    os._exit(0)


main()
