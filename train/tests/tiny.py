"""A tiny random Qwen2 with a tokenizer of bytes, and tiny dataset folders."""

import hashlib
import json
import os
import sys
import unittest.mock
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM, logging

logging.disable_progress_bar()

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def tokenizer() -> PreTrainedTokenizerFast:
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    t = Tokenizer(models.BPE(vocab={c: i for i, c in enumerate(alphabet)}, merges=[]))
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    t.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(
        tokenizer_object=t, eos_token="<|im_end|>", pad_token="<|endoftext|>", additional_special_tokens=["<|im_start|>"]
    )
    fast.chat_template = CHATML
    return fast


def model(seed: int = 0, layers: int = 2, width: int = 32, tied: bool = False) -> Qwen2ForCausalLM:
    torch.manual_seed(seed)
    t = tokenizer()
    config = Qwen2Config(
        vocab_size=len(t), hidden_size=width, intermediate_size=2 * width, num_hidden_layers=layers, num_attention_heads=4, num_key_value_heads=2,
        max_position_embeddings=4096, eos_token_id=t.eos_token_id, pad_token_id=t.pad_token_id, bos_token_id=None, tie_word_embeddings=tied,
    )  # fmt: skip
    return Qwen2ForCausalLM(config)


def model_folder(path: Path, dtype: torch.dtype = torch.float32, **shape) -> Path:
    model(**shape).to(dtype).save_pretrained(path)
    tokenizer().save_pretrained(path)
    return path


TERMS = ["refund", "return", "credit", "charge", "hold", "release", "deposit", "waiver"]


def rows(n: int, split: str, negatives: int = 3, stages: tuple[int, ...] = (1, 2, 3)) -> list[dict]:
    """Groups whose answer stands in the context, n a stage."""
    made = []
    for stage in stages:
        for k in range(n):
            right = TERMS[(k * 5 + stage) % len(TERMS)]
            wrong = [t for t in TERMS if t != right][:negatives]
            made.append(
                {
                    "id": f"s{stage}-{split}-{k}", "stage": stage, "task": "concept", "view": "definition", "domain": "bank",
                    "procedure": f"p{k % 3}", "split": split, "context": f"{k}: {right}", "query": "?",
                    "positive": {"text": right, "payload": json.dumps({"term": right})},
                    "negatives": [{"text": t, "payload": json.dumps({"term": t}), "operator": "substitution", "violation": "", "proof": "{}", "similarity": 0.5} for t in wrong],
                    "reference": json.dumps({"relation": "definition", "subject": right, "answers": [right], "synonyms": [], "source": ""}),
                    "meta": "{}",
                }
            )  # fmt: skip
    return made


def dataset_folder(
    path: Path, n: int = 8, stages: tuple[int, ...] = (1, 2, 3), version: int = 1, compressed: bool = False, train: list[dict] | None = None
) -> Path:
    path.mkdir(parents=True)
    files = {}
    train = rows(n, "train", stages=stages) if train is None else train
    for name, lines in ((f"train_{stages[-1]}.jsonl.zst", train), ("validation.jsonl.zst", rows(2, "validation", stages=stages))):
        text = "".join(json.dumps(r) + "\n" for r in lines).encode()
        files[name] = {"rows": len(lines), "bytes": len(text), "sha256": hashlib.sha256(text).hexdigest()}
        if compressed:
            import zstandard

            (path / name).write_bytes(zstandard.ZstdCompressor().compress(text))
        else:
            (path / name).with_suffix("").write_bytes(text)
    (path / "manifest.json").write_text(json.dumps({"version": version, "stages": list(stages), "files": files}))
    return path


JUDGE = """#!{python}
import json, sys
for line in sys.stdin:
    q = json.loads(line)
    reference = json.loads(q["reference"])
    if "answers" in reference:
        verdict = {{"valid": q["answer"] in reference["answers"]}}
    else:
        verdict = {{"error": "no answers"}}
    print(json.dumps(verdict), flush=True)
"""


def use_judge(case, folder: Path) -> None:
    """Has FMSOP name a program that speaks as fmsop check does, of one stage."""
    program = folder / "fmsop"
    program.write_text(JUDGE.format(python=sys.executable))
    program.chmod(0o755)
    case.enterContext(unittest.mock.patch.dict(os.environ, FMSOP=str(program)))
