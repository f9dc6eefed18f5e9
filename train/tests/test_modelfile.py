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
            tiny.model().save_pretrained(folder)
            modelfile.write(folder, tokenizer(MISTRAL), 4096)
            config = json.loads((folder / "config.json").read_text())
            self.assertEqual(config["rope_theta"], config["rope_parameters"]["rope_theta"])
            self.assertNotIn("rope_scaling", config)
            self.assertEqual(AutoConfig.from_pretrained(folder).rope_parameters, config["rope_parameters"])
            lines = (folder / "Modelfile").read_text().splitlines()
            self.assertEqual(lines[0], "FROM .")
            self.assertTrue(lines[1].startswith('TEMPLATE """{{ range .Messages }}'))
            self.assertEqual(lines[2:], ["PARAMETER stop <|im_end|>", "PARAMETER temperature 0", "PARAMETER num_ctx 4096"])
            modelfile.write_adapter(folder, Path("/models/base"), tokenizer(COUNTING), 512)
            lines = (folder / "Modelfile").read_text().splitlines()
            self.assertEqual(lines[:2], ["FROM /models/base", "ADAPTER ."])
            self.assertNotIn("TEMPLATE \"", "\n".join(lines))


if __name__ == "__main__":
    unittest.main()
