#!/usr/bin/env python3
"""Looks at the machine while the page is measured, from a process of its own.

    watch.py PROCESS

Every two milliseconds, until its input ends: the moment, and how long the main
thread of PROCESS has waited for a processor so far. Then prints all of it. The
moments tell when the machine itself stood still, the waiting when others had
its processors; neither is the page's fault.
"""

from __future__ import annotations

import bisect
import contextlib
import json
import select
import subprocess
import sys
import time
from pathlib import Path

EVERY_S = 0.002


def main(process):
    account = Path(f"/proc/{process}/task/{process}/schedstat")
    samples = []
    while not select.select([sys.stdin], [], [], EVERY_S)[0]:
        waited_ms = 0.0
        with contextlib.suppress(OSError):
            waited_ms = int(account.read_text().split()[1]) / 1e6
        samples.append((time.time() * 1000, waited_ms))
    json.dump(samples, sys.stdout)


class Watch:
    """What the machine does, from here to `seen`."""

    def __init__(self, process):
        self.command = [sys.executable, "-B", __file__, str(process)]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        return self

    def seen(self):
        said, _ = self.process.communicate()
        return Seen(json.loads(said))

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.communicate()


class Seen:
    """Samples of a moment and a time that was waited so far, in milliseconds."""

    def __init__(self, samples):
        self.samples = [list(sample) for sample in samples]

    def longest_stall(self):
        """How long this process itself, which does nothing, was not let run at most."""
        return max((later[0] - sooner[0] for sooner, later in self.pairs()), default=0.0)

    def taken(self, gap):
        """How much of a gap the machine took: the page's thread waited for a processor, or nothing ran."""
        begin, end = gap
        # The kernel counts a wait when it is over, and that is seen at the next look.
        waited = self.waited_by(end) - self.waited_by(begin)
        stood = 0.0
        for (sooner, _), (later, _) in self.pairs():
            shared = min(end, later) - max(begin, sooner)
            if shared > 0 and later - sooner > 10 * EVERY_S * 1000:
                stood += shared
        return min(end - begin, max(waited, stood))

    def waited_by(self, moment):
        at = bisect.bisect_left(self.samples, [moment, -1.0])
        return self.samples[min(at, len(self.samples) - 1)][1] if self.samples else 0.0

    def pairs(self):
        return zip(self.samples, self.samples[1:])


class Gaps:
    """The gaps between ticks of a page, and what of them is the page's own."""

    def __init__(self, run, seen):
        gaps = run["gaps"]
        self.longest = max((end - begin for begin, end in gaps), default=0.0)
        # A shorter one cannot be longer than what is left of a longer one that was looked at.
        self.own = 0.0
        for begin, end in sorted(gaps, key=lambda gap: gap[0] - gap[1]):
            if end - begin <= self.own:
                break
            self.own = max(self.own, end - begin - seen.taken((begin, end)))
        self.over = [end - begin for begin, end in gaps if end - begin > 50]
        self.frame = run["frameGap"]
        self.stall = seen.longest_stall()
        seconds = (run["to"] - run["from"]) / 1000
        self.frames_a_second = run["frames"] / seconds if seconds else 0.0


if __name__ == "__main__":
    main(int(sys.argv[1]))
