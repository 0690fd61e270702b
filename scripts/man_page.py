#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a man page from what a program's --help says, subcommands included, so that the two never differ.

usage: man_page.py PROGRAM OUTPUT
"""

import os
import re
import subprocess
import sys

SECTION = re.compile(r"^([A-Z][A-Za-z ]*):$")
ENTRY = re.compile(r"^  (\S.*?)(?:  +(\S.*))?$")
REST = re.compile(r"^ {10,}(\S.*)$")


def help_of(program, *words):
    done = subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True, timeout=60)
    return done.stdout.rstrip("\n").split("\n")


def read(lines):
    """What a help text is made of: (description, usage, {section: [(term, text)]}, footer)."""
    description, usage, sections, footer = [], "", {}, []
    section = None
    for line in lines:
        if line.startswith("Usage: "):
            usage = line[len("Usage: "):]
        elif not usage:
            description.append(line)
        elif SECTION.match(line):
            section = sections.setdefault(SECTION.match(line).group(1), [])
        elif section is not None and REST.match(line) and section:
            term, text = section[-1]
            section[-1] = (term, (text + " " + REST.match(line).group(1)).strip())
        elif section is not None and line.startswith("  ") and ENTRY.match(line):
            section.append((ENTRY.match(line).group(1), ENTRY.match(line).group(2) or ""))
        elif line == "" and not footer:
            section = None if sections.get("Options") or section is None else section
        elif usage:
            section = None
            footer.append(line)
    return " ".join(description).strip(), usage, sections, footer


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def put_sections(out, sections):
    for name, entries in sections.items():
        if name == "Subcommands":
            continue
        for term, text in entries:
            if term.startswith("-h,--help"):
                continue
            out.append(".TP")
            term = re.sub(r"\b(\w+):(?:INT|FLOAT|FILE|UINT|TEXT)\b", r"\1", term.split(" Excludes:")[0])
            out.append("\\fB" + escaped(term.replace(" REQUIRED", "").replace(" TEXT", "")) + "\\fR")
            out.append(escaped(text) or "\\&")


def put_footer(out, footer):
    """As it stands: it has examples in it."""
    if not footer:
        return
    out += [".PP", ".nf"] + [escaped(line) if line else "" for line in footer] + [".fi"]


def put_commands(out, program, words, inherited):
    lines = help_of(program, *words)
    description, usage, sections, footer = read(lines)
    out.append(".SS " + '"' + escaped(" ".join([os.path.basename(program), *words])) + '"')
    out.append(escaped(description))
    out.append(".br")
    out.append("\\fI" + escaped(usage) + "\\fR")
    put_sections(out, sections)
    if footer != inherited:
        put_footer(out, footer)
    for name, _ in sections.get("Subcommands", []):
        put_commands(out, program, [*words, name], footer)


def main(program, output):
    name = os.path.basename(program)
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True, timeout=60).stdout.strip()
    description, usage, sections, footer = read(help_of(program))
    out = [".\\\" Made from --help by scripts/man_page.py.", f'.TH "{escaped(name.upper())}" "1" "" "{escaped(version)}" "Corbel"',
           ".SH NAME", f"{escaped(name)} \\- {escaped(description.rstrip('.'))}", ".SH SYNOPSIS", "\\fB" + escaped(usage) + "\\fR", ".SH OPTIONS"]
    put_sections(out, sections)
    if sections.get("Subcommands"):
        out.append(".SH COMMANDS")
        for sub, _ in sections["Subcommands"]:
            put_commands(out, program, [sub], footer)
    if footer:
        out.append(".SH NOTES")
        out += [".nf"] + [escaped(line) if line else "" for line in footer] + [".fi"]
    with open(output, "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:3])
