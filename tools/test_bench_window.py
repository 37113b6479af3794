"""What tools/bench_window.py makes of what it reads. Run: python3 -m unittest discover -s tools"""

import contextlib
import gzip
import itertools
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import unittest
import uuid
from pathlib import Path

from window import bundle, company, lines, machine, model, use, watch


class Lines(unittest.TestCase):
    def test_a_line_is_like_those_of_coterie_bench(self):
        said = lines.line("window_idle", "MB", 113.98765, ("budget", 150))
        self.assertEqual(
            said,
            '{"bench":"window_idle","unit":"MB","value":114.0,'
            '"baseline":{"name":"budget","value":150.0},"ratio":0.7599}',
        )

    def test_without_a_baseline_there_is_no_ratio(self):
        said = json.loads(lines.line("window_idle_proportional", "MB", 0, None))
        self.assertEqual((said["value"], said["baseline"], said["ratio"]), (0.0, None, None))


class Memory(unittest.TestCase):
    def test_the_kernels_kilobytes_are_1024_bytes(self):
        rollup = "55e0-7ffd ---p 00000000 00:00 0    [rollup]\nRss:   3 kB\nPss:   2 kB\nPss_Dirty: 1 kB\n"
        self.assertEqual(machine.memory(rollup), {"Rss": 3072, "Pss": 2048, "Pss_Dirty": 1024})

    def test_a_moment_is_the_median_of_what_was_seen_before_it(self):
        samples = [(10, 1), (45, 7), (50, 9), (59, 8), (61, 100)]
        self.assertEqual(use.around(samples, 60), 8)

    def test_where_nothing_was_seen_before_a_moment_the_nearest_counts(self):
        self.assertEqual(use.around([(10, 1), (90, 5)], 80), 5)


class Processes(unittest.TestCase):
    def test_what_a_process_started_ends_with_it(self):
        starts = "import subprocess, time; print(subprocess.Popen(['sleep', '600']).pid, flush=True); time.sleep(600)"
        with machine.Running([sys.executable, "-c", starts], dict(os.environ), says=True) as parent:
            child = int(parent.first_line())
        # Whoever inherits it may not have waited for it yet.
        state = subprocess.run(["ps", "-o", "stat=", "-p", str(child)], capture_output=True, text=True).stdout
        self.assertIn(state.strip()[:1], ("", "Z"))

    def test_a_program_that_ends_at_once_is_named(self):
        with machine.Running(["true"], says=True) as running:
            with self.assertRaisesRegex(machine.Problem, "^true ended at once"):
                running.first_line()

    def test_what_is_further_down_is_found_too(self):
        starts = "import subprocess; subprocess.run(['sh', '-c', 'sleep 600; true'])"
        with machine.Running([sys.executable, "-c", starts], dict(os.environ)) as parent:
            machine.wait_until(lambda: len(machine.descendants(parent.pid)) == 2, "a shell has started sleep")
            self.assertIn("sh", machine.process_name(machine.children(parent.pid)[0]))
            for pid in machine.descendants(parent.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, 15)


class Gaps(unittest.TestCase):
    # The page's thread waited from 1010 to 1014, and nobody ran from 1020 to 1060.
    SEEN = watch.Seen(
        [(1000 + at, waited) for at, waited in ((0, 0), (10, 0), (12, 2), (14, 4), (16, 4), (18, 4), (20, 4), (60, 4), (62, 4))]
    )

    def gaps(self, *gaps):
        return watch.Gaps({"gaps": gaps, "from": 1000, "to": 3000, "frames": 120, "frameGap": 20}, self.SEEN)

    def test_waiting_for_a_processor_is_not_the_pages_own(self):
        self.assertEqual(self.SEEN.taken((1010, 1020)), 4)
        self.assertEqual(self.gaps((1010, 1020)).own, 6)

    def test_neither_is_what_the_whole_machine_stood_still(self):
        self.assertEqual(self.SEEN.taken((1015, 1070)), 40)
        self.assertEqual(self.SEEN.longest_stall(), 40)

    def test_the_longest_of_the_pages_own_may_be_another_one(self):
        gaps = self.gaps((1018, 1061), (1100, 1130), (1200, 1204))
        self.assertEqual((gaps.longest, gaps.own, gaps.over, gaps.frames_a_second), (43, 30, [], 60))

    def test_a_page_without_gaps_has_none(self):
        self.assertEqual((self.gaps().longest, self.gaps().own), (0, 0))


class Watching(unittest.TestCase):
    def test_a_process_is_looked_at_until_it_is_enough(self):
        with watch.Watch(os.getpid()) as one:
            machine.wait_until(lambda: one.process.poll() is None, "it runs")
            subprocess.run(["sleep", "0.5"], check=True)
            seen = one.seen()
        self.assertGreater(len(seen.samples), 10)


class Bundle(unittest.TestCase):
    def test_what_a_page_and_its_scripts_import_counts_and_what_they_may_import_later_does_not(self):
        files = {
            "index.html": '<script type="module" crossorigin src="/assets/index-a.js"></script>'
            '<link rel="modulepreload" crossorigin href="/assets/b.js"><link rel="stylesheet" href="/assets/c.css">'
            '<link rel="icon" href="data:," />',
            "assets/index-a.js": 'import{x}from"./b.js";import"./d.js";const later=()=>import("./later.js");import(`./tauri-1.js`)',
            "assets/b.js": 'export{y as x}from"./e.js"',
            "assets/c.css": "body{}",
            "assets/d.js": "1",
            "assets/e.js": "2",
            "assets/later.js": "3",
            "assets/tauri-1.js": "4",
        }
        with tempfile.TemporaryDirectory() as folder:
            built = Path(folder)
            (built / "assets").mkdir()
            for name, content in files.items():
                (built / name).write_text(content)
            sizes = bundle.sizes(built)
        self.assertEqual(sorted(sizes), sorted(name for name in files if name != "assets/later.js"))
        self.assertEqual(sizes["assets/c.css"], len(gzip.compress(b"body{}", 9)))


class Model(unittest.TestCase):
    def test_questions_are_answered_by_their_number_and_by_whoever_is_asked(self):
        self.assertEqual(model.answer_to("Question 1: why?", 0), model.ANSWERS[1])
        self.assertNotEqual(model.answer_to("Question 1: why?", 1), model.answer_to("Question 1: why?", 2))

    def test_a_stream_says_all_that_it_has_and_begins_anew(self):
        text = "\n\n".join(model.ANSWERS) + "\n\n"
        said = ""
        for token in itertools.islice(model.tokens(0), len(text)):
            self.assertLessEqual(len(token.strip()), 6)
            said += token
        self.assertTrue((said + text).startswith(text))


    def test_a_stream_is_counted_while_it_goes_on_and_lateness_once(self):
        state = model.State()
        with state.stream():
            state.late(3)
            state.late(2)
            self.assertEqual(state.take(), {"streams": 1, "late_ms": 3})
        self.assertEqual(state.take(), {"streams": 0, "late_ms": 0.0})


class Long(unittest.TestCase):
    """A conversation as small as can be, in tables like those of the program."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = Path(self.folder.name) / "coterie.db"
        self.group, self.agent = uuid.uuid4().bytes, uuid.uuid4().bytes
        expected = company.QUESTIONS * company.A_QUESTION_WITH_ANSWERS
        self.message = [at.to_bytes(6, "big") + os.urandom(10) for at in range(company.A_MOMENT_MS + 10**11, company.A_MOMENT_MS + 10**11 + expected)]
        self.run = os.urandom(16)
        with contextlib.closing(sqlite3.connect(str(self.file))) as db, db:
            db.executescript(
                "CREATE TABLE messages (seq INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL UNIQUE, group_id BLOB, run BLOB, at_ms INTEGER);"
                "CREATE TABLE runs (seq INTEGER PRIMARY KEY, id BLOB, reads_to INTEGER, outcome TEXT, at_ms INTEGER, took_ms INTEGER);"
                "CREATE TABLE steps (run BLOB, n INTEGER, PRIMARY KEY (run, n)) WITHOUT ROWID;"
                "CREATE TABLE members (group_id BLOB, cursor INTEGER, PRIMARY KEY (group_id)) WITHOUT ROWID;"
                "CREATE TABLE outbox (seq INTEGER PRIMARY KEY, message INTEGER, run INTEGER);"
            )
            self.at_ms = company.A_MOMENT_MS + 10**11
            for seq, one in enumerate(self.message, start=1):
                db.execute("INSERT INTO messages VALUES (?, ?, ?, ?, ?)", (seq, one, self.group, self.run if seq == 2 else None, self.at_ms))
            outcome = json.dumps({"message": str(uuid.UUID(bytes=self.message[1])), "agent": str(uuid.UUID(bytes=self.agent))})
            db.execute("INSERT INTO runs VALUES (1, ?, 1, ?, ?, 12)", (self.run, outcome, self.at_ms))
            db.executemany("INSERT INTO steps VALUES (?, ?)", [(self.run, 1), (self.run, 2)])
            db.execute("INSERT INTO members VALUES (?, 0)", (self.group,))
            db.executemany("INSERT INTO outbox VALUES (?, ?, ?)", [(1, 1, None), (2, None, 1)])
        self.expected = expected

    def test_each_copy_has_ids_numbers_and_times_of_its_own_and_the_last_is_of_now(self):
        self.assertEqual(company.lengthen(self.file, 3), 3 * self.expected)
        with contextlib.closing(sqlite3.connect(str(self.file))) as db:
            messages = db.execute("SELECT seq, id, run, at_ms FROM messages ORDER BY seq").fetchall()
            runs = db.execute("SELECT seq, id, reads_to, outcome, at_ms, took_ms FROM runs ORDER BY seq").fetchall()
            self.assertEqual([row[0] for row in messages], list(range(1, 3 * self.expected + 1)))
            self.assertEqual(messages[-1][1:], (self.message[-1], None, self.at_ms))
            self.assertEqual(messages[0][3], self.at_ms - 2 * company.APART_MS)
            self.assertEqual([run[2] for run in runs], [1, 1 + self.expected, 1 + 2 * self.expected])
            for n, (_, run, _, outcome, at_ms, took_ms) in enumerate(runs):
                answer = messages[n * self.expected + 1]
                self.assertEqual((answer[2], answer[3], took_ms), (run, at_ms, 12))
                said = json.loads(outcome)
                self.assertEqual(uuid.UUID(said["message"]).bytes, answer[1])
                self.assertEqual(uuid.UUID(said["agent"]).bytes, self.agent)
            self.assertEqual(db.execute("SELECT count(DISTINCT run), count(*) FROM steps").fetchone(), (3, 6))
            self.assertEqual(db.execute("SELECT cursor FROM members").fetchone(), (3 * self.expected,))
            outbox = db.execute("SELECT message, run FROM outbox ORDER BY seq").fetchall()
            self.assertEqual(outbox, [(1, None), (None, 1), (1 + self.expected, None), (None, 2), (1 + 2 * self.expected, None), (None, 3)])

    def test_a_workspace_that_is_not_as_expected_is_left_alone(self):
        with contextlib.closing(sqlite3.connect(str(self.file))) as db, db:
            db.execute("DELETE FROM messages WHERE seq = 1")
        with self.assertRaisesRegex(machine.Problem, "and not"):
            company.lengthen(self.file, 3)


if __name__ == "__main__":
    unittest.main()
