"""Bad input ends in one line that says what to do."""

import json
import tempfile
import unittest
from pathlib import Path

import tiny
import zstandard

from fmsop_train import model, recipe
from fmsop_train.data import open_folder
from fmsop_train.errors import TrainError, UsageError
from fmsop_train.prompt import ChatTemplate
from fmsop_train.store import build


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tiny.enter(self, tempfile.TemporaryDirectory()))

    def refused(self, kind, *words):
        test = self

        class Refused:
            def __enter__(self):
                pass

            def __exit__(self, got, error, _):
                test.assertTrue(got and issubclass(got, kind), f"{error!r} is no {kind.__name__}")
                test.assertNotIn("\n", str(error))
                for w in words:
                    test.assertIn(w, str(error))
                return True

        return Refused()


class Data(Case):
    def groups(self, **options):
        folder = open_folder(tiny.dataset_folder(self.folder / "data", **options))
        return list(folder.groups(folder.train))

    def test_reads_plain_and_compressed_lines(self):
        plain = self.groups()
        self.folder = self.folder / "other"
        self.assertEqual(self.groups(compressed=True), plain)
        self.assertEqual(len(plain), 24)
        self.assertEqual((plain[0].prompt, plain[0].positive, len(plain[0].negatives)), ("0: return\n\n?", "return", 3))

    def test_another_version(self):
        with self.refused(TrainError, "version is 2", "reads 1", "fmsop generate"):
            self.groups(version=2)

    def test_a_manifest_that_cannot_be_read(self):
        for text in ("{", "[]", '{"version": 1}'):
            (self.folder / "manifest.json").write_text(text)
            with self.refused(TrainError, "manifest.json cannot be read", "fmsop verify"):
                open_folder(self.folder)

    def test_no_dataset(self):
        with self.refused(TrainError, "no dataset folder", "fmsop generate"):
            open_folder(self.folder)

    def test_a_group_without_negatives(self):
        rows = tiny.rows(2, "train")
        rows[3]["negatives"] = []
        with self.refused(TrainError, "train_3.jsonl:4:", "s2-train-1", "no negatives", "fmsop verify"):
            self.groups(train=rows)

    def test_a_row_without_a_key(self):
        rows = tiny.rows(2, "train")
        del rows[1]["reference"]
        with self.refused(TrainError, "train_3.jsonl:2:", "'reference'"):
            self.groups(train=rows)

    def test_rows_that_are_not_the_manifests(self):
        path = tiny.dataset_folder(self.folder / "data")
        rows = path / "train_3.jsonl"
        rows.write_text(rows.read_text().replace("refund", "rebate"))
        with self.refused(TrainError, "not those of manifest.json", "fmsop verify"):
            list(open_folder(path).groups("train_3.jsonl.zst"))

    def test_damaged_compression(self):
        path = tiny.dataset_folder(self.folder / "data", compressed=True)
        rows = path / "train_3.jsonl.zst"
        rows.write_bytes(b"not zstd at all")
        with self.refused(TrainError, "train_3.jsonl.zst", "not zstd, or damaged"):
            list(open_folder(path).groups("train_3.jsonl.zst"))

    def test_a_file_that_is_cut_off(self):
        path = tiny.dataset_folder(self.folder / "data", compressed=True)
        rows = path / "train_3.jsonl.zst"
        whole = rows.read_bytes()
        for n in (1, len(whole) // 2, len(whole) - 1):
            rows.write_bytes(whole[:n])
            with self.refused(TrainError, "train_3.jsonl.zst: it ends within its compressed data"):
                list(open_folder(path).groups("train_3.jsonl.zst"))

    def test_several_frames(self):
        path = tiny.dataset_folder(self.folder / "data", compressed=True)
        rows = path / "train_3.jsonl.zst"
        folder = open_folder(path)
        groups = list(folder.groups(rows.name))
        text = zstandard.ZstdDecompressor().decompressobj().decompress(rows.read_bytes())
        half = len(text) // 2  # within a line
        first, second = (zstandard.compress(part) for part in (text[:half], text[half:]))
        rows.write_bytes(first + zstandard.compress(b"") + second)
        self.assertEqual(list(folder.groups(rows.name)), groups)
        for cut, words in (first, "train_3.jsonl.zst:"), (first + second[:9], "it ends within"):
            rows.write_bytes(cut)
            with self.refused(TrainError, words):
                list(folder.groups(rows.name))


class Limit(Case):
    def build(self, limit):
        folder = open_folder(tiny.dataset_folder(self.folder / "data", train=self.rows))
        return build(folder, ChatTemplate(tiny.tokenizer(), "m"), limit, self.folder / "tokens")

    def setUp(self):
        super().setUp()
        self.rows = tiny.rows(3, "train")
        self.rows[0]["negatives"][1]["text"] = "x" * 500

    def test_groups_over_the_limit_are_counted(self):
        store = self.build(300)
        self.assertEqual((len(store.records), store.left_out, store.longest[1]), (8, {1: 1}, "s1-train-0"))
        self.assertGreater(store.longest[0], 500)

    def test_a_stage_of_which_nothing_is_left(self):
        self.rows = self.rows[:1] + self.rows[3:]
        with self.refused(TrainError, "all 1 groups of stage 1", "max_tokens, 300", "s1-train-0", "--set max_tokens"):
            self.build(300)

    def test_a_stage_without_groups(self):
        self.rows = self.rows[3:]
        with self.refused(TrainError, "no groups of stage 1"):
            self.build(300)

    def test_tokens_come_back(self):
        store = self.build(2000)
        template = ChatTemplate(tiny.tokenizer(), "m")
        folder = open_folder(self.folder / "data")
        self.assertEqual([store[i] for i in range(9)], [template.encode(g) for g in folder.groups(folder.train)])


class Model(Case):
    def test_no_chat_template(self):
        tokenizer = tiny.tokenizer()
        tokenizer.chat_template = None
        with self.refused(TrainError, "FOLDER has no chat template", "chat_template.jinja"):
            ChatTemplate(tokenizer, "FOLDER")

    def test_a_template_that_reasons_first(self):
        tokenizer = tiny.tokenizer()
        tokenizer.chat_template = tiny.CHATML.replace("assistant\n", "assistant\n<think>")
        with self.refused(TrainError, "FOLDER", "does not put an answer behind"):
            ChatTemplate(tokenizer, "FOLDER")

    def test_no_model_folder(self):
        with self.refused(TrainError, "no model folder", "config.json"):
            model.load_tokenizer(self.folder)

    def test_no_gpu_for_a_7b_recipe(self):
        seven = {
            "model_type": "qwen2",
            "hidden_size": 3584,
            "intermediate_size": 18944,
            "num_hidden_layers": 28,
            "num_attention_heads": 28,
            "num_key_value_heads": 4,
            "vocab_size": 152064,
        }
        (self.folder / "config.json").write_text(json.dumps(seven))
        model.torch.cuda.is_available, was = (lambda: False), model.torch.cuda.is_available
        self.addCleanup(setattr, model.torch.cuda, "is_available", was)
        with self.refused(TrainError, "7.6 billion parameters", "no GPU", "device=cpu"):
            model.check_device(self.folder, recipe.Recipe())
        model.check_device(self.folder, recipe.Recipe(device="cpu"))
        with self.refused(TrainError, "qlora is for a GPU", "method=lora", "device=cpu"):
            model.check_device(self.folder, recipe.Recipe(method="qlora"))
        model.check_device(self.folder, recipe.Recipe(method="qlora", device="cpu"))


class Template(unittest.TestCase):
    def test_an_answer_ends_its_turn_and_nothing_follows(self):
        template = ChatTemplate(tiny.tokenizer(), "m")
        self.assertEqual(template.opened("Q"), "<|im_start|>user\nQ<|im_end|>\n<|im_start|>assistant\n")
        self.assertEqual(template.closed(" A\n"), "A<|im_end|>")
        [ids] = template.tokens([template.closed("A")])
        self.assertEqual(ids[-1], template.tokenizer.eos_token_id)

    def test_a_template_with_another_end_than_the_tokenizers(self):
        tokenizer = tiny.tokenizer()
        tokenizer.eos_token = "<|endoftext|>"
        self.assertEqual(ChatTemplate(tokenizer, "m").closed("A"), "A<|im_end|><|endoftext|>")


class Recipes(Case):
    def test_those_that_are_shipped(self):
        self.assertEqual(recipe.names(), ["paper", "recommended"])
        paper = recipe.load("paper", [])
        self.assertEqual(
            (paper.score, paper.temperature, paper.nll, paper.learning_rate, paper.batch_groups, paper.epochs), ("sum", 1, 0, 1e-4, 256, 12)
        )
        self.assertEqual(paper.schedule, "unified")
        self.assertEqual(recipe.load("recommended", []), recipe.Recipe())
        named = recipe.yaml.safe_load((recipe.FOLDER / "recommended.yaml").read_text())
        self.assertEqual(list(named), list(recipe.FIELDS))

    def test_settings_win(self):
        r = recipe.load("paper", ["learning_rate=1e-5", "method=lora", "weights=[0.5, 0.25, 0.25]", "stop_below_base=true"])
        self.assertEqual((r.learning_rate, r.method, r.weights, r.stop_below_base), (1e-5, "lora", (0.5, 0.25, 0.25), True))

    def test_dump_can_be_loaded(self):
        path = self.folder / "r.yaml"
        path.write_text(recipe.load("paper", []).dump())
        self.assertEqual(recipe.load(str(path), []), recipe.load("paper", []))

    def test_what_is_refused(self):
        for setting, words in {
            "temprature=1": ["unknown setting 'temprature'", "did you mean temperature?"],
            "score=mean": ["unknown score 'mean'", "per_token or sum"],
            "temperature=0": ["temperature is 0.0", "above 0"],
            "weights=[1, 0, 0]": ["weights is [1.0, 0.0, 0.0]"],
            "weights=[1, 1, 1]": ["weights add up to 3"],
            "batch_groups=1.5": ["batch_groups is 1.5", "a whole number"],
            "epochs=yes": ["epochs is True", "a number"],
            "micro_tokens=10": ["micro_tokens is 10", "max_tokens, 8192"],
            "evaluate_every=0": ["patience"],
            "seed": ["want key=value"],
        }.items():
            with self.subTest(setting), self.refused(UsageError, *words):
                recipe.load("recommended", [setting])
        with self.refused(UsageError, "recipe 'papier'", "paper or recommended or a file"):
            recipe.load("papier", [])


if __name__ == "__main__":
    unittest.main()
