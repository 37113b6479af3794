#!/usr/bin/env python3
"""Writes crates/llm/src/prices.tsv anew: what models of well-known services cost.

    tools/prices.py litellm==1.109.1 2026-11-22

Takes the table that LiteLLM (MIT) ships in its wheel, which is downloaded and read
as a zip, nothing installed. The day is the one on which the prices are taken to hold.
"""

import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

TABLE = "litellm/model_prices_and_context_window_backup.json"
OUT = Path(__file__).parent.parent / "crates/llm/src/prices.tsv"

# LiteLLM's name of a service, and the host that Coterie reaches it at. Services that
# ask other prices at this host than those that LiteLLM knows are left out.
HOSTS = {
    "openai": "api.openai.com",
    "anthropic": "api.anthropic.com",
    "gemini": "generativelanguage.googleapis.com",
    "deepseek": "api.deepseek.com",
    "groq": "api.groq.com",
    "mistral": "api.mistral.ai",
    "xai": "api.x.ai",
    "together_ai": "api.together.xyz",
    "fireworks_ai": "api.fireworks.ai",
    "cerebras": "api.cerebras.ai",
}


def main() -> None:
    package, day = sys.argv[1:]
    rows = sorted(filter(None, (row(name, model) for name, model in table(package).items())))
    # Of a model that is listed twice the dearer row, so that nobody is surprised.
    rows = sorted({(host, name): (host, name, *rates) for host, name, *rates in sorted(rows, key=dearness)}.values())
    head = f"# as of {day}, from {package}: host, model, millionths of a dollar for a million tokens:"
    head += " input, from the cache, into the cache, output\n"
    OUT.write_text(head + "".join("\t".join(cells) + "\n" for cells in rows))
    print(f"{len(rows)} models in {OUT.name}")


def dearness(row: tuple[str, ...]) -> int:
    return int(row[2]) + int(row[-1])


def table(package: str) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        subprocess.run([*command, "--dest", folder, package], check=True)
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as zipped:
            return json.loads(zipped.read(TABLE))


def row(name: str, model: dict) -> tuple[str, ...] | None:
    service = model.get("litellm_provider")
    host = HOSTS.get(service)
    if host is None or model.get("mode") not in ("chat", "responses", "embedding") or name.startswith("ft:"):
        return None
    # Some ask more for a long prompt; what counts is what most prompts cost.
    rates = model if "input_cost_per_token" in model else (model.get("tiered_pricing") or [{}])[0]
    if model["mode"] == "embedding":
        rates = {"output_cost_per_token": 0} | rates
    if "input_cost_per_token" not in rates or "output_cost_per_token" not in rates:
        return None
    fields = ("input_cost_per_token", "cache_read_input_token_cost", "cache_creation_input_token_cost", "output_cost_per_token")
    cells = [microusd(rates.get(field)) for field in fields]
    # What costs nothing is a trial, or a price that nobody knows.
    if cells[0] == cells[-1] == "0":
        return None
    return (host, name.removeprefix(f"{service}/"), *cells)


def microusd(dollars_a_token: float | None) -> str:
    return "" if dollars_a_token is None else str(round(dollars_a_token * 1e12))


if __name__ == "__main__":
    main()
