"""Tokens and chat templates as the libraries of Hugging Face have them.

Reads {"tokenizer": FILE, "texts": […]} and writes [[count, CRC-32 of the numbers]…],
or {"template": …, "special": {…}, "conversations": [{"messages", "tools", "prompt"}…]}
and writes [{"text"} or {"refused"}…].
"""
import datetime
import json
import sys
import zlib


def tokens(question):
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(question["tokenizer"])
    for encoding in tokenizer.encode_batch(question["texts"], add_special_tokens=False):
        ids = encoding.ids
        yield [len(ids), zlib.crc32(",".join(map(str, ids)).encode())]


def layouts(question):
    import jinja2
    from jinja2.ext import loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    def refuse(message):
        raise jinja2.exceptions.TemplateError(message)

    def to_json(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
        return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
    environment.filters["tojson"] = to_json
    environment.globals["raise_exception"] = refuse
    environment.globals["strftime_now"] = datetime.datetime(2024, 7, 26, 12).strftime
    template = environment.from_string(question["template"])
    for c in question["conversations"]:
        try:
            yield {"text": template.render(messages=c["messages"], tools=c.get("tools"), documents=None,
                                           add_generation_prompt=c["prompt"], **question["special"])}
        except jinja2.exceptions.TemplateError as refusal:
            yield {"refused": str(refusal)}


asked = json.load(sys.stdin)
json.dump(list(tokens(asked) if "tokenizer" in asked else layouts(asked)), sys.stdout)
