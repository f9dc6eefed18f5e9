"""A run from its command line to the folder that it leaves."""

import argparse
import hashlib
import json
import os
import platform
import shutil
import warnings
from pathlib import Path

import accelerate
import peft
import torch
import transformers
from accelerate import Accelerator
from accelerate.utils import set_seed

from . import checkpoint, model, modelfile, recipe, save, schedule, store
from .checkpoint import Position
from .data import Folder, open_folder
from .errors import TrainError
from .layout import Layout
from .metrics import Metrics, summary_writer
from .prompt import ChatTemplate
from .recipe import Recipe
from .stop import Stop
from .trainer import Trainer
from .watch import Watch


def run(options: argparse.Namespace) -> None:
    settings = recipe.load(options.recipe, options.set)
    transformers.logging.disable_progress_bar()
    transformers.logging.set_verbosity_error()
    warnings.filterwarnings("ignore", category=FutureWarning, module="transformers")
    folder = open_folder(options.data)
    if settings.tensorboard:
        summary_writer()
    tokenizer = model.load_tokenizer(options.model)
    model.check_device(options.model, settings)
    template = ChatTemplate(tokenizer, str(options.model))
    stop = Stop()

    on_gpu = torch.cuda.is_available() and settings.device == "auto"
    bf16 = settings.precision == "bf16" or settings.precision == "auto" and on_gpu and torch.cuda.is_bf16_supported()
    accelerator = Accelerator(mixed_precision="bf16" if bf16 else "no", cpu=not on_gpu)
    main = accelerator.is_main_process
    set_seed(settings.seed)
    out: Path = options.output
    if main:
        begin(out, settings, describe(options.model, folder, accelerator), options.resume)
    accelerator.wait_for_everyone()
    try:
        tokens = out / "tokens" / f"train-{accelerator.process_index}.bin"
        groups = store.build(folder, template, settings.max_tokens, tokens, negatives=settings.contrastive > 0)
        layout = Layout(settings, accelerator.device)
        watch = Watch(folder, template, settings, accelerator, layout) if settings.evaluate_every and settings.validation_groups else None
        trained = model.load(options.model, settings, bf16, accelerator.device)
    except TrainError:
        if main and not options.resume:
            shutil.rmtree(out)
        raise
    optimizer = torch.optim.AdamW(
        [p for p in trained.parameters() if p.requires_grad], lr=settings.learning_rate, weight_decay=settings.weight_decay
    )
    trained, optimizer = accelerator.prepare(trained, optimizer)
    plan = schedule.phases(settings, {i: len(groups.of_stage(i)) for i in folder.stages})

    checkpoints = out / "checkpoints"
    found = checkpoint.found(checkpoints) if options.resume else []
    position = checkpoint.load(found[-1], trained, optimizer.optimizer) if found else Position()
    metrics = Metrics(out / "metrics.jsonl", sum(p.steps for p in plan), position.done, main, options.quiet, settings.tensorboard)
    if groups.left_out:
        metrics.remark(left_out(groups, settings))
    if modelfile.strange(options.model):
        metrics.remark(f"{modelfile.STRANGE}: serve OUT/model with vLLM, say")
    try:
        trainer = Trainer(settings, accelerator, trained, optimizer, groups, layout, plan, watch, metrics, stop, checkpoints)
        trainer.run(position)
    finally:
        metrics.close()
        if watch:
            watch.close()
    save.save(accelerator, trained, tokenizer, options.model, out, settings)


def left_out(groups: store.Store, settings: Recipe) -> str:
    n = sum(groups.left_out.values())
    tokens, longest = groups.longest
    return (
        f"{n} of {n + len(groups.records)} groups have more than max_tokens, {settings.max_tokens}, and are left out "
        f"(the longest, {longest}, has {tokens}): to have them, --set max_tokens=N"
    )


def begin(out: Path, settings: Recipe, description: dict, resume: bool) -> None:
    """Makes the folder of the run, or looks whether it is the same run."""
    described = out / "run.json"
    if resume:
        try:
            before = json.loads(described.read_text(encoding="utf-8"))
        except (OSError, ValueError) as e:
            raise TrainError(f"{out} has no run to go on with: leave --resume out") from e
        for what in ("data", "model"):
            if before[what]["sha256"] != description[what]["sha256"]:
                raise TrainError(f"{out}: the run was begun with other {what}: go on with the same, or name another folder")
        recipe.same(out / "recipe.yaml", settings)
        return
    if out.exists() and any(out.iterdir()):
        raise TrainError(f"{out} is there already: go on with --resume, or name another folder")
    out.mkdir(parents=True, exist_ok=True)
    write(out / "recipe.yaml", settings.dump())
    write(described, json.dumps(description, indent=2) + "\n")


def write(path: Path, text: str) -> None:
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)


def describe(folder: Path, data: Folder, accelerator: Accelerator) -> dict:
    """What run.json says: from what, with what and on what the model is trained."""
    weights = {p.name: sha256(p) for p in sorted(folder.glob("*.safetensors")) + sorted(folder.glob("*.bin"))}
    return {
        "model": {
            "folder": folder.name,
            "revision": revision(folder),
            "sha256": hashlib.sha256(json.dumps(weights).encode()).hexdigest(),
            "files": weights,
        },
        "data": {"folder": data.path.name, "sha256": data.sha256},
        "versions": {"python": platform.python_version(), **{m.__name__: m.__version__ for m in (torch, transformers, peft, accelerate)}},
        "hardware": {
            "device": torch.cuda.get_device_name() if accelerator.device.type == "cuda" else platform.machine() + " CPU",
            "processes": accelerator.num_processes,
            "threads": torch.get_num_threads(),
        },
    }


def revision(folder: Path) -> str | None:
    """That of a folder in Hugging Face's cache, models--…/snapshots/REVISION."""
    path = folder.resolve()
    return path.name if path.parent.name == "snapshots" else None


def sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as f:
        while part := f.read(1 << 20):
            digest.update(part)
    return digest.hexdigest()
