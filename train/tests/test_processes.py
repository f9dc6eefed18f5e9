"""Two processes compute what one does."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import tiny

from fmsop_train.__main__ import parser
from fmsop_train.run import run

SETTINGS = ["batch_groups=6", "epochs=2", "evaluate_every=2", "max_tokens=90", "micro_tokens=90", "decode_groups=3"]


class Processes(unittest.TestCase):
    def test_two_are_as_one(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        tiny.use_judge(self, folder)
        arguments = [str(tiny.dataset_folder(folder / "data", 6)), "--model", str(tiny.model_folder(folder / "base")), "--quiet"]
        for s in SETTINGS:
            arguments += ["--set", s]
        launch = [
            sys.executable,
            "-m",
            "torch.distributed.run",
            "--standalone",
            "--nproc-per-node",
            "2",
            str(Path(__file__).parent / "processes.py"),
        ]
        two = subprocess.Popen(
            [*launch, *arguments, "-o", str(folder / "two")],
            env={**os.environ, "CUDA_VISIBLE_DEVICES": ""},
            stderr=subprocess.PIPE,
            text=True,
        )
        run(parser().parse_args([*arguments, "-o", str(folder / "one")]))
        _, errors = two.communicate()
        self.assertEqual(two.returncode, 0, errors)
        one, two = ([json.loads(line) for line in (folder / out / "metrics.jsonl").read_text().splitlines()] for out in ("one", "two"))
        for a, b in zip(one, two, strict=True):
            self.assertEqual((a["kind"], a["step"]), (b["kind"], b["step"]))
            for key in ("loss", "gradient_norm", "tokens", "validity", "accuracy", "margin", "regression"):
                self.assertAlmostEqual(a.get(key, 0), b.get(key, 0), places=4)
        sharded = json.loads((folder / "two" / "sharded.json").read_text())
        for a, b in zip(sharded["whole"], sharded["sharded"], strict=True):
            self.assertAlmostEqual(a, b, places=4)
        self.assertEqual(sharded["resumed"], sharded["sharded"][2:])
        self.assertEqual(*sharded["answers"])


if __name__ == "__main__":
    unittest.main()
