"""Run by test_processes, as each of two processes: a run of its own, and steps of
sharded weights. Writes OUT/sharded.json."""

import json
import sys
from pathlib import Path

import tiny
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

from fmsop_train import checkpoint, objective, shared_prefix
from fmsop_train.__main__ import parser
from fmsop_train.checkpoint import Position
from fmsop_train.prompt import Encoded
from fmsop_train.run import run

GROUP = Encoded("a", 1, list(range(9)), [[1, 2, 3], [4, 5]])


def steps(model, optimizer, n: int) -> list[float]:
    losses = []
    for _ in range(n):
        batch = shared_prefix.pack([GROUP], torch.device("cpu"))
        sums, _ = objective.log_likelihoods(batch.logits(model), batch.targets, batch.answer, 2)
        loss = objective.info_nce(sums, 1.0)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return losses


def answer(model) -> list[int]:
    ids = torch.tensor([GROUP.prompt])
    with torch.no_grad():
        return model.generate(
            input_ids=ids, attention_mask=torch.ones_like(ids), max_new_tokens=5, do_sample=False, synced_gpus=dist.get_world_size() > 1
        ).tolist()


def model():
    made = tiny.model(seed=1)
    made.set_attn_implementation(shared_prefix.NAME)
    return made, lambda: torch.optim.AdamW(made.parameters(), lr=1e-2)


def sharded(out: Path) -> None:
    whole, optimizer = model()
    want = steps(whole, optimizer(), 4)
    shards, optimizer = model()
    mesh = init_device_mesh("cpu", (2,))
    for layer in shards.model.layers:
        fully_shard(layer, mesh=mesh)
    fully_shard(shards, mesh=mesh)
    optimizer = optimizer()
    got = steps(shards, optimizer, 2)
    checkpoint.save(out, Position(1, 2, 2), shards, optimizer, dist.get_rank() == 0)
    got += steps(shards, optimizer, 2)
    answers = answer(whole), answer(shards)  # before what is loaded, as an evaluation is
    dist.barrier()
    checkpoint.load(out / "phase-1-step-2", shards, optimizer)
    again = steps(shards, optimizer, 2)
    if dist.get_rank() == 0:
        (out / "sharded.json").write_text(json.dumps({"whole": want, "sharded": got, "resumed": again, "answers": answers}))


if __name__ == "__main__":
    options = parser().parse_args(sys.argv[1:])
    run(options)
    sharded(options.output)
