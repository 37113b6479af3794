#!/usr/bin/env python3
"""Measures the window: how soon a person can write in it, and what it takes while nothing happens.

    tools/bench_window.py PROGRAM [--starts N]

PROGRAM is a release build of coterie-desktop. Every start gets a screen
(Xvfb), a session bus and a home folder of its own, of which nothing is left
afterwards. Prints a JSON line for each measurement, as `coterie bench` does;
docs/benchmarks.md says how to read them. Needs Linux, Python 3.8, Xvfb,
dbus-daemon and WebKitWebDriver, and no other package.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import math
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SCREEN = "1400x900x24"
PATIENCE = 30
# After this long nothing of the start is going on any more.
SETTLED = 10

BUS = """<busconfig>
<type>session</type>
<listen>unix:dir=FOLDER</listen>
<policy context="default">
<allow send_destination="*" eavesdrop="true"/>
<allow eavesdrop="true"/>
<allow own="*"/>
</policy>
</busconfig>"""

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


class Problem(Exception):
    """What went wrong and what to do about it, in one sentence."""


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Measure the start and the memory of the window.")
    parser.add_argument("program", type=Path, help="a release build of coterie-desktop")
    parser.add_argument("--starts", type=int, default=5, help="how often to start it for each measurement (5)")
    options = parser.parse_args(arguments)
    # So that what runs is ended also when this is told to end.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        measure(options.program.resolve(), options.starts)
    except Problem as problem:
        print(f"bench_window: {problem}", file=sys.stderr)
        return 1
    return 0


def measure(program, starts):
    if not program.exists():
        raise Problem(f"{program} is missing; run `make bench`, which builds it")
    for needed in ("Xvfb", "dbus-daemon", "WebKitWebDriver"):
        if not shutil.which(needed):
            raise Problem(f"{needed} is missing; run tools/setup.sh build test, then try again")
    tell("machine_load", "tasks", os.getloadavg()[0], ("processors", os.cpu_count()))

    first, later, missed = [], [], 0
    for _ in range(starts):
        with Machine() as machine:
            for times in (first, later):
                took, seen = machine.time_to_write(program)
                times.append(took)
                missed += not seen
    tell("window_first_start", "ms", statistics.median(first), ("budget", 1000))
    tell("window_interactive", "ms", statistics.median(later), ("budget", 1000))
    if missed:
        print(f"bench_window: {missed} of {2 * starts} starts were over before anybody looked: "
              "there the time is that of the look", file=sys.stderr)

    resident, shared = [], []
    for _ in range(starts):
        with Machine() as machine:
            memory = machine.memory_when_idle(program)
            resident.append(memory["Rss"])
            shared.append(memory["Pss"])
    tell("window_idle", "MB", statistics.median(resident) / 1e6, ("budget", 150))
    tell("window_idle_proportional", "MB", statistics.median(shared) / 1e6, None)


class Machine:
    """A home folder, a screen and a session bus, until the end of its `with`."""

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            self.home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="coterie-bench-")))
            (self.home / "run").mkdir(mode=0o700)
            config = self.home / "bus.conf"
            config.write_text(BUS.replace("FOLDER", str(self.home / "run")))
            screen = ["Xvfb", "-displayfd", "1", "-screen", "0", SCREEN, "-nolisten", "tcp"]
            self.display = ":" + stack.enter_context(Running(screen, says=True)).first_line()
            bus = ["dbus-daemon", "--nofork", "--print-address=1", "--config-file", str(config)]
            self.bus = stack.enter_context(Running(bus, says=True)).first_line()
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *_):
        self.stack.close()

    def time_to_write(self, program):
        """Milliseconds from the start of the process until a person could
        write, and whether that moment was seen or had passed."""
        port = free_port()
        started = self.home / "started"
        driver = ["WebKitWebDriver", f"--port={port}"]
        with Running(driver, self.environment(TAURI_WEBVIEW_AUTOMATION="true")):
            session = Session(port)
            session.open(self.stamped(program, started), self.arguments())
            try:
                moment = session.run(WATCH)
                return moment["at_ms"] - int(started.read_text()) / 1e6, moment["seen"]
            finally:
                session.close()

    def stamped(self, program, started):
        """A script that becomes the program after it wrote down when: the
        kernel's own record of a process's start is only good to 10 ms."""
        script = self.home / "start"
        script.write_text(f'#!/bin/sh\ndate +%s%N > "{started}"\nexec "{program}" "$@"\n')
        script.chmod(0o755)
        return script

    def memory_when_idle(self, program):
        """In bytes, of a window that nobody drives or has touched."""
        command = [str(program), *self.arguments()]
        with Running(command, self.environment()) as window:
            socket_file = self.home / "workspace" / "coterie.sock"
            wait_until(socket_file.exists, "the window opens its workspace")
            time.sleep(SETTLED)
            if not window.children():
                raise Problem("the window shows no page; start the program by hand to see why")
            return memory(Path(f"/proc/{window.pid}/smaps_rollup").read_text())

    def arguments(self):
        return ["--data", str(self.home / "workspace")]

    def environment(self, **more):
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "XDG_RUNTIME_DIR": str(self.home / "run"),
            "DISPLAY": self.display,
            "DBUS_SESSION_BUS_ADDRESS": self.bus,
            "GDK_BACKEND": "x11",
            "GSETTINGS_BACKEND": "memory",
            "GTK_USE_PORTAL": "0",
            **more,
        }


class Running:
    """A process that ends, with those it started, at the end of its `with`.
    One that `says` something is listened to."""

    def __init__(self, command, environment=None, says=False):
        self.command, self.environment = command, environment
        self.output = subprocess.PIPE if says else subprocess.DEVNULL

    def __enter__(self):
        self.process = subprocess.Popen(
            self.command,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=self.output,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.pid = self.process.pid
        return self

    def __exit__(self, *_):
        for child in self.children():
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGTERM)
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()

    def first_line(self):
        line = self.process.stdout.readline().strip()
        if not line:
            raise Problem(f"{self.command[0]} ended at once; start it by hand to see why")
        return line

    def children(self):
        found = []
        with contextlib.suppress(OSError):
            for children in Path(f"/proc/{self.pid}/task").glob("*/children"):
                found += [int(pid) for pid in children.read_text().split()]
        return found


class Session:
    """One session of WebDriver, as far as it is needed here."""

    def __init__(self, port):
        self.port, self.root = port, ""
        wait_until(self.listens, "WebKitWebDriver listens")

    def listens(self):
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            return True
        return False

    def open(self, program, arguments):
        wanted = {"webkitgtk:browserOptions": {"binary": str(program), "args": arguments}}
        opened = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.root = f"/session/{opened['sessionId']}"

    def run(self, script):
        return self.ask("POST", "/execute/async", {"script": script, "args": []})

    def close(self):
        # The driver ends the program with it.
        self.ask("DELETE", "", None)

    def ask(self, method, path, body):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        with contextlib.closing(connection):
            try:
                connection.request(method, self.root + path, json.dumps(body) if body else None)
                value = json.load(connection.getresponse())["value"]
            except (OSError, http.client.HTTPException) as error:
                raise Problem(f"WebKitWebDriver does not answer {method} {path}: {error}; try again") from error
        if isinstance(value, dict) and "error" in value:
            raise Problem(f"the window does not do {method} {path}: {value['error']}: {value.get('message', '')}")
        return value


def wait_until(it_is_so, what):
    end = time.monotonic() + PATIENCE
    while not it_is_so():
        if time.monotonic() > end:
            raise Problem(f"waited {PATIENCE} seconds in vain: {what}")
        time.sleep(0.01)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def memory(smaps_rollup):
    """Bytes by the kernel's names for them."""
    lines = (line.split() for line in smaps_rollup.splitlines())
    return {line[0].rstrip(":"): int(line[1]) * 1024 for line in lines if line[-1] == "kB"}


def tell(bench, unit, value, baseline):
    print(line(bench, unit, value, baseline), flush=True)


def line(bench, unit, value, baseline):
    """One measurement as `coterie bench` prints it; `baseline` is a name and a value, or None."""
    name, against = baseline or (None, None)
    measured = {
        "bench": bench,
        "unit": unit,
        "value": rounded(value),
        "baseline": baseline and {"name": name, "value": rounded(against)},
        "ratio": baseline and rounded(value / against),
    }
    return json.dumps(measured, ensure_ascii=False, separators=(",", ":"))


def rounded(value):
    """Four digits are more than a machine repeats."""
    value = float(value)
    return round(value, 3 - math.floor(math.log10(abs(value)))) if value else value


if __name__ == "__main__":
    sys.exit(main())
