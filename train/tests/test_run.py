"""Whole runs of a tiny model."""

import json
import math
import os
import signal
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import bitsandbytes
import tiny
import torch
from peft import PeftModel
from safetensors import safe_open
from transformers import AutoModelForCausalLM, AutoTokenizer, BitsAndBytesConfig

from fmsop_train import objective, trainer
from fmsop_train.__main__ import main, parser
from fmsop_train.errors import TrainError
from fmsop_train.run import run
from fmsop_train.stop import Stop

SMALL = ["batch_groups=4", "epochs=3", "evaluate_every=2", "decode_groups=2", "validation_groups=3", "learning_rate=1e-3", "patience=0"]


class Runs(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tiny.enter(self, tempfile.TemporaryDirectory()))
        self.model = tiny.model_folder(self.folder / "base")
        self.data = tiny.dataset_folder(self.folder / "data", 8)
        tiny.use_judge(self, self.folder)

    def train(self, out: str, *settings: str, resume: bool = False, recipe: str = "recommended") -> list[dict]:
        arguments = [str(self.data), "--model", str(self.model), "-o", str(self.folder / out), "--recipe", recipe, "--quiet"]
        for s in [*SMALL, *settings]:
            arguments += ["--set", s]
        run(parser().parse_args(arguments + ["--resume"] * resume))
        return self.metrics(out)

    def metrics(self, out: str) -> list[dict]:
        return [json.loads(line) for line in (self.folder / out / "metrics.jsonl").read_text().splitlines()]

    def weights(self, out: str) -> dict[str, torch.Tensor]:
        return AutoModelForCausalLM.from_pretrained(self.folder / out / "model").state_dict()


def untimed(lines: list[dict]) -> list[dict]:
    return [{k: v for k, v in line.items() if k != "tokens_per_second"} for line in lines]


class Unbroken(Runs):
    def test_stopped_and_resumed(self):
        """The losses, the evaluations and the weights are those of an unbroken run,
        dropout included."""
        settings = ["method=lora", "lora_dropout=0.2", "patience=2"]
        whole = self.train("whole", *settings)
        for step, before, resume in ((4, 3, False), (7, 2, True)):  # an evaluation is due after the first of them
            with (
                unittest.mock.patch.object(Stop, "asked", side_effect=[False] * before + [True]),
                self.assertRaisesRegex(TrainError, f"stopped after step {step} of 12: go on with --resume"),
            ):
                self.train("broken", *settings, resume=resume)
        # A kill may leave lines of steps that no checkpoint has, and a part of one.
        with (self.folder / "broken" / "metrics.jsonl").open("a") as f:
            f.write('{"kind": "train", "step": 8, "loss": 9}\n{"kind": "tr')
        resumed = self.train("broken", *settings, resume=True)
        self.assertEqual(untimed(resumed), untimed(whole))
        for name, weight in self.weights("whole").items():
            torch.testing.assert_close(self.weights("broken")[name], weight, rtol=0, atol=0)

    def test_same_seed_same_losses(self):
        self.assertEqual(untimed(self.train("a", "epochs=1")), untimed(self.train("b", "epochs=1")))
        self.assertNotEqual(untimed(self.train("a2", "epochs=1", "seed=2")), untimed(self.metrics("a")))

    def test_resume_wants_the_same_run(self):
        self.train("out", "epochs=1")
        with self.assertRaisesRegex(TrainError, "begun with temperature 0.1, not 0.5"):
            self.train("out", "epochs=1", "temperature=0.5", resume=True)
        with self.assertRaisesRegex(TrainError, "is there already: go on with --resume"):
            self.train("out", "epochs=1")
        with self.assertRaisesRegex(TrainError, "no run to go on with"):
            self.train("none", resume=True)
        self.data = tiny.dataset_folder(self.folder / "other", 9)
        with self.assertRaisesRegex(TrainError, "begun with other data"):
            self.train("out", "epochs=1", resume=True)


class Learning(Runs):
    def test_32_groups_are_learnt(self):
        self.data = tiny.dataset_folder(self.folder / "32", 32, stages=(1,))
        self.model = tiny.model_folder(self.folder / "wider", width=64)
        lines = self.train(
            "out",
            "method=full",
            "batch_groups=32",
            "epochs=60",
            "learning_rate=5e-3",
            "evaluate_every=0",
            "clip=1",
            "temperature=0.2",
            "gradient_checkpointing=false",
        )
        self.assertLess(lines[0]["accuracy"], 0.6)
        self.assertEqual([line["accuracy"] for line in lines[-3:]], [1.0] * 3)

    def test_alpha_temperature_and_nll(self):
        one = ["method=full", "epochs=0.1", "schedule=unified", "evaluate_every=0"]
        a = self.train("a", *one, recipe="paper")[0]
        self.assertAlmostEqual(a["loss"], a["contrastive"], places=6)
        b = self.train("b", *one, "schedule=joint", "weights=[0.25, 0.25, 0.5]", "contrastive=0.7", "nll=0.3")[0]
        self.assertAlmostEqual(b["loss"], 0.5 * (0.7 * b["contrastive"] + 0.3 * b["nll"]), places=6)
        # At a high temperature all answers are alike; at a low one the loss is the margin.
        c = self.train("c", *one, "temperature=1e6")[0]
        self.assertAlmostEqual(c["contrastive"], math.log(4), places=4)
        d = self.train("d", *one, "temperature=0.01")[0]
        e = self.train("e", *one, "temperature=0.02")[0]
        self.assertGreater(d["contrastive"], 1.5 * e["contrastive"])

    def test_without_contrast_only_positives_are_computed(self):
        one = ["method=full", "epochs=1", "evaluate_every=0", "nll=1"]
        lines = self.train("positives", *one, "contrastive=0")
        almost = self.train("almost", *one, "contrastive=1e-9")
        for line, other in zip(lines, almost, strict=True):
            self.assertLess(line["tokens"], other["tokens"])
            self.assertEqual(set(other) - set(line), {"contrastive", "accuracy", "margin"})
            for key in ("loss", "nll", "gradient_norm"):
                self.assertAlmostEqual(line[key], other[key], places=4)

    def test_layouts_and_accumulation_give_the_same_losses(self):
        settings = ["method=full", "epochs=1", "evaluate_every=0", "max_tokens=120"]
        shared = self.train("shared", *settings)
        padded = self.train("padded", *settings, "shared_prompt=false")
        pieces = self.train("pieces", *settings, "micro_tokens=120")
        for key in ("loss", "contrastive", "nll", "margin", "gradient_norm"):
            for one, two, three in zip(shared, padded, pieces, strict=True):
                self.assertAlmostEqual(one[key], two[key], places=4)
                self.assertAlmostEqual(one[key], three[key], places=4)
        self.assertTrue(all(line["padding"] == 0 for line in shared))
        self.assertGreater(max(line["padding"] for line in padded), 0)
        self.assertLessEqual(max(line["padding"] for line in padded), 0.1)
        self.assertLess(shared[0]["tokens"], padded[0]["tokens"] / 2)

    def test_phases(self):
        lines = [line for line in self.train("out", "phase_shares=[1, 1, 2]", "epochs=4", "evaluate_every=0") if line["kind"] == "train"]
        self.assertEqual([line["phase"] for line in lines], [1] * 2 + [2] * 4 + [3] * 12)


class Watched(Runs):
    def test_evaluations_and_early_stopping(self):
        """Nothing is learnt at a rate of nearly 0: each phase ends after the first
        evaluation and patience more."""
        lines = self.train("out", "epochs=18", "learning_rate=1e-30", "patience=1", "method=full", "validation_groups=6")
        self.assertEqual(
            [(line["phase"], line["step"]) for line in lines if line["kind"] == "validation"],
            [(1, 0), (1, 2), (1, 4), (2, 6), (2, 8), (3, 10), (3, 12)],
        )
        report = lines[0]
        self.assertEqual((report["groups"], report["decoded"], report["validity"]), (6, 2, 0))
        self.assertEqual(set(report["stages"]), {"1", "2", "3"})
        self.assertEqual(set(report["operators"]), {"substitution"})
        self.assertLess(report["regression"], -4)
        self.assertIsNotNone(report["context"])

    def test_the_best_weights_end_a_phase(self):
        """Validity is best at the first evaluation: its weights are those at the end."""
        validity = iter([0.5, 1.0, 0.25, 0.25])
        with unittest.mock.patch.object(trainer.Watch, "evaluate", lambda *_: {"validity": next(validity), "accuracy": 1, "margin": 1}):
            self.train("out", "method=full", "patience=2", "schedule=joint", "epochs=3")
        with (
            unittest.mock.patch.object(trainer.Watch, "evaluate", lambda *_: {"validity": 1, "accuracy": 1, "margin": 1}),
            unittest.mock.patch.object(Stop, "asked", side_effect=[False, True]),
            self.assertRaises(TrainError),
        ):
            self.train("short", "method=full", "patience=2", "schedule=joint", "epochs=3")
        state = torch.load(self.folder / "short" / "checkpoints" / "phase-1-step-2" / "state.pt", weights_only=False)
        torch.testing.assert_close(self.weights("out")["model.norm.weight"], state["weights"]["model.norm.weight"], rtol=0, atol=0)

    def test_validity_below_the_base_models(self):
        def falling(validity):
            return unittest.mock.patch.object(
                trainer.Watch, "evaluate", lambda *_: {"validity": next(validity), "accuracy": 1, "margin": 1}
            )

        with (
            falling(iter([0.5, 0.25])),
            self.assertRaisesRegex(TrainError, "greedy validity, 0.250, is below the base model's, 0.500, at step 2"),
        ):
            self.train("out", "stop_below_base=true")
        self.assertTrue((self.folder / "out" / "checkpoints" / "phase-1-step-2").is_dir())
        with falling(iter([0.5] + [0.25] * 9)), unittest.mock.patch.object(trainer.Metrics, "remark") as remark:
            self.train("on")
        self.assertIn("below the base model's", remark.call_args.args[0])


class CtrlC(unittest.TestCase):
    def test_the_first_is_noted_and_the_second_stops(self):
        for s in (signal.SIGINT, signal.SIGTERM):
            self.addCleanup(signal.signal, s, signal.getsignal(s))
            stop = Stop()
            self.assertFalse(stop.asked())
            os.kill(os.getpid(), s)
            self.assertTrue(stop.asked())
            self.assertEqual(signal.getsignal(s), signal.SIG_DFL)


class Failing(Runs):
    def test_no_number(self):
        def broken(*arguments):
            losses = was(*arguments)
            losses.nll[1] = math.nan
            return losses

        was = objective.losses
        with (
            unittest.mock.patch.object(objective, "losses", broken),
            self.assertRaisesRegex(TrainError, r"no number at step 1, in phase 1, groups s1-train-\d: lower learning_rate, now 0.001"),
        ):
            self.train("out")

    def test_out_of_memory(self):
        with (
            unittest.mock.patch.object(objective, "log_likelihoods", side_effect=torch.OutOfMemoryError("CUDA out of memory")),
            self.assertRaisesRegex(
                TrainError,
                r"out of memory over \d+ tokens, groups s1-train-\d.*: lower micro_tokens, or set method=qlora; micro_tokens is 16384",
            ),
        ):
            self.train("out", "evaluate_every=0")

    def test_no_tensorboard(self):
        with (
            unittest.mock.patch.dict("sys.modules", {"torch.utils.tensorboard": None}),
            self.assertRaisesRegex(TrainError, "pip install tensorboard"),
        ):
            self.train("out", "tensorboard=true")

    def test_a_run_that_never_began_leaves_nothing(self):
        rows = tiny.rows(2, "train")
        rows[1]["negatives"] = []
        self.data = tiny.dataset_folder(self.folder / "bad", train=rows)
        with self.assertRaisesRegex(TrainError, "no negatives"):
            self.train("out")
        self.assertFalse((self.folder / "out").exists())

    def test_exit_status(self):
        with unittest.mock.patch("sys.stderr") as stderr:
            self.assertEqual(main(["data", "--model", "m", "-o", "out", "--set", "scor=sum"]), 2)
            self.assertEqual(main(["--nonsense"]), 2)
            self.assertEqual(main([str(self.folder / "none"), "--model", "m", "-o", "out"]), 1)
        written = "".join(c.args[0] for c in stderr.write.call_args_list).splitlines()
        self.assertEqual([line.split()[0] for line in written], ["error:"] * 3)


class Left(Runs):
    def test_the_folder(self):
        self.train("out", "method=lora", "epochs=1")
        out = self.folder / "out"
        described = json.loads((out / "run.json").read_text())
        self.assertEqual(len(described["data"]["sha256"]), 64)
        self.assertEqual(list(described["model"]["files"]), ["model.safetensors"])
        self.assertIn("torch", described["versions"])
        self.assertLessEqual(len(list((out / "checkpoints").iterdir())), 3)
        # The adapter on the base is the merged model.
        ids = torch.tensor([[5, 6, 7, 8]])
        merged = AutoModelForCausalLM.from_pretrained(out / "model")
        adapted = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(self.model), out / "adapter")
        base = AutoModelForCausalLM.from_pretrained(self.model)
        with torch.no_grad():
            torch.testing.assert_close(merged(ids).logits, adapted(ids).logits, atol=1e-5, rtol=1e-5)
            self.assertGreater(float((merged(ids).logits - base(ids).logits).abs().max()), 1e-4)
        self.assertEqual(AutoTokenizer.from_pretrained(out / "model").chat_template, tiny.CHATML)

    def test_full_weights_keep_their_type_and_ties(self):
        self.model = tiny.model_folder(self.folder / "tied", torch.bfloat16, tied=True)
        self.train("out", "method=full", "epochs=1", "evaluate_every=0")
        made = AutoModelForCausalLM.from_pretrained(self.folder / "out" / "model")
        self.assertEqual(made.dtype, torch.bfloat16)
        self.assertIs(made.lm_head.weight, made.model.embed_tokens.weight)
        [last] = sorted((self.folder / "out" / "checkpoints").glob("phase-3-*"), key=lambda p: int(p.name.split("-")[-1]))[-1:]
        trained = torch.load(last / "state.pt", weights_only=False)["weights"]
        for name in ("model.embed_tokens.weight", "model.layers.1.mlp.up_proj.weight"):
            torch.testing.assert_close(made.state_dict()[name], trained[name].bfloat16(), rtol=0, atol=0)
        with safe_open(self.folder / "out" / "model" / "model.safetensors", "pt") as f:
            self.assertNotIn("lm_head.weight", f.keys())


class Quantised(Runs):
    """QLoRA, with bitsandbytes on the CPU."""

    def setUp(self):
        super().setUp()
        self.model = tiny.model_folder(self.folder / "wide", width=64)  # no narrower than a block of 4-bit weights
        self.settings = ["epochs=2", "lora_rank=4"]

    def in_four_bits(self) -> Path:
        """The model's folder, with the weights that QLoRA computes with."""
        quantised = AutoModelForCausalLM.from_pretrained(self.model, quantization_config=BitsAndBytesConfig(
            load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_use_double_quant=True
        ))  # fmt: skip
        whole = AutoModelForCausalLM.from_pretrained(self.model)
        for name, module in quantised.named_modules():
            if isinstance(module, bitsandbytes.nn.Linear4bit):
                weight = bitsandbytes.functional.dequantize_4bit(module.weight.data, module.weight.quant_state)
                whole.get_submodule(name).weight.data = weight.float()
        whole.save_pretrained(self.folder / "four")
        tiny.tokenizer().save_pretrained(self.folder / "four")
        return self.folder / "four"

    def test_it_is_lora_on_weights_of_four_bits(self):
        lines = self.train("q", "method=qlora", "device=cpu", *self.settings)
        base, self.model = self.model, self.in_four_bits()
        alike = self.train("l", "method=lora", *self.settings)
        self.assertEqual(len(lines), len(alike))
        for a, b in zip(lines, alike):
            for measure in ("loss", "margin", "likelihood"):
                if measure in a:
                    self.assertAlmostEqual(a[measure], b[measure], delta=1e-4 * max(1, abs(b[measure])), msg=f"{measure} of {a}")
        self.assertLess(lines[-2]["loss"], lines[1]["loss"])
        # The adapter is merged into the weights as they were before.
        adapted = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(base), self.folder / "q" / "adapter").merge_and_unload()
        for name, weight in self.weights("q").items():
            torch.testing.assert_close(weight, adapted.state_dict()[name])

    def test_stopped_and_resumed(self):
        settings = ["method=qlora", "device=cpu", *self.settings]
        whole = self.train("whole", *settings)
        with (
            unittest.mock.patch.object(Stop, "asked", side_effect=[False, True]),
            self.assertRaisesRegex(TrainError, "go on with --resume"),
        ):
            self.train("broken", *settings)
        self.assertEqual(untimed(self.train("broken", *settings, resume=True)), untimed(whole))


if __name__ == "__main__":
    unittest.main()
