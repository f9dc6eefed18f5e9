"""What Ollama is told to put around messages is what the chat template puts there."""

import json
import tempfile
import unittest
from pathlib import Path

import tiny
from transformers import AutoConfig

from fmsop_train import modelfile

QWEN = (
    "{% if messages[0]['role'] != 'system' %}<|im_start|>system\nYou are helpful.<|im_end|>\n{% endif %}"
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
GEMMA = (
    "{% for m in messages %}{% if m['role'] == 'system' %}{{ raise_exception('no system') }}{% endif %}"
    "<start>{{ 'model' if m['role'] == 'assistant' else m['role'] }}\n{{ m['content'] | trim }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<start>model\n{% endif %}"
)
MISTRAL = "{% for m in messages %}{% if m['role'] == 'user' %}[INST]{{ m['content'] }}[/INST]{% elif m['role'] == 'assistant' %}{{ m['content'] }}<|im_end|>{% endif %}{% endfor %}"
COUNTING = "{% for m in messages %}{{ loop.index }}: {{ m['content'] }}<|im_end|>{% endfor %}"


def tokenizer(template: str):
    t = tiny.tokenizer()
    t.chat_template = template
    return t


class Modelfile(unittest.TestCase):
    def test_frames(self):
        turn = "<|im_end|>\n<|im_start|>assistant\n"
        for name, template, want in (
            ("a default system message", QWEN, modelfile.Frame("<|im_start|>system\nYou are helpful.<|im_end|>\n", ("<|im_start|>system\n", "<|im_end|>\n"), "<|im_start|>user\n", turn, "<|im_end|>\n")),
            ("none", tiny.CHATML, modelfile.Frame("", ("<|im_start|>system\n", "<|im_end|>\n"), "<|im_start|>user\n", turn, "<|im_end|>\n")),
            ("one that is refused", GEMMA, modelfile.Frame("", None, "<start>user\n", "<|im_end|>\n<start>model\n", "<|im_end|>\n")),
            ("one that is dropped", MISTRAL, modelfile.Frame("", None, "[INST]", "[/INST]", "<|im_end|>")),
            ("more than a frame", COUNTING, None),
        ):  # fmt: skip
            with self.subTest(name):
                self.assertEqual(modelfile.frame(tokenizer(template)), want)

    def test_template(self):
        want = (
            "{{ if .System }}<|im_start|>system\n{{ .System }}<|im_end|>\n{{ end }}"
            '{{ range .Messages }}{{ if eq .Role "user" }}<|im_start|>user\n{{ .Content }}<|im_end|>\n<|im_start|>assistant\n'
            '{{ else if eq .Role "assistant" }}{{ .Content }}<|im_end|>\n{{ end }}{{ end }}'
        )
        self.assertEqual(modelfile.frame(tokenizer(tiny.CHATML)).template(), want)

    def test_files(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            tiny.model_folder(folder)
            modelfile.write(folder, folder, tokenizer(MISTRAL), 4096)
            config = json.loads((folder / "config.json").read_text())
            self.assertEqual(config["rope_theta"], config["rope_parameters"]["rope_theta"])
            self.assertNotIn("rope_scaling", config)
            self.assertEqual(AutoConfig.from_pretrained(folder).rope_parameters, config["rope_parameters"])
            lines = (folder / "Modelfile").read_text().splitlines()
            self.assertEqual(lines[0], "FROM .")
            self.assertTrue(lines[1].startswith('TEMPLATE """{{ range .Messages }}'))
            self.assertEqual(lines[2:], ["PARAMETER stop <|im_end|>", "PARAMETER temperature 0", "PARAMETER num_ctx 4096"])
            modelfile.write_adapter(folder, folder, tokenizer(COUNTING), 512)
            lines = (folder / "Modelfile").read_text().splitlines()
            self.assertEqual(lines[:2], [f"FROM {folder.resolve()}", "ADAPTER ."])
            self.assertNotIn('TEMPLATE "', "\n".join(lines))

    def test_beginning_of_text(self):
        # As SmolLM2 has it: the token that begins a text is the one that begins a turn.
        t = tokenizer(QWEN)
        t.bos_token = "<|im_start|>"
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            tiny.model().save_pretrained(folder)
            for settings, want in (
                ({}, "<|im_start|>system"),
                ({"add_bos_token": False}, "<|im_start|>system"),
                ({"add_bos_token": True}, "system"),
            ):
                (folder / "tokenizer_config.json").write_text(json.dumps(settings))
                modelfile.write(folder, folder, t, 512)
                self.assertIn(f"{{{{ if .System }}}}{want}\n", (folder / "Modelfile").read_text())
            (folder / "tokenizer_config.json").unlink()
            self.assertFalse(modelfile.adds_bos(folder))

    def test_strange_tokenizers(self):
        qwen2 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
        pieces = {"type": "ByteLevel"}
        other = [{"type": "Split", "pattern": {"Regex": r"\p{N}| ?\p{L}+"}}, pieces]
        for name, architecture, parts, merges, want in (
            ("Qwen 2's", "Qwen2ForCausalLM", [{"type": "Split", "pattern": {"Regex": qwen2}}, pieces], ["a b"], False),
            ("another pattern", "Qwen2ForCausalLM", other, ["a b"], True),
            ("one known by the architecture", "Lfm2ForCausalLM", other, ["a b"], False),
            ("digits apart, as SmolLM2's", "LlamaForCausalLM", [{"type": "Digits"}, pieces], ["a b"], True),
            ("bytes, which are not merged", "Qwen2ForCausalLM", [pieces], [], False),
        ):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                (Path(folder) / "config.json").write_text(json.dumps({"architectures": [architecture]}))
                file = Path(folder) / "tokenizer.json"
                file.write_text(json.dumps({"model": {"merges": merges}, "pre_tokenizer": {"type": "Sequence", "pretokenizers": parts}}))
                self.assertEqual(modelfile.strange(Path(folder)), want)
                (Path(folder) / "tokenizer.model").touch()  # SentencePiece, which Ollama reads instead
                self.assertFalse(modelfile.strange(Path(folder)))

    def test_sentencepiece_is_kept(self):
        with tempfile.TemporaryDirectory() as name:
            base, folder = Path(name, "base"), Path(name, "model")
            tiny.model_folder(base)
            tiny.model_folder(folder)
            (base / "tokenizer.model").write_bytes(b"pieces")
            modelfile.write(folder, base, tokenizer(MISTRAL), 512)
            self.assertEqual((folder / "tokenizer.model").read_bytes(), b"pieces")


if __name__ == "__main__":
    unittest.main()
