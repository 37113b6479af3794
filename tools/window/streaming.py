"""The window while eight agents write, 50 tokens a second each."""

from __future__ import annotations

import random
import statistics
import time

from window.company import EIGHT
from window.gaps import at_rest, between_ticks, tell_gaps
from window.lines import note, tell
from window.machine import Problem, wait_until

AGENTS = 8
SECONDS = 20
KEYS = 50


def measure(company, program):
    with company.machine.window(program) as session:
        session.bench("go", EIGHT)
        idle, idle_keys = at_rest(session), keystrokes(session)
        # As long as everything below takes on a slow machine; what is left is stopped.
        company.do("say", EIGHT, "Please stream for 75 seconds.", "--wait", "0")
        wait_until(lambda: company.model()["streams"] == AGENTS, "eight agents write")
        wait_until(lambda: session.value("return bench.writing()") > 0, "the window shows what they write")
        time.sleep(2)
        company.model()
        gaps, _ = between_ticks(session, lambda: time.sleep(SECONDS))
        keys = keystrokes(session)
        state = company.model()
        if state["streams"] != AGENTS:
            raise Problem(f"only {state['streams']} of {AGENTS} agents wrote to the end; try again on a quieter machine")
        company.do("group", "stop", EIGHT)
        tell_gaps("window_stream_gap", gaps, idle)
        tell("window_keystroke", "ms", statistics.median(keys), ("budget", 16))
        tell("window_keystroke_worst", "ms", max(keys), ("budget", 16))
        tell("window_keystroke_idle", "ms", statistics.median(idle_keys), ("budget", 16))
        tell("window_keystroke_worst_idle", "ms", max(idle_keys), ("budget", 16))
        if state["late_ms"] > 100:
            note(f"window_stream_gap: the model server was late by up to {state['late_ms']:.0f} ms: it wrote in bursts")


def keystrokes(session):
    """From a key in the composer to the next frame, in milliseconds, of each."""
    session.value("bench.listen()")
    for n in range(KEYS):
        session.press("etaoin shrdlu"[n % 13])
        # So that they fall anywhere between two frames.
        time.sleep(random.uniform(0.05, 0.1))
    wait_until(lambda: len(session.value("return bench.heard()")) >= KEYS, f"the composer has {KEYS} letters")
    taken = session.value("return bench.heard()")
    session.bench("unwrite")
    return taken

