"""What tools/licences.py must refuse and write. Run: python3 -m unittest discover -s tools"""

import json
import tempfile
import unittest
from pathlib import Path

import licences


class Licences(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.ui = Path(folder.name)
        self.lock = {"": {"name": "ui"}}

    def add(self, name, licence, text=None, **more):
        folder = self.ui / "node_modules" / name
        folder.mkdir(parents=True)
        (folder / "package.json").write_text(json.dumps({"name": name, "author": {"name": "Ann"}}))
        if text is not None:
            (folder / "LICENSE").write_text(text)
        said = {"license": licence} if licence else {}
        self.lock[f"node_modules/{name}"] = {"version": "1.0.0", **said, **more}

    def written(self):
        (self.ui / "package-lock.json").write_text(json.dumps({"packages": self.lock}))
        return licences.written(licences.packages(self.ui), self.ui)

    def test_each_text_stands_once_below_all_that_stand_under_it(self):
        self.add("b", "MIT", "text one\n")
        self.add("@of/a", "(MPL-2.0 OR Apache-2.0)", "text two")
        self.add("a", "MIT", "text one")
        self.add("tests", "GPL-3.0", dev=True)
        text = self.written()
        self.assertEqual(text.count("text one"), 1)
        self.assertIn("\na 1.0.0 (MIT)\nb 1.0.0 (MIT)\n", text)
        self.assertIn("@of/a 1.0.0", text)
        self.assertNotIn("tests", text)

    def test_a_package_under_another_licence_is_refused_by_name(self):
        for licence, said in [("GPL-3.0-only", "is under GPL-3.0-only"), (None, "does not say its licence")]:
            self.add(f"new-{said[:4].strip()}", licence, "text")
            with self.assertRaisesRegex(licences.Refused, f"new-{said[:4].strip()} 1.0.0 {said}"):
                self.written()
            self.lock.popitem()

    def test_a_package_without_a_text_is_refused_by_name(self):
        self.add("new", "MIT")
        with self.assertRaisesRegex(licences.Refused, "new 1.0.0 brings no text"):
            self.written()

    def test_one_that_is_known_to_bring_none_gets_the_text_with_its_author(self):
        self.add("fastdom", "MIT")
        self.assertIn("Copyright (c) Ann\n\nThe MIT License", self.written())

    def test_of_several_licences_one_must_be_allowed_and_all_that_hold_together(self):
        said = {"MIT OR GPL-3.0": True, "MIT AND ISC": True, "MIT AND GPL-3.0": False, "GPL-3.0 OR AGPL-3.0": False}
        said.update({"(MIT OR GPL-3.0) AND AGPL-3.0": False, "SEE LICENSE IN x": False})
        self.assertEqual({one: licences.is_allowed(one) for one in said}, said)

    def test_every_package_of_the_window_has_one_and_brings_its_text(self):
        text = licences.written(licences.packages(licences.UI), licences.UI)
        for name in ["svelte", "mermaid", "uplot", "dompurify", "@tauri-apps/api"]:
            self.assertRegex(text, rf"(?m)^{name} \d")


if __name__ == "__main__":
    unittest.main()
