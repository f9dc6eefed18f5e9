"""tiny.py DATA FOLDER: a random Qwen2 of some hundred thousand parameters with a
tokenizer made from the data, and in FOLDER.prompt what its chat template makes of a
conversation."""

import io
import json
import sys

import torch
import zstandard
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

data, folder = sys.argv[1:]
TEMPLATE = (
    "{% if messages[0]['role'] != 'system' %}<|im_start|>system\nYou follow procedures.<|im_end|>\n{% endif %}"
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
# How Qwen 2 cuts a text before its pairs are merged: a server knows this one.
QWEN2 = Regex(r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")


def texts():
    with open(f"{data}/train_3.jsonl.zst", "rb") as f:
        for line in io.BufferedReader(zstandard.ZstdDecompressor().stream_reader(f, read_across_frames=True)):
            row = json.loads(line)
            yield from (row["context"], row["query"], row["positive"]["text"])


raw = Tokenizer(models.BPE())
raw.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(QWEN2, "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
raw.decoder = decoders.ByteLevel()
special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
raw.train_from_iterator(texts(), trainers.BpeTrainer(vocab_size=1500, special_tokens=special, show_progress=False,
                                                     initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, eos_token="<|im_end|>", pad_token="<|endoftext|>", chat_template=TEMPLATE)
tokenizer.save_pretrained(folder)
torch.manual_seed(1)
Qwen2ForCausalLM(Qwen2Config(
    vocab_size=len(tokenizer), hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=1,
    max_position_embeddings=8192, tie_word_embeddings=True, bos_token_id=None,
    eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id)).save_pretrained(folder)
talk = [{"role": r, "content": c} for r, c in (("user", "May I?"), ("assistant", "You may."), ("user", "And now {{ you }}?"))]
with open(folder + ".prompt", "w", encoding="utf-8") as f:
    f.write(tokenizer.apply_chat_template(talk, tokenize=False, add_generation_prompt=True))
