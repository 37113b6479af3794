"""What the window takes after minutes of use, beside what it took after the first."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

from window.company import LONG
from window.lines import note, tell
from window.machine import memory

# Of so many seconds the median is taken, as what is freed is given back in steps.
SPAN = 20
# Pixels a frame, as a wheel that is turned without haste.
STEP = 40


def measure(company, program, minutes):
    with company.machine.window(program) as session:
        pages = session.value("return bench.pages()")
        began, samples, rounds = time.monotonic(), [], 0
        while time.monotonic() - began < minutes * 60:
            use(session, pages, rounds)
            rounds += 1
            samples.append((time.monotonic() - began, sum(resident(session).values())))
        parts = resident(session)
    first = around(samples, 60 if minutes > 1 else 30)
    last = around(samples, minutes * 60)
    tell("window_memory_flat", "ratio", last / first, ("budget", 1.1))
    tell("window_memory_used", "MB", last / 1e6, None)
    note(f"window_memory_flat: {rounds} rounds in {minutes} minutes, {first / 1e6:.0f} MB and then {last / 1e6:.0f}: "
         + ", ".join(f"{name} {size / 1e6:.0f}" for name, size in parts.items()))


def use(session, pages, n):
    """What a person does in some seconds: the same each time, but for a new question with its answers."""
    session.bench("go", LONG)
    session.bench("scroll", -STEP, {"seconds": 2})
    session.bench("scroll", STEP, {"seconds": 5})
    session.bench("write", "a thought that is not sent")
    session.bench("unwrite")
    session.bench("go", "Ada")
    session.bench("say", f"Question {n}: and what of this?")
    session.bench("palette")
    for page in pages:
        session.bench("turnTo", page)


def around(samples, second):
    """The median of what was seen in the time before a moment."""
    seen = [size for at, size in samples if second - SPAN <= at <= second]
    return statistics.median(seen or [min(samples, key=lambda sample: abs(sample[0] - second))[1]])


def resident(session):
    """Bytes of the window's own process and of WebKit's, by their names."""
    found = session.processes().items()
    return {name: memory(Path(f"/proc/{pid}/smaps_rollup").read_text())["Rss"] for pid, name in found}
