"""How much of the pages' code and styles the window reads before it shows anything."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

from window.lines import tell
from window.machine import Problem

BUILT = Path(__file__).resolve().parents[2] / "ui" / "dist"

# In the page that is built, and in scripts: `import … from "./x.js"` and `import "./x.js"`, not `import("./x.js")`.
IN_PAGE = re.compile(r"<(?:script|link)\b[^>]*?(?:src|href)=\"/?(assets/[^\"]+\.(?:js|css))\"")
IN_SCRIPT = re.compile(r"(?:\bfrom|\bimport)\s*\"\./([^\"]+\.js)\"")
# What the first script always asks for while it runs.
ALWAYS = re.compile(r"^tauri-.*\.js$")


def measure(built=BUILT):
    if not (built / "index.html").exists():
        raise Problem(f"{built} is missing; run `make ui`")
    tell("window_bundle", "KB", sum(sizes(built).values()) / 1000, ("budget", 400))


def sizes(built):
    """Bytes after gzip of index.html and of all that it loads before anybody does anything, by their names."""
    page = (built / "index.html").read_text(encoding="utf-8")
    found = {"index.html": packed(page.encode())}
    ahead = IN_PAGE.findall(page)
    ahead += [f"assets/{file.name}" for file in sorted((built / "assets").glob("*.js")) if ALWAYS.match(file.name)]
    while ahead:
        name = ahead.pop()
        if name in found:
            continue
        content = (built / name).read_bytes()
        found[name] = packed(content)
        if name.endswith(".js"):
            ahead += [f"assets/{other}" for other in IN_SCRIPT.findall(content.decode("utf-8"))]
    return found


def packed(content):
    return len(gzip.compress(content, 9))
