"""What tools/bench_window.py makes of what it reads. Run: python3 -m unittest discover -s tools"""

import json
import os
import subprocess
import sys
import unittest

import bench_window


class Lines(unittest.TestCase):
    def test_a_line_is_like_those_of_coterie_bench(self):
        said = bench_window.line("window_idle", "MB", 113.98765, ("budget", 150))
        self.assertEqual(
            said,
            '{"bench":"window_idle","unit":"MB","value":114.0,'
            '"baseline":{"name":"budget","value":150.0},"ratio":0.7599}',
        )

    def test_without_a_baseline_there_is_no_ratio(self):
        said = json.loads(bench_window.line("window_idle_proportional", "MB", 0, None))
        self.assertEqual((said["value"], said["baseline"], said["ratio"]), (0.0, None, None))


class Memory(unittest.TestCase):
    def test_the_kernels_kilobytes_are_1024_bytes(self):
        rollup = "55e0-7ffd ---p 00000000 00:00 0    [rollup]\nRss:   3 kB\nPss:   2 kB\nPss_Dirty: 1 kB\n"
        self.assertEqual(bench_window.memory(rollup), {"Rss": 3072, "Pss": 2048, "Pss_Dirty": 1024})


class Processes(unittest.TestCase):
    def test_what_a_process_started_ends_with_it(self):
        starts = "import subprocess, time; print(subprocess.Popen(['sleep', '600']).pid, flush=True); time.sleep(600)"
        with bench_window.Running([sys.executable, "-c", starts], dict(os.environ), says=True) as parent:
            child = int(parent.first_line())
        # Whoever inherits it may not have waited for it yet.
        state = subprocess.run(["ps", "-o", "stat=", "-p", str(child)], capture_output=True, text=True).stdout
        self.assertIn(state.strip()[:1], ("", "Z"))

    def test_a_program_that_ends_at_once_is_named(self):
        with bench_window.Running(["true"], says=True) as running:
            with self.assertRaisesRegex(bench_window.Problem, "^true ended at once"):
                running.first_line()


if __name__ == "__main__":
    unittest.main()
