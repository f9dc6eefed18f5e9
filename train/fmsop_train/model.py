"""The model to train: loading it, and what of it is trained."""

from pathlib import Path

import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer, BitsAndBytesConfig

from . import shared_prefix
from .errors import TrainError
from .recipe import Recipe

CPU_PARAMETERS = 1.5e9  # beyond this a step on a CPU takes minutes


def load_tokenizer(folder: Path):
    if not (folder / "config.json").is_file():
        raise TrainError(f"{folder} is no model folder: it has no config.json; give a folder as Hugging Face's save_pretrained writes it")
    try:
        return AutoTokenizer.from_pretrained(folder, local_files_only=True)
    except (OSError, ValueError) as e:
        raise TrainError(f"{folder}: its tokenizer cannot be read: {first_line(e)}") from e


def check_device(folder: Path, recipe: Recipe) -> None:
    """Refuses what is too slow, unless it is asked for: a large model on a CPU, or
    4-bit weights there."""
    if torch.cuda.is_available() or recipe.device == "cpu":
        return
    if recipe.method == "qlora":
        raise TrainError(
            "method qlora is for a GPU, and there is none: take --set method=lora, a machine with one, or --set device=cpu if you mean it"
        )
    parameters = count_parameters(folder)
    if parameters > CPU_PARAMETERS:
        raise TrainError(
            f"{folder} has {parameters / 1e9:.1f} billion parameters and there is no GPU: "
            "take a machine with one, a smaller model, or --set device=cpu if you mean it"
        )


def count_parameters(folder: Path) -> int:
    try:
        with torch.device("meta"):
            model = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(folder, local_files_only=True))
    except (OSError, ValueError) as e:
        raise TrainError(f"{folder}: config.json is not of a model that can be trained: {first_line(e)}") from e
    return sum(p.numel() for p in model.parameters())


def load(folder: Path, recipe: Recipe, bf16: bool, device: torch.device):
    """The model with its trainable parameters in float32."""
    options = {}
    if recipe.method == "qlora":
        bitsandbytes = _import_bitsandbytes()
        options["quantization_config"] = BitsAndBytesConfig(
            load_in_4bit=True,
            bnb_4bit_quant_type="nf4",
            bnb_4bit_use_double_quant=True,
            bnb_4bit_compute_dtype=torch.bfloat16 if bf16 else torch.float32,
        )
        options["device_map"] = {"": device}
    # Frozen weights may be bfloat16; AdamW's small steps are lost in weights that are.
    dtype = torch.bfloat16 if bf16 and recipe.method != "full" else torch.float32
    try:
        model = AutoModelForCausalLM.from_pretrained(
            folder,
            local_files_only=True,
            dtype=dtype,
            attn_implementation=shared_prefix.NAME if recipe.shared_prompt else "sdpa",
            **options,
        )
    except (OSError, ValueError) as e:
        raise TrainError(f"{folder}: the model cannot be loaded: {first_line(e)}") from e
    _check_attention(folder, model, recipe)
    if recipe.method == "qlora":
        # A CPU's 4-bit weights, once used without gradient, are packed otherwise, and give none any more.
        for module in model.modules():
            if isinstance(module, bitsandbytes.nn.Linear4bit):
                module.support_avx512bf16_for_cpu = False
    if recipe.gradient_checkpointing:
        model.activation_checkpointing_enable({"use_reentrant": False})
    return model if recipe.method == "full" else _with_adapter(model, recipe)


def _with_adapter(model, recipe: Recipe):
    from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training

    if recipe.method == "qlora":
        model = prepare_model_for_kbit_training(model, use_gradient_checkpointing=False)  # load has enabled it
    return get_peft_model(
        model,
        LoraConfig(
            r=recipe.lora_rank,
            lora_alpha=recipe.lora_alpha,
            lora_dropout=recipe.lora_dropout,
            target_modules="all-linear",
            task_type="CAUSAL_LM",
        ),
    )


def _check_attention(folder: Path, model, recipe: Recipe) -> None:
    kinds = set(getattr(model.config.get_text_config(), "layer_types", None) or [])
    others = ", ".join(sorted(kinds - {"full_attention"}))
    if recipe.shared_prompt and others:
        raise TrainError(f"{folder} has layers of {others}, which shared prompts do not know: --set shared_prompt=false")


def _import_bitsandbytes():
    try:
        import bitsandbytes
    except ImportError as e:
        raise TrainError("method qlora needs bitsandbytes: pip install bitsandbytes, or take --set method=lora") from e
    return bitsandbytes


def first_line(e: Exception) -> str:
    return str(e).strip().splitlines()[0] if str(e).strip() else type(e).__name__
