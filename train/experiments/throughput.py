"""How fast a model of a given shape trains: groups and tokens a second, memory and
model-flops utilisation, with random weights and groups of given lengths.

    python train/experiments/throughput.py --shape qwen2.5-7b --method lora
    python train/experiments/throughput.py --shape tiny --prompt 256 --answer 32   # on a processor

Not run on a GPU so far.
"""

import argparse
import json
import sys
import time
from pathlib import Path

import torch
from accelerate import Accelerator
from transformers import Qwen2Config, Qwen2ForCausalLM

sys.path.insert(0, str(Path(__file__).parent.parent))

from fmsop_train import model, objective, shared_prefix
from fmsop_train.layout import Layout
from fmsop_train.prompt import Encoded
from fmsop_train.recipe import Recipe

SHAPES = {
    "qwen2.5-7b": {"vocab_size": 152064, "hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 28, "num_attention_heads": 28, "num_key_value_heads": 4},
    "qwen2.5-0.5b": {"vocab_size": 151936, "hidden_size": 896, "intermediate_size": 4864, "num_hidden_layers": 24, "num_attention_heads": 14, "num_key_value_heads": 2, "tie_word_embeddings": True},
    "tiny": {"vocab_size": 2048, "hidden_size": 128, "intermediate_size": 512, "num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 4, "tie_word_embeddings": True},
}  # fmt: skip

# Dense bfloat16, as the makers state it, in flops a second.
PEAKS = {"H100": 989e12, "H200": 989e12, "A100": 312e12, "L40S": 362e12, "RTX 4090": 165e12}


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--shape", choices=SHAPES, default="qwen2.5-7b")
    p.add_argument("--method", choices=("lora", "full"), default="lora")
    p.add_argument("--prompt", type=int, default=2048, help="tokens of a prompt")
    p.add_argument("--answer", type=int, default=128, help="tokens of an answer")
    p.add_argument("--negatives", type=int, default=4)
    p.add_argument("--groups", type=int, default=8, help="groups a step")
    p.add_argument("--steps", type=int, default=10, help="steps that are timed, after 2 that are not")
    p.add_argument("--peak", type=float, help="flops a second of the device, where it is not known here")
    p.add_argument("--naive", action="store_true", help="the prompt computed for each answer")
    p.add_argument("--kernel", choices=("sdpa", "flex"), default="sdpa")
    p.add_argument("--no-checkpointing", action="store_true", help="keep activations")
    print(json.dumps(measure(p.parse_args()), indent=2))


def measure(o: argparse.Namespace) -> dict:
    on_gpu = torch.cuda.is_available()
    checkpointing = not o.no_checkpointing
    longest = o.prompt + o.answer
    recipe = Recipe(
        method=o.method, shared_prompt=not o.naive, kernel=o.kernel, gradient_checkpointing=checkpointing, batch_groups=o.groups,
        max_tokens=longest, micro_tokens=max(16384, longest * (1 + o.negatives)), learning_rate=1e-5,
    )  # fmt: skip
    accelerator = Accelerator(mixed_precision="bf16" if on_gpu else "no", cpu=not on_gpu)
    torch.manual_seed(1)
    config = Qwen2Config(**SHAPES[o.shape], max_position_embeddings=max(longest, 4096), use_cache=False)
    config._attn_implementation = "sdpa" if o.naive else shared_prefix.NAME
    torch.set_default_dtype(torch.bfloat16 if on_gpu and o.method == "lora" else torch.float32)
    with accelerator.device:
        trained = Qwen2ForCausalLM(config)
    torch.set_default_dtype(torch.float32)
    if checkpointing:
        trained.gradient_checkpointing_enable({"use_reentrant": False})
    if o.method == "lora":
        trained = model._with_adapter(trained, recipe)
    parameters = sum(p.numel() for n, p in trained.named_parameters() if "lora" not in n)
    optimizer = torch.optim.AdamW([p for p in trained.parameters() if p.requires_grad], lr=recipe.learning_rate)
    trained, optimizer = accelerator.prepare(trained, optimizer)
    trained.train()

    layout = Layout(recipe, accelerator.device)
    generator = torch.Generator().manual_seed(1)
    groups = [_group(o, config.vocab_size, generator, i) for i in range(o.groups)]
    lengths = [(len(g.prompt), *map(len, g.answers)) for g in groups]
    parts = layout.cut(list(range(len(groups))), lengths)

    def step() -> tuple[int, int]:
        computed = predicted = 0
        for part in parts:
            batch = layout.batch([groups[i] for i in part])
            sums, tokens = objective.log_likelihoods(batch.logits(trained), batch.targets, batch.answer, sum(batch.sizes))
            losses = objective.losses(sums, tokens, batch.sizes, recipe.score, recipe.temperature)
            accelerator.backward(losses.total(1.0, recipe.nll).sum() / len(groups))
            computed += batch.tokens
            predicted += len(batch.targets)
        optimizer.step()
        optimizer.zero_grad()
        return computed, predicted

    for _ in range(2):
        step()
    _wait(on_gpu)
    began = time.monotonic()
    for _ in range(o.steps):
        computed, predicted = step()
    _wait(on_gpu)
    seconds = (time.monotonic() - began) / o.steps
    flops = model_flops(config, parameters, o, predicted)
    device = torch.cuda.get_device_name() if on_gpu else "CPU"
    peak = o.peak or next((p for name, p in PEAKS.items() if name in device), None)
    return {
        "device": device, "shape": o.shape, "parameters": parameters, "method": o.method, "shared_prompt": not o.naive, "kernel": o.kernel,
        "prompt": o.prompt, "answer": o.answer, "negatives": o.negatives, "groups": o.groups, "gradient_checkpointing": checkpointing,
        "seconds_per_step": round(seconds, 4), "groups_per_second": round(o.groups / seconds, 3), "tokens_per_second": round(computed / seconds, 1),
        "memory_gib": round(torch.cuda.max_memory_allocated() / 2**30, 2) if on_gpu else None,
        "model_tflops_per_second": round(flops / seconds / 1e12, 4), "utilisation": round(flops / seconds / peak, 4) if peak else None,
    }  # fmt: skip


def model_flops(config: Qwen2Config, parameters: int, o: argparse.Namespace, predicted: int) -> float:
    """Of a step, what the objective asks for with prompts computed once, whatever is
    computed: 2 flops a weight and token forward, and backward 2 for the gradients of
    activations and 2 for those of weights, which LoRA does not need; attention with
    its causal half left out; the output layer where a token is predicted. What
    checkpointing computes again is not counted (Chowdhery et al. 2022, appendix B)."""
    passes = 4 if o.method == "lora" else 6
    answers = 1 + o.negatives
    tokens = o.groups * (o.prompt + answers * o.answer)
    embedding = config.vocab_size * config.hidden_size
    inner = parameters - embedding * (1 if config.tie_word_embeddings else 2)
    pairs = o.groups * (o.prompt**2 / 2 + answers * (o.answer * o.prompt + o.answer**2 / 2))
    attention = 12 * pairs * config.hidden_size * config.num_hidden_layers
    return passes * inner * tokens + passes * embedding * predicted + attention


def _group(o: argparse.Namespace, vocabulary: int, generator: torch.Generator, number: int) -> Encoded:
    def draw(n: int) -> list[int]:
        return torch.randint(vocabulary, (n,), generator=generator).tolist()

    return Encoded(str(number), 1, draw(o.prompt), [draw(o.answer) for _ in range(1 + o.negatives)])


def _wait(on_gpu: bool) -> None:
    if on_gpu:
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
