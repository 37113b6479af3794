"""How soon a page is there that is chosen in the rail."""

from __future__ import annotations

import statistics

from window.company import LONG
from window.lines import note, tell

ROUNDS = 5


def measure(company, program):
    with company.machine.window(program) as session:
        session.bench("go", LONG)
        pages = session.value("return bench.pages()")
        pages = [page for page in pages if page != "conversations"] + ["conversations"]
        first = {page: session.bench("turnTo", page) for page in pages}
        again = {page: [] for page in pages}
        for _ in range(ROUNDS):
            for page in pages:
                again[page].append(session.bench("turnTo", page))
        again = {page: statistics.median(took) for page, took in again.items()}
    for bench, took in (("window_page_first", first), ("window_page_switch", again)):
        slowest = max(took, key=took.get)
        tell(bench, "ms", took[slowest], ("budget", 100))
        note(f"{bench}: " + ", ".join(f"{page} {ms:.0f}" for page, ms in sorted(took.items(), key=lambda one: -one[1])))
