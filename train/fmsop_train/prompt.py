"""Groups as tokens, under the model's own chat template."""

from dataclasses import dataclass

from .data import Group
from .errors import TrainError

PROBE = "x"  # an answer that no template changes


@dataclass(frozen=True)
class Encoded:
    """A group as token ids; the first answer is the right one."""

    id: str
    stage: int
    prompt: list[int]
    answers: list[list[int]]

    @property
    def packed(self) -> int:
        """Tokens where the prompt is computed once."""
        return len(self.prompt) + sum(map(len, self.answers))

    @property
    def longest(self) -> int:
        """Tokens of the prompt with the longest answer."""
        return len(self.prompt) + max(map(len, self.answers))


class ChatTemplate:
    """How the model is asked, and how it answers: an answer ends with the token
    that ends a turn, so that the model learns to stop."""

    def __init__(self, tokenizer, model: str):
        if not tokenizer.chat_template:
            raise TrainError(
                f"{model} has no chat template: take an instruction-tuned model, or put its chat_template.jinja into the folder"
            )
        self.tokenizer = tokenizer
        opened = self.opened("?")
        whole = self._render([{"role": "user", "content": "?"}, {"role": "assistant", "content": PROBE}], False)
        if not whole.startswith(opened) or PROBE not in whole[len(opened) :]:
            raise TrainError(
                f"{model}: its chat template does not put an answer behind its own prompt for one: "
                "a template without a reasoning part is needed"
            )
        self._before, after = whole[len(opened) :].split(PROBE, 1)
        # Templates put a new line behind the end of a turn, which no model writes.
        end, found, _ = after.partition(tokenizer.eos_token)
        self._after = (end if found else after.rstrip()) + tokenizer.eos_token

    def opened(self, question: str) -> str:
        """The text up to where the model's answer begins."""
        return self._render([{"role": "user", "content": question}], True)

    def closed(self, answer: str) -> str:
        """The text of an answer and of its end."""
        return self._before + answer.strip() + self._after

    def encode(self, group: Group) -> Encoded:
        texts = [self.opened(group.prompt), *map(self.closed, (group.positive, *group.negatives))]
        prompt, *answers = self.tokens(texts)
        return Encoded(group.id, group.stage, prompt, answers)

    def tokens(self, texts: list[str]) -> list[list[int]]:
        return self.tokenizer(texts, add_special_tokens=False)["input_ids"]

    def _render(self, messages: list[dict[str, str]], opened: bool) -> str:
        return self.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=opened, enable_thinking=False)
