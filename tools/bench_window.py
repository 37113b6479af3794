#!/usr/bin/env python3
"""Measures the window: how soon it is there, how it goes on under a load, and what it takes.

    tools/bench_window.py PROGRAM [--starts N] [--minutes M] [--only NAME…]

PROGRAM is a release build of coterie-desktop, beside which stands coterie.
Each time it gets a screen (Xvfb), a session bus and a home folder of its own,
of which nothing is left afterwards. Prints a JSON line for each measurement, as
`coterie bench` does; docs/benchmarks.md says how to read them. Needs Linux,
Python 3.8 with SQLite 3.37, Xvfb, dbus-daemon and WebKitWebDriver, and no
other package.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from pathlib import Path

from window import bundle, conversation, pages, start, streaming, use
from window.company import Company
from window.lines import note, tell
from window.machine import Machine, Problem, need

ALL = ("bundle", "start", "open", "scroll", "stream", "pages", "memory")


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Measure the window.")
    parser.add_argument("program", type=Path, help="a release build of coterie-desktop")
    parser.add_argument("--starts", type=int, default=5, help="how often to start it for each measurement (5)")
    parser.add_argument("--minutes", type=float, default=10, help="how long to use it while its memory is watched (10)")
    parser.add_argument("--only", nargs="+", choices=ALL, default=ALL, help="what to measure (all of it)")
    options = parser.parse_args(arguments)
    # So that what runs is ended also when this is told to end.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        return 0 if measure(options.program.resolve(), options.only, options.starts, options.minutes) else 1
    except Problem as problem:
        note(problem)
        return 1


def measure(program, only, starts, minutes):
    """Whether all of it could be measured."""
    need(program)
    tell("machine_load", "tasks", os.getloadavg()[0], ("processors", os.cpu_count()))
    if "bundle" in only:
        bundle.measure()
    if "start" in only:
        start.measure(program, starts)
    among_many = {
        "open": lambda company: conversation.measure_opening(company, program, starts),
        "scroll": lambda company: conversation.measure_scrolling(company, program),
        "stream": lambda company: streaming.measure(company, program),
        "pages": lambda company: pages.measure(company, program),
        "memory": lambda company: use.measure(company, program, minutes),
    }
    wanted = [bench for bench in among_many if bench in only]
    missed = []
    if wanted:
        with Machine() as machine, Company(machine, program) as company:
            for bench in wanted:
                try:
                    among_many[bench](company)
                except Problem as problem:
                    # The others are measured all the same.
                    note(f"{bench}: {problem}")
                    missed.append(bench)
    return not missed


if __name__ == "__main__":
    sys.exit(main())
