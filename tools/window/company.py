"""The workspace in which the window is measured: agents, a model, and a conversation of 10,000 messages.

The program itself makes all of it, up to the first ten questions with their
answers. The rest of the long conversation is these rows again and again, with
other ids, numbers and times: that is how the program would have written them,
without the hour it would take to ask.
"""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import sqlite3
import subprocess
import sys
import time
import urllib.request
import uuid
from pathlib import Path

from window.machine import Problem, Running, wait_until

LONG, EIGHT = "Long", "Eight"
MESSAGES = 10_000
QUESTIONS = 10
# The person, and four who answer.
LONG_MEMBERS = ("Ada", "Bo", "Ines", "Otto")
A_QUESTION_WITH_ANSWERS = 1 + len(LONG_MEMBERS)
COPIES = MESSAGES // (QUESTIONS * A_QUESTION_WITH_ANSWERS)
# So far apart are the copies, which makes some days of them.
APART_MS = 3_600_000
# What is less, in milliseconds, is a span and no moment.
A_MOMENT_MS = 1_000_000_000_000

UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")

ASKS = (
    "what do you make of the numbers in the second report? I cannot see how the total came about.",
    "帮我看看这个安排行不行，尤其是第三天，会不会太紧？",
    "this takes four minutes and I do not know why:\n\n```python\nprint(totals(\"all.csv\", names))\n```",
    "rent or buy? Please compare what it costs over three years.",
    "shall we leave it at that for today?",
)


class Company:
    """A workspace with its model server, until the end of its `with`."""

    def __init__(self, machine, program):
        self.machine, self.coterie = machine, program.with_name("coterie")
        if not self.coterie.exists():
            raise Problem(f"{self.coterie} is missing; run `make bench`, which builds it")
        if sqlite3.sqlite_version_info < (3, 37):
            raise Problem(f"this Python has SQLite {sqlite3.sqlite_version}, and 3.37 is needed; use a newer one")

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            server = [sys.executable, "-B", str(Path(__file__).with_name("model.py"))]
            self.port = int(stack.enter_context(Running(server, says=True)).first_line())
            with self.served():
                self.gather()
                for n in range(QUESTIONS):
                    self.do("say", LONG, f"Question {n + 1}: {ASKS[n % len(ASKS)]}", "--wait", "60")
            workspace = self.machine.home / "workspace"
            self.newest = lengthen(workspace / "coterie.db", COPIES)
            shutil.rmtree(workspace / "index", ignore_errors=True)
            # The index reads what is new to it, which is over before anything is measured.
            with self.served() as serve:
                wait_until_quiet(serve.pid)
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *_):
        self.stack.close()

    def model(self):
        """What the model server does, as its program says."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/state", timeout=10) as answer:
            return json.load(answer)

    def gather(self):
        self.do("provider", "add", "bench", "--url", f"http://127.0.0.1:{self.port}/v1", "--model", "bench")
        self.do("model", "use", "default", "bench/bench")
        # Eight are to speak at once, and nobody by themselves.
        self.do("setting", "models-at-once", "8")
        self.do("setting", "memory-looks-back", "off")
        self.do("agent", "new", "ada", "--name", "Kim")
        self.do("agent", "new", "bo", "--name", "Lee")
        self.do("group", "new", LONG, "--members", ",".join(LONG_MEMBERS), "--policy", "broadcast")
        everybody = (*LONG_MEMBERS, "林夏", "老陈", "Kim", "Lee")
        self.do("group", "new", EIGHT, "--members", ",".join(everybody), "--policy", "broadcast")
        for group in (LONG, EIGHT):
            self.do("group", "set", group, "runs_per_hour", "10000")

    @contextlib.contextmanager
    def served(self):
        command = [str(self.coterie), *self.machine.arguments(), "serve"]
        with Running(command, self.machine.environment()) as serve:
            socket_file = self.machine.home / "workspace" / "coterie.sock"
            wait_until(socket_file.exists, "coterie serve opens the workspace")
            yield serve

    def do(self, *words):
        """A command of the command line, which reaches whoever has the workspace open."""
        command = [str(self.coterie), *self.machine.arguments(), *words]
        done = subprocess.run(command, env=self.machine.environment(), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
        if done.returncode != 0:
            raise Problem(f"coterie {' '.join(words[:3])} failed: {done.stdout.strip()[-500:]}")
        return done.stdout


def lengthen(database, copies):
    """Makes the conversation so many times as long; gives the number of its newest message."""
    with contextlib.closing(sqlite3.connect(str(database))) as db, db:
        if db.execute("SELECT count(DISTINCT group_id) FROM messages").fetchone()[0] != 1:
            raise Problem("a new workspace has messages of its own; company.py copies one conversation only")
        expected = QUESTIONS * A_QUESTION_WITH_ANSWERS
        (there,) = db.execute("SELECT count(*) FROM messages").fetchone()
        if there != expected:
            raise Problem(f"there are {there} messages and not {expected}; run `coterie say` by hand to see why")
        ids = {row[0] for row in db.execute("SELECT id FROM messages UNION SELECT id FROM runs")}
        tables = {table: template(db, table, ids) for table in names_of_tables(db)}
        spans = {table: db.execute(f"SELECT max(seq) FROM {table}").fetchone()[0] or 0
                 for table, (columns, _) in tables.items() if "seq" in columns}
        for table, (columns, rows) in tables.items():
            keys = [column[1] for column in db.execute(f"PRAGMA table_info({table})") if column[5]]
            this_row = " AND ".join(f"{key} IS ?" for key in keys)
            old = [[row[columns.index(key)] for key in keys] for row in rows]
            db.executemany(f"DELETE FROM {table} WHERE {this_row}", old)
        # The last copy is of now, and the others were before it.
        for nth in range(copies):
            change = Copy(ids, spans, nth, (nth - copies + 1) * APART_MS)
            for table, (columns, rows) in tables.items():
                holes = ",".join("?" * len(columns))
                new = [change.row(table, columns, row) for row in rows]
                db.executemany(f"INSERT INTO {table} ({','.join(columns)}) VALUES ({holes})", new)
        (newest,) = db.execute("SELECT max(seq) FROM messages").fetchone()
        # All of it has been read.
        db.execute("UPDATE members SET cursor = ? WHERE group_id = (SELECT group_id FROM messages LIMIT 1)", (newest,))
        return newest


def names_of_tables(db):
    sql = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
    return [name for (name,) in db.execute(sql)]


def template(db, table, ids):
    """The columns of a table, and its rows that are of the conversation."""
    found = db.execute(f"SELECT * FROM {table}")
    columns = [column[0] for column in found.description]
    return columns, [row for row in found if table == "outbox" or names_any(row, ids)]


def names_any(row, ids):
    for value in row:
        if isinstance(value, bytes) and value in ids:
            return True
        if isinstance(value, str) and any(uuid.UUID(one).bytes in ids for one in UUID.findall(value)):
            return True
    return False


class Copy:
    """What is different in the nth copy of a row: later ids, numbers and times."""

    # Numbers of other tables' rows.
    NUMBERS = {
        ("wakes", "message_seq"): "messages",
        ("runs", "reads_after"): "messages",
        ("runs", "reads_to"): "messages",
        ("outbox", "message"): "messages",
        ("outbox", "run"): "runs",
    }

    def __init__(self, ids, spans, nth, later_ms):
        self.ids, self.spans, self.nth, self.later_ms = ids, spans, nth, later_ms

    def row(self, table, columns, row):
        return tuple(self.value(table, column, value) for column, value in zip(columns, row))

    def value(self, table, column, value):
        if isinstance(value, int):
            if column.endswith("_ms") and value > A_MOMENT_MS:
                return value + self.later_ms
            counted = table if column == "seq" else self.NUMBERS.get((table, column))
            return value + self.nth * self.spans[counted] if counted else value
        if isinstance(value, bytes):
            return self.id(value)
        if isinstance(value, str):
            return UUID.sub(lambda one: str(uuid.UUID(bytes=self.id(uuid.UUID(one.group()).bytes))), value)
        return value

    def id(self, of):
        """An id begins with its time."""
        if of not in self.ids:
            return of
        at_ms = int.from_bytes(of[:6], "big") + self.later_ms
        return at_ms.to_bytes(6, "big") + of[6:]


def wait_until_quiet(pid, patience=300):
    """Until the process has done next to nothing for three seconds."""
    end = time.monotonic() + patience
    before = processor_seconds(pid)
    while time.monotonic() < end:
        time.sleep(3)
        now = processor_seconds(pid)
        if now - before < 0.1:
            return
        before = now
    raise Problem(f"waited {patience} seconds in vain: the new workspace comes to rest")


def processor_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100
