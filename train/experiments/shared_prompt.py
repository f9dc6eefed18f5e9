"""How much faster is a step when a group's prompt is computed once?

    PYTHONPATH=train python train/experiments/shared_prompt.py

Times forward and backward of one group under both layouts on a small random
Qwen2, for several lengths of prompt and answers and numbers of negatives m, and
writes a Markdown table. Gradient checkpointing is off. On a machine with a GPU it
also times FlexAttention.
"""

import statistics
import time

import torch
from transformers import Qwen2Config, Qwen2ForCausalLM

from fmsop_train import objective, padded, shared_prefix
from fmsop_train.batch import Batch
from fmsop_train.prompt import Encoded

PROMPTS, ANSWERS, NEGATIVES = (256, 1024, 2048), (32, 256), (4, 8, 20)
SHAPE = {
    "vocab_size": 2048,
    "hidden_size": 128,
    "intermediate_size": 512,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 8192,
}


def main() -> None:
    torch.manual_seed(1)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Qwen2ForCausalLM(Qwen2Config(**SHAPE)).to(device)
    hardware = torch.cuda.get_device_name() if device.type == "cuda" else f"CPU, {torch.get_num_threads()} thread"
    print(f"{hardware}; {sum(p.numel() for p in model.parameters()) / 1e6:.1f} M parameters, float32\n")
    kernels = ["sdpa", "flex"] if device.type == "cuda" else ["sdpa"]
    print(
        "| prompt | answer | m | tokens, repeated | tokens, shared | tokens' ratio | repeated, s |"
        + "".join(f" shared ({k}), s | speed-up |" for k in kernels)
    )
    print("|--:" * (7 + 2 * len(kernels)) + "|")
    for prompt in PROMPTS:
        for answer in ANSWERS:
            for m in NEGATIVES:
                group = Encoded("g", 1, ids(prompt), [ids(answer) for _ in range(m + 1)])
                model.set_attn_implementation("sdpa")
                repeated = padded.pad([group], device)
                before = seconds(model, repeated)
                model.set_attn_implementation(shared_prefix.NAME)
                shared = [shared_prefix.pack([group], device, k) for k in kernels]
                after = [seconds(model, s) for s in shared]
                cells = [prompt, answer, m, repeated.tokens, shared[0].tokens, f"{repeated.tokens / shared[0].tokens:.1f}", f"{before:.3f}"]
                for a in after:
                    cells += [f"{a:.3f}", f"{before / a:.1f}"]
                print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def ids(n: int) -> list[int]:
    return torch.randint(0, SHAPE["vocab_size"], (n,)).tolist()


def seconds(model: torch.nn.Module, batch: Batch) -> float:
    """The median of some steps, of one where a step takes long. On a CPU, seconds of
    its time: other programs may run."""
    clock = time.perf_counter if batch.targets.is_cuda else time.process_time
    times = []
    while len(times) < 4 and sum(times) < 4:
        if batch.targets.is_cuda:
            torch.cuda.synchronize()
        began = clock()
        sums, _ = objective.log_likelihoods(batch.logits(model), batch.targets, batch.answer, sum(batch.sizes))
        objective.info_nce(sums, 1.0).backward()
        if batch.targets.is_cuda:
            torch.cuda.synchronize()
        times.append(clock() - began)
        model.zero_grad()
    return statistics.median(times[1:] or times)  # the first one warms up


if __name__ == "__main__":
    main()
