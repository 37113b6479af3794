"""Writes what Jinja itself makes of each template here, as the Python programs
do that models are trained with:

    pip install jinja2 && python3 expected.py

The tests of `src/chat.rs` compare our rendering with it, letter by letter.
"""

import json
import pathlib

import jinja2
from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

HERE = pathlib.Path(__file__).parent
GIVEN = json.loads((HERE / "conversation.json").read_text())


def dumps(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def refuse(why):
    raise jinja2.exceptions.TemplateError(why)


def told(message):
    calls, answers = message.get("calls", []), message.get("answers")
    out = {"role": message["role"], "content": message["content"]}
    if calls:
        out["tool_calls"] = [
            {"id": call["id"], "type": "function", "function": {
                "name": call["name"], "arguments": call["arguments"]}}
            for call in calls
        ]
    if answers:
        out["tool_call_id"], out["name"] = answers
    return out


def offered(tool):
    return {"type": "function", "function": {
        "name": tool["name"], "description": tool["description"], "parameters": tool["input"]}}


def rendered(source, messages, tools):
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
    environment.filters["tojson"] = dumps
    environment.globals["raise_exception"] = refuse
    environment.globals["strftime_now"] = lambda form: "A DAY"
    try:
        return environment.from_string(source).render(
            messages=[told(message) for message in messages],
            tools=[offered(tool) for tool in tools] or None,
            add_generation_prompt=True, bos_token="<s>", eos_token="</s>")
    except jinja2.exceptions.TemplateError:
        return "REFUSED"


def sections(source):
    messages, tools = GIVEN["messages"], GIVEN["tools"]
    talk = [message for message in messages if message["role"] != "tool" and not message.get("calls")]
    asked = [message for message in talk if message["role"] != "system"]
    for name, messages, tools in [
        ("asked", asked[:1], []), ("told and asked", talk[:2], []), ("a conversation", talk, []),
        ("with tools", messages, tools)]:
        yield f"=== {name}\n{rendered(source, messages, tools)}\n"


if __name__ == "__main__":
    for template in sorted(HERE.glob("*.jinja")):
        text = "".join(sections(template.read_text()))
        template.with_suffix(".txt").write_text(text)
