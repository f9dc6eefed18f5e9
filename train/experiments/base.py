"""The model that every arm of an experiment starts from: a tokenizer and a small
Qwen2, trained from scratch on the training rows' prompts and right answers. So it
knows the language and what an answer looks like, as an instruction-tuned model
does, and has seen no wrong one."""

import itertools
import math
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import AutoTokenizer, PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

from data import Row, prompt

END, BEGIN, TURN = "<|endoftext|>", "<|im_start|>", "<|im_end|>"
CHATML = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
# Names of actions and conditions stay whole, so that to copy one is to copy a few
# tokens; digits stand alone.
WORDS = Regex(r" ?[\p{L}_]+|\d| ?[^\s\p{L}\d_]+|\s+")


def make_tokenizer(texts: Iterable[str], vocabulary: int) -> PreTrainedTokenizerFast:
    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(WORDS, "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    raw.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary, special_tokens=[END, BEGIN, TURN], initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    raw.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=raw, eos_token=TURN, pad_token=END, chat_template=CHATML)


def make_model(tokenizer, config: dict, seed: int) -> Qwen2ForCausalLM:
    torch.manual_seed(seed)
    ids = {"eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id, "bos_token_id": None}
    return Qwen2ForCausalLM(Qwen2Config(vocab_size=len(tokenizer), tie_word_embeddings=True, **config, **ids))


def blocks(tokenizer, rows: Iterable[Row], size: int) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Rows as the model is asked and as it should answer, one behind the other, in
    blocks of size + 1 tokens; and which of the tokens are an answer's."""
    ids: list[int] = []
    answers: list[bool] = []
    for row in rows:
        asked = tokenizer.apply_chat_template([{"role": "user", "content": prompt(row)}], add_generation_prompt=True, return_dict=False)
        answered = tokenizer(row["positive"]["text"].strip() + TURN, add_special_tokens=False)["input_ids"]
        ids += asked + answered
        answers += [False] * len(asked) + [True] * len(answered)
        while len(ids) > size:
            yield torch.tensor(ids[: size + 1]), torch.tensor(answers[: size + 1])
            ids, answers = ids[size:], answers[size:]


def train(model, sequences: Iterator[tuple[torch.Tensor, torch.Tensor]], batch: int, steps: int, learning_rate: float) -> Iterator[dict]:
    """Next tokens, AdamW, a warm-up and a cosine; bfloat16 where the processor has
    it. Answers are few tokens: their mean counts as much as that of all. Yields a
    line of numbers now and then."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate, betas=(0.9, 0.95), weight_decay=0.1)
    device = next(model.parameters()).device
    began = time.monotonic()
    for step in range(steps):
        rate = learning_rate * min((step + 1) / (0.05 * steps), 0.55 + 0.45 * math.cos(math.pi * step / steps))
        for group in optimizer.param_groups:
            group["lr"] = rate
        ids, answers = (torch.stack(part).to(device) for part in zip(*itertools.islice(sequences, batch)))
        with torch.autocast(device.type, torch.bfloat16):
            logits = model(input_ids=ids[:, :-1]).logits
        losses = torch.nn.functional.cross_entropy(logits.float().flatten(0, 1), ids[:, 1:].flatten(), reduction="none")
        answer = losses[answers[:, 1:].flatten()].mean()
        (losses.mean() + answer).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        if step % 20 == 19 or step + 1 == steps:
            yield {"step": step + 1, "loss": losses.mean().item(), "answers": answer.item(), "seconds": round(time.monotonic() - began, 1)}


def load_tokenizer(folder: Path):
    return AutoTokenizer.from_pretrained(folder, local_files_only=True)


def save(model, tokenizer, folder: Path) -> None:
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
