"""The longest time in which the page did not come to its next message to itself, and whose fault it is."""

from __future__ import annotations

import time

from window.lines import note, tell
from window.watch import Gaps, Watch

BUDGET = ("budget", 50)
IDLE_SECONDS = 10


def between_ticks(session, does):
    """The gaps while this is done, and what it comes to."""
    with Watch(page_of(session)) as watch:
        session.value("bench.ticks()")
        try:
            came_of_it = does()
        finally:
            run = session.value("return bench.ticked()")
        return Gaps(run, watch.seen()), came_of_it


def at_rest(session):
    """What the same page gives while nothing happens in it. To be asked before it is given
    anything to do: what it has begun may take longer than whoever began it."""
    time.sleep(2)
    idle, _ = between_ticks(session, lambda: time.sleep(IDLE_SECONDS))
    return idle


def tell_gaps(bench, gaps, idle):
    tell(bench, "ms", gaps.longest, BUDGET)
    tell(f"{bench}_own", "ms", gaps.own, BUDGET)
    tell(f"{bench}_idle", "ms", idle.longest, BUDGET)
    tell(f"{bench}_frame", "ms", gaps.frame, None)
    if gaps.longest > gaps.own + 5:
        note(f"{bench}: of a gap of {gaps.longest:.0f} ms the machine took so much that {gaps.own:.0f} are the page's own")
    if max(gaps.stall, idle.stall) > 20:
        note(f"{bench}: the machine let a process that does nothing wait for up to {max(gaps.stall, idle.stall):.0f} ms; "
             "measure again when it is quiet")
    note(f"{bench}: {len(gaps.over)} gaps over 50 ms, {gaps.frames_a_second:.0f} frames a second, "
         f"{idle.frames_a_second:.0f} while nothing happened")


def page_of(session):
    return next(pid for pid, name in session.processes().items() if name == "WebKitWebProcess")
