"""Starts what is measured, and drives it: a machine of its own, processes, a session of WebDriver."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

SCREEN = "1400x900x24"
PATIENCE = 30

BUS = """<busconfig>
<type>session</type>
<listen>unix:dir=FOLDER</listen>
<policy context="default">
<allow send_destination="*" eavesdrop="true"/>
<allow eavesdrop="true"/>
<allow own="*"/>
</policy>
</busconfig>"""

PAGE = Path(__file__).with_name("page.js")


class Problem(Exception):
    """What went wrong and what to do about it, in one sentence."""


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

    @contextlib.contextmanager
    def driven(self, program):
        """A session of WebDriver with the window, which ends with it."""
        with self.opened(program) as (session, window):
            try:
                yield session
            finally:
                session.close()
                # The next start would only call upon one that has not ended yet.
                wait_until(lambda: not any(map(process_name, window)), "the window ends")

    @contextlib.contextmanager
    def opened(self, program):
        """A session, and the process that the driver started for it. Now and then the
        driver does not find the window that it started: another one does."""
        for tries_left in (2, 1, 0):
            port = free_port()
            command = ["WebKitWebDriver", f"--port={port}"]
            with Running(command, self.environment(TAURI_WEBVIEW_AUTOMATION="true")) as driver:
                session = Session(port, driver)
                try:
                    session.open(program, self.arguments())
                except Problem:
                    if not tries_left:
                        raise
                    continue
                yield session, children(driver.pid)
                return

    @contextlib.contextmanager
    def window(self, program):
        """The same, as soon as a person can do something in it, with `bench` of page.js in the page."""
        with self.driven(program) as session:
            wait_until(lambda: session.value(IS_THERE), "the window shows its conversations")
            session.value(PAGE.read_text(encoding="utf-8"))
            yield session

    def arguments(self):
        return ["--data", str(self.home / "workspace")]

    def environment(self, **more):
        given = {name: os.environ[name] for name in ("COTERIE_ASSETS",) if name in os.environ}
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
            **given,
            **more,
        }


IS_THERE = "return document.querySelector('[data-testid=roster-agent]') !== null"


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
        for child in children(self.pid):
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


class Session:
    """One session of WebDriver, as far as it is needed here."""

    def __init__(self, port, driver):
        self.port, self.driver, self.root = port, driver, ""
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
        """What the script gives to the last of its arguments, a function."""
        return self.ask("POST", "/execute/async", {"script": script, "args": []})

    def value(self, script, *arguments):
        """What the script returns at once."""
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def bench(self, name, *arguments, patience=PATIENCE):
        """What a function of page.js comes to; it is asked for now and then, since it may take minutes."""
        self.value("bench.begin(arguments[0], arguments[1])", name, list(arguments))
        end = time.monotonic() + patience
        while True:
            over = self.value("return bench.over()")
            if over is not None:
                break
            if time.monotonic() > end:
                raise Problem(f"waited {patience} seconds in vain: the page does {name}")
            time.sleep(0.25)
        if "fault" in over:
            raise Problem(f"the page does not do {name}: {over['fault']}")
        return over.get("value")

    def press(self, character):
        """As a keyboard does it."""
        strokes = [{"type": kind, "value": character} for kind in ("keyDown", "keyUp")]
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": strokes}]})

    def processes(self):
        """The window's own process and those of WebKit, by their names."""
        (window,) = [pid for pid in children(self.driver.pid) if not process_name(pid).startswith("WebKit")] or [None]
        if window is None:
            raise Problem("the window has ended; start the program by hand to see why")
        return {pid: process_name(pid) for pid in (window, *descendants(window))}

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


def need(program):
    if not program.exists():
        raise Problem(f"{program} is missing; run `make bench`, which builds it")
    for needed in ("Xvfb", "dbus-daemon", "WebKitWebDriver"):
        if not shutil.which(needed):
            raise Problem(f"{needed} is missing; run tools/setup.sh build test, then try again")


def wait_until(it_is_so, what, patience=PATIENCE):
    end = time.monotonic() + patience
    while not it_is_so():
        if time.monotonic() > end:
            raise Problem(f"waited {patience} seconds in vain: {what}")
        time.sleep(0.01)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def children(pid):
    found = []
    with contextlib.suppress(OSError):
        for children_file in Path(f"/proc/{pid}/task").glob("*/children"):
            found += [int(child) for child in children_file.read_text().split()]
    return found


def descendants(pid):
    found = []
    for child in children(pid):
        found += [child, *descendants(child)]
    return found


def process_name(pid):
    with contextlib.suppress(OSError):
        return os.path.basename(os.readlink(f"/proc/{pid}/exe"))
    return ""


def memory(smaps_rollup):
    """Bytes by the kernel's names for them."""
    lines = (line.split() for line in smaps_rollup.splitlines())
    return {line[0].rstrip(":"): int(line[1]) * 1024 for line in lines if line[-1] == "kB"}
