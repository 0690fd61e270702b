#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes guide.idl and guide_examples.cpp of the code blocks in a Markdown file.

usage: extract_guide.py GUIDE.md FOLDER
"""
import re
import sys
from pathlib import Path


def main(guide, folder):
    blocks = re.findall(r"```(idl|cpp)\n(.*?)```", Path(guide).read_text(encoding="utf-8"), re.DOTALL)
    idl = "".join(text for language, text in blocks if language == "idl")
    examples = [text for language, text in blocks if language == "cpp"]
    headers = ["corbel/corbel.hpp", "corbel/corba/buffering_policy.hpp",
               "corbel/corba/transport_policy.hpp", "corbel/dynamic/codec_factory.hpp", "corbel/dynamic/dyn_any.hpp",
               "corbel/dynamic/dynamic_implementation.hpp", "corbel/dynamic/request.hpp",
               "corbel/dynamic/type_factory.hpp", "corbel/interceptors/portable_interceptor.hpp",
               "corbel/mapping/with_policies.hpp", "corbel/orb/connection_watch.hpp", "corbel/orb/handle_watch.hpp",
               "corbel/orb/oneways.hpp", "corbel/orb/socket_hook.hpp", "corbel/orb/timer.hpp", "corbel/orb/work_handle.hpp",
               "corbel/orb/peer.hpp", "corbel/poa/ior_table.hpp",
               "guide_any.hpp", "guide_server.hpp", "atomic", "chrono", "csignal", "iostream", "map", "memory", "mutex", "thread",
               "poll.h", "sys/socket.h", "unistd.h"]
    lines = [f"#include <{header}>" for header in headers]
    for number, text in enumerate(examples):
        lines += [f"void example_{number}();", f"void example_{number}() {{", text, "}"]
    lines += ["int main() {"] + [f"  example_{number}();" for number in range(len(examples))] + ["}"]
    Path(folder).mkdir(parents=True, exist_ok=True)
    Path(folder, "guide.idl").write_text(idl, encoding="utf-8")
    Path(folder, "guide_examples.cpp").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0 if idl and examples else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) == 3 else print(__doc__) or 2)
