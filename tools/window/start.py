"""How soon a person can write in the window, and what it takes while nothing happens."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

from window.lines import note, tell
from window.machine import Machine, Problem, Running, children, memory, wait_until

# After this long nothing of the start is going on any more.
SETTLED = 10

# Runs in the page. Gives the moment of the first frame in which a person could
# write, in milliseconds since 1970, and whether it was there before anybody looked.
WATCH = """
const done = arguments[arguments.length - 1];
const ready = () => {
  const composer = document.querySelector('[data-testid=composer]');
  return composer && !composer.disabled && composer.getClientRects().length > 0;
};
const now = () => performance.timeOrigin + performance.now();
if (ready()) {
  done({ at_ms: now(), seen: false });
} else {
  const look = () => (ready() ? done({ at_ms: now(), seen: true }) : requestAnimationFrame(look));
  requestAnimationFrame(look);
}
"""


def measure(program, starts):
    first, later, missed = [], [], 0
    for _ in range(starts):
        with Machine() as machine:
            for times in (first, later):
                took, seen = time_to_write(machine, program)
                times.append(took)
                missed += not seen
    tell("window_first_start", "ms", statistics.median(first), ("budget", 1000))
    tell("window_interactive", "ms", statistics.median(later), ("budget", 1000))
    if missed:
        note(f"{missed} of {2 * starts} starts were over before anybody looked: there the time is that of the look")

    resident, shared = [], []
    for _ in range(starts):
        with Machine() as machine:
            idle = memory_when_idle(machine, program)
            resident.append(idle["Rss"])
            shared.append(idle["Pss"])
    tell("window_idle", "MB", statistics.median(resident) / 1e6, ("budget", 150))
    tell("window_idle_proportional", "MB", statistics.median(shared) / 1e6, None)


def time_to_write(machine, program):
    """Milliseconds from the start of the process until a person could
    write, and whether that moment was seen or had passed."""
    started = machine.home / "started"
    with machine.driven(stamped(machine, program, started)) as session:
        moment = session.run(WATCH)
        return moment["at_ms"] - int(started.read_text()) / 1e6, moment["seen"]


def stamped(machine, program, started):
    """A script that becomes the program after it wrote down when: the
    kernel's own record of a process's start is only good to 10 ms."""
    script = machine.home / "start"
    script.write_text(f'#!/bin/sh\ndate +%s%N > "{started}"\nexec "{program}" "$@"\n')
    script.chmod(0o755)
    return script


def memory_when_idle(machine, program):
    """In bytes, of a window that nobody drives or has touched."""
    command = [str(program), *machine.arguments()]
    with Running(command, machine.environment()) as window:
        socket_file = machine.home / "workspace" / "coterie.sock"
        wait_until(socket_file.exists, "the window opens its workspace")
        time.sleep(SETTLED)
        if not children(window.pid):
            raise Problem("the window shows no page; start the program by hand to see why")
        return memory(Path(f"/proc/{window.pid}/smaps_rollup").read_text())
