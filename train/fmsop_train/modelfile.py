"""The Modelfile with which ollama create takes a model folder.

Ollama has a template language of its own. Rather than know families of models, the
model's own chat template is rendered with probes, and the text between them is what
it puts around a system message, a question and an answer:

    [system] S [between] U [asked] A [answered] U [asked] …
"""

import hashlib
import json
import shutil
from dataclasses import dataclass
from pathlib import Path

SYSTEM, QUESTION, ANSWER, AGAIN = "Probe of the system", "Probe of a question", "Probe of an answer", "Probe of another question"


@dataclass(frozen=True)
class Frame:
    """What a chat template puts around messages."""

    head: str  # before the first question, where there is no system message
    system: tuple[str, str] | None  # around a system message; None where the template has no place for one
    before: str  # a question
    asked: str  # between a question and its answer
    answered: str  # behind an answer

    def render(self, system: str, *turns: str) -> str:
        """Questions and answers in turn, as the Ollama template lays them out."""
        text = self.system[0] + system + self.system[1] if system and self.system else self.head
        for i, turn in enumerate(turns):
            text += turn + self.answered if i % 2 else self.before + turn + self.asked
        return text

    def template(self) -> str:
        """The same in Ollama's language."""
        head = self.head
        if self.system:
            head = (
                "{{ if .System }}" + self.system[0] + "{{ .System }}" + self.system[1] + ("{{ else }}" + head if head else "") + "{{ end }}"
            )
        question = '{{ if eq .Role "user" }}' + self.before + "{{ .Content }}" + self.asked
        return (
            head
            + "{{ range .Messages }}"
            + question
            + '{{ else if eq .Role "assistant" }}{{ .Content }}'
            + self.answered
            + "{{ end }}{{ end }}"
        )


def frame(tokenizer, bos: bool = False) -> Frame | None:
    """The frame of a tokenizer's chat template, less the token that begins a text
    where bos says that Ollama puts it there by itself; None where the template does
    more than put text around messages, so that a frame would not say the same."""

    def render(system: str, *turns: str) -> str:
        messages = [{"role": "system", "content": system}] if system else []
        messages += [{"role": ("user", "assistant")[i % 2], "content": turn} for i, turn in enumerate(turns)]
        text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True, enable_thinking=False)
        return text.removeprefix(tokenizer.bos_token or "") if bos else text

    conversations = [("", QUESTION), ("", QUESTION, ANSWER, AGAIN), (SYSTEM, QUESTION), (SYSTEM, QUESTION, ANSWER, AGAIN)]
    try:
        first, rest = render(*conversations[1]).split(QUESTION)
        asked, rest = rest.split(ANSWER)
        middle, _ = rest.split(AGAIN)
        # An answer ends with the token that ends a turn, and perhaps white space.
        end = middle.index(tokenizer.eos_token) + len(tokenizer.eos_token)
        before = middle[end:].lstrip("\n")
        answered = middle.removesuffix(before)
        head = _without(first, before)
        system = _system(render, before)
        made = Frame(head, system, before, asked, answered)
        known = conversations if system else conversations[:2]
        return made if all(made.render(*c) == render(*c) for c in known) and "{{" not in made.render("") else None
    except ValueError:
        return None


def _system(render, before: str) -> tuple[str, str] | None:
    from jinja2 import TemplateError

    try:
        opening, rest = render(SYSTEM, QUESTION).split(SYSTEM)
        return opening, _without(rest.split(QUESTION)[0], before)
    except (TemplateError, ValueError):
        return None  # such as Gemma's, which refuses one


def _without(text: str, end: str) -> str:
    if not text.endswith(end):
        raise ValueError(f"{text!r} does not end with {end!r}")
    return text.removesuffix(end)


def adds_bos(folder: Path) -> bool:
    """Whether Ollama puts the token that begins a text before every prompt of a model
    that it makes of this folder. It does so where the tokenizer's settings ask for
    it, whatever the tokenizer itself does."""
    path = folder / "tokenizer_config.json"
    return path.exists() and json.loads(path.read_text(encoding="utf-8")).get("add_bos_token") is True


# Ollama (0.17.4, convert) knows how text is split by some architectures, and by the
# SHA-256 of a tokenizer's patterns. Anything else it takes for GPT-2's.
KNOWN = {
    "DeepseekV3ForCausalLM", "Glm4MoeLiteForCausalLM", "Lfm2ForCausalLM", "Lfm2MoeForCausalLM", "Lfm2VlForConditionalGeneration",
    "Qwen3NextForCausalLM", "Qwen3_5ForConditionalGeneration", "Qwen3_5MoeForConditionalGeneration",
}  # fmt: skip
SPLITS = {
    "d98f9631be1e9607a9848c26c1f9eac1aa9fc21ac6ba82a2fc0741af9780a48f": "Llama 3",
    "03df5c5863ad70781dcfdef491ead25140f895fe8010964be0daefe27be32b02": "DeepSeek LLM",
    "21cde974d587f0d54dc8d56b183cc1e6239600172035c68fbd6d4b9f8da0576e": "DeepSeek Coder",
    "1ff7f41064896984db5d1bb6ff64fa4bc29007d08c1b439e505b7392777a319e": "Qwen 2",
    "00431aed57e696b747435f734d1e3b9b1bfd931a121fb5cac7129e97c181e9ba": "Qwen 3.5",
}
STRANGE = "Ollama does not know how this tokenizer splits text and would feed the model other tokens than it was trained on"


def strange(folder: Path) -> bool:
    """Whether Ollama would split text otherwise than the tokenizer of this folder."""
    if (folder / "tokenizer.model").exists() or not (folder / "tokenizer.json").exists():
        return False
    if KNOWN & set(json.loads((folder / "config.json").read_text(encoding="utf-8")).get("architectures") or ()):
        return False
    t = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    parts = (t.get("pre_tokenizer") or {}).get("pretokenizers", [])
    patterns = "".join(p["pattern"].get("Regex", "") for p in parts if p["type"] == "Split")
    return bool(t["model"].get("merges")) and hashlib.sha256(patterns.encode()).hexdigest() not in SPLITS


def write(folder: Path, base: Path, tokenizer, context: int) -> None:
    """Puts a Modelfile into a folder of merged weights, and what else Ollama reads
    there. context is the longest prompt with its answer, in tokens."""
    if (base / "tokenizer.model").exists():
        # Transformers does not write it, and without it Ollama splits as GPT-2 does.
        shutil.copy(base / "tokenizer.model", folder)
    repeat_rope(folder / "config.json")
    (folder / "Modelfile").write_text(modelfile("FROM .", folder, tokenizer, context), encoding="utf-8")


def repeat_rope(path: Path) -> None:
    """Puts the settings of rotary positions also where they stood before
    Transformers 5: Ollama reads them there, and takes what is missing for 0."""
    config = json.loads(path.read_text(encoding="utf-8"))
    rope = config.get("rope_parameters") or {}
    if "rope_theta" not in rope:
        return
    config["rope_theta"] = rope["rope_theta"]
    if rope.get("rope_type", "default") != "default":
        config["rope_scaling"] = {**{k: v for k, v in rope.items() if k != "rope_theta"}, "type": rope["rope_type"]}
    path.write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")


def write_adapter(folder: Path, base: Path, tokenizer, context: int) -> None:
    """Puts a Modelfile into the folder of an adapter. Ollama reads adapters of
    Llama and Gemma 2 alone."""
    text = modelfile(f"FROM {base.resolve()}\nADAPTER .", base, tokenizer, context)
    (folder / "Modelfile").write_text(text, encoding="utf-8")


def modelfile(source: str, folder: Path, tokenizer, context: int) -> str:
    """folder is that of the weights, whose tokenizer Ollama takes."""
    lines = [f"# {STRANGE}."] if strange(folder) else []
    lines.append(source)
    if found := frame(tokenizer, adds_bos(folder)):
        lines.append(f'TEMPLATE """{found.template()}"""')
    else:
        lines.append(
            "# The chat template does more than put text around messages: Ollama has to know it by itself, or write TEMPLATE here."
        )
    lines.append(f"PARAMETER stop {quoted(tokenizer.eos_token)}")
    # What greedy validity was measured with.
    lines += ["PARAMETER temperature 0", f"PARAMETER num_ctx {context}"]
    return "\n".join(lines) + "\n"


def quoted(text: str) -> str:
    return f'"""{text}"""' if any(c in text for c in ' "\n') else text
