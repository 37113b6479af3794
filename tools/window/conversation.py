"""How soon a conversation of 10,000 messages is there, and how it scrolls."""

from __future__ import annotations

import statistics

from window.company import LONG, MESSAGES
from window.gaps import at_rest, between_ticks, tell_gaps
from window.lines import note, tell

# Pixels a frame, as a wheel that is turned with force.
STEP = 300
# Whoever has not arrived by then will not.
SECONDS = 180


def measure_opening(company, program, starts):
    took = []
    for _ in range(starts):
        # What a window has shown once it keeps.
        with company.machine.window(program) as session:
            session.bench("go", "Ada")
            took.append(session.bench("open", LONG, company.newest))
    tell("window_open_group", "ms", statistics.median(took), ("budget", 300))


def measure_scrolling(company, program, seconds=SECONDS):
    with company.machine.window(program) as session:
        session.bench("go", "Ada")
        session.bench("open", LONG, company.newest)

        def there_and_back():
            up = session.bench("scroll", -STEP, {"first": 1, "seconds": seconds}, patience=seconds + 60)
            return up, session.bench("scroll", STEP, {"seconds": seconds}, patience=seconds + 60)

        idle = at_rest(session)
        gaps, ways = between_ticks(session, there_and_back)
        tell_gaps("window_scroll_gap", gaps, idle)
        tell("window_scrolled", "messages", max(way["seen"] for way in ways), ("in the group", MESSAGES))
        for name, way in zip(("up", "down"), ways):
            note(f"window_scroll_gap: {name}: {way['seen']} messages seen in {way['seconds']:.0f} s and {way['frames']} frames, "
                 f"{way['empty']} of which showed none" + ("" if way["arrived"] else "; it did not arrive"))
