"""Measurements as lines of JSON, as `coterie bench` prints them."""

from __future__ import annotations

import json
import math
import sys


def tell(bench, unit, value, baseline):
    print(line(bench, unit, value, baseline), flush=True)


def note(words):
    """What makes a figure less than it seems: for people, on stderr."""
    print(f"bench_window: {words}", file=sys.stderr, flush=True)


def line(bench, unit, value, baseline):
    """One measurement; `baseline` is a name and a value, or None."""
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
