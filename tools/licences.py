#!/usr/bin/env python3
"""Writes the licences of the packages that the window is built with, for the installer.

    tools/licences.py OUT

Takes every package of ui/package-lock.json that is not for development alone, which
is a few more than the built window holds. A package whose licence is not among those
below stops it, by name: then it is to be left out, or its licence to be read.
"""

import json
import re
import sys
from pathlib import Path

UI = Path(__file__).parent.parent / "ui"

# What lets anybody pass the package on as part of something else.
ALLOWED = {"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "PSF-2.0", "Unlicense"}

# These say it in a file only, which was read.
READ = {"khroma": "MIT", "svelte-toolbelt": "MIT"}

# These name the MIT License and bring no text of it.
WITHOUT_TEXT = {"fastdom", "is-reference", "locate-character", "strictdom"}

MIT = """The MIT License

Permission is hereby granted, free of charge, to any person obtaining a copy of this
software and associated documentation files (the "Software"), to deal in the Software
without restriction, including without limitation the rights to use, copy, modify,
merge, publish, distribute, sublicense, and/or sell copies of the Software, and to
permit persons to whom the Software is furnished to do so, subject to the following
conditions:

The above copyright notice and this permission notice shall be included in all copies
or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED,
INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A
PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT
HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF
CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR
THE USE OR OTHER DEALINGS IN THE SOFTWARE."""


class Refused(Exception):
    pass


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        text = written(packages(UI), UI)
    except Refused as refused:
        sys.exit(str(refused))
    Path(sys.argv[1]).write_text(text, encoding="utf-8")


def packages(ui):
    """Folder, name, version and licence of each package, in the order of their names."""
    lock = json.loads((ui / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    found = []
    for folder, entry in lock.items():
        if folder == "" or entry.get("dev") or entry.get("devOptional") or entry.get("optional"):
            continue
        name = folder.rpartition("node_modules/")[2]
        licence = entry.get("license") or READ.get(name)
        if not is_allowed(licence):
            said = f"is under {licence}" if licence else "does not say its licence"
            raise Refused(
                f"{name} {entry['version']} {said}: leave it out, or read its licence and add it to tools/licences.py"
            )
        found.append((folder, name, entry["version"], licence))
    return sorted(found, key=lambda package: package[1:3])


def is_allowed(expression):
    """Whether an SPDX expression leaves a choice that is allowed, taking every part of it that is joined by AND."""
    if not expression:
        return False
    choices = re.sub(r"[()]", "", expression).split(" OR ")
    if "(" in expression and " AND " in expression:
        return False
    return any(all(part.strip() in ALLOWED for part in choice.split(" AND ")) for choice in choices)


def written(found, ui):
    """Each text once, below all packages that stand under it."""
    under = {}
    for folder, name, version, licence in found:
        text = text_of(ui / folder, name, version, licence)
        under.setdefault(text, []).append(f"{name} {version} ({licence})")
    parts = ["What the window of Coterie is built with, each text below the packages that stand under it.\n"]
    rule = "=" * 80
    for text, names in under.items():
        parts.append("\n".join([rule, *names, rule, "", text, ""]))
    return "\n".join(parts)


def text_of(folder, name, version, licence):
    named = [file for file in folder.iterdir() if re.match(r"(licen[cs]e|copying|notice)", file.name, re.I)]
    files = sorted(file for file in named if file.is_file())
    if files:
        return "\n\n".join(file.read_text(encoding="utf-8", errors="replace").strip() for file in files)
    if name in WITHOUT_TEXT and licence == "MIT":
        return f"Copyright (c) {author_of(folder)}\n\n{MIT}"
    raise Refused(f"{name} {version} brings no text of its licence: add one to tools/licences.py")


def author_of(folder):
    author = json.loads((folder / "package.json").read_text(encoding="utf-8")).get("author", "its authors")
    return author["name"] if isinstance(author, dict) else author


if __name__ == "__main__":
    main()
