"""A server of the older era that behaves as its first argument says.

It speaks JSON lines over its pipes, by hand, so that it can do what no proper server does.
"""

import json
import os
import signal
import subprocess
import sys
import time

BEHAVIOUR = sys.argv[1]
REST = sys.argv[2:]

first_method = None
been = False
late = None
tools = {
    "echo": {"type": "object", "properties": {"text": {"type": "string"}}},
    "first-method": {"type": "object"},
}
# One pixel.
PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
if BEHAVIOUR == "photographs":
    tools["photo"] = {"type": "object"}
outputs = {}
descriptions = {}


def tell(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def log(line):
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def text(words, **more):
    return {"content": [{"type": "text", "text": words}], **more}


def ask(method, params):
    """Asks the client something in the middle of a call, and waits for the answer."""
    tell({"id": "ours", "method": method, "params": params})
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("id") == "ours":
            return message
    sys.exit(0)


def call(name, arguments, meta):
    if name == "look" and BEHAVIOUR == "refuses":
        return {"refused": {"code": -32000, "message": REST[0]}}
    if name == "look":
        return text(REST[0])
    if name == "echo":
        return text(arguments.get("text", ""))
    if name == "long":
        return text("x" * (2 << 20))
    if name == "hologram":
        return {"content": [{"type": "text", "text": "seen"}, {"type": "hologram", "x": 1}], "isError": True}
    if name == "first-method":
        return text(first_method)
    if name == "key":
        return text(str(meta.get("io.coterie/key")))
    if name == "die":
        log("the roof is on fire")
        os._exit(3)
    if name == "hang":
        log("hanging")
        return None
    if name == "grow":
        tools["grown"] = {"type": "object"}
        tell({"method": "notifications/tools/list_changed"})
        return text("grown")
    if name == "flood":
        for n in range(200_000):
            sys.stdout.write("this is no message at all\n")
        for n in range(20_000):
            tell({"method": "notifications/message", "params": {"level": "info", "data": "word " * 20}})
        for n in range(20_000):
            log("flooding " * 10)
        tell({"id": "nobody", "result": text("x" * (20 << 20))})
        return text("after the flood")
    if name == "form":
        schema = arguments.get("schema") or {
            "type": "object",
            "properties": {"name": {"type": "string"}, "age": {"type": "integer", "default": 36}},
            "required": ["name"],
        }
        answer = ask("elicitation/create", {"mode": "form", "message": "Who are you?", "requestedSchema": schema})
        return text(json.dumps(answer["result"], sort_keys=True))
    if name == "page":
        # Refuses until somebody has been there.
        if been:
            return text("let in")
        page = {"mode": "url", "elicitationId": "p1", "url": "https://example.org/let-in", "message": "Sign there."}
        return {"refused": {"code": -32042, "message": "Sign first.", "data": {"elicitations": [page]}}}
    if name == "progress":
        for n in range(1, 4):
            progress = {"progressToken": meta["progressToken"], "progress": n, "total": 3, "message": f"step {n}"}
            tell({"method": "notifications/progress", "params": progress})
        return None
    if name == "photo":
        picture = {"type": "image", "mimeType": "image/png", "data": PICTURE}
        return {"content": [{"type": "text", "text": "the roof"}, picture]}
    if name == "promise":
        return text("a lie", structuredContent={"warmth": arguments.get("warmth")})
    raise KeyError(name)


def answer(message):
    global been, late
    method, number, params = message.get("method"), message.get("id"), message.get("params", {})
    if method == "notifications/cancelled":
        log(f"cancelled {params['requestId']}")
    if number is None:
        return
    if BEHAVIOUR == "late" and method == "server/discover":
        # Asked once only: the next time it is in no hurry either, and yet the first.
        late = number
        return
    if method == "initialize":
        if BEHAVIOUR == "late" and late is not None:
            # As if it had been busy until now.
            tell({"id": late, "error": {"code": -32601, "message": "Method not found"}})
            late = None
            return
        if BEHAVIOUR == "slow":
            # Whoever opens the other end lets it go on.
            open(REST[0]).read()
        capabilities = {"tools": {"listChanged": True}}
        if BEHAVIOUR == "careless":
            capabilities |= {"resources": {}}
        if BEHAVIOUR == "says":
            capabilities |= {"resources": {}, "prompts": {}}
        result = {
            "protocolVersion": "2025-11-25",
            "capabilities": capabilities,
            "serverInfo": {"name": "fake", "version": " ".join(REST)},
        }
    elif method == "tools/list":
        listed = [
            {"name": name, "description": descriptions.get(name, ""), "inputSchema": schema, **({"outputSchema": outputs[name]} if name in outputs else {})}
            for name, schema in tools.items()
        ]
        if BEHAVIOUR == "twice":
            listed += [{"name": "echo", "description": "The second.", "inputSchema": {"type": "object"}}]
        if BEHAVIOUR == "unreadable":
            listed += [
                {"name": "bare", "description": "It says nothing of its arguments."},
                {"name": "crooked", "inputSchema": "object"},
                {"name": "odd", "inputSchema": {"type": "object"}, "outputSchema": 5},
                {"inputSchema": {"type": "object"}},
                {"name": "wrong", "inputSchema": {"type": "nothing that is known"}},
            ]
        result = {"tools": listed}
        if BEHAVIOUR == "endless":
            result["nextCursor"] = str(int(params.get("cursor") or 0) + 1)
    elif method == "resources/list" and BEHAVIOUR == "careless":
        result = {"resources": [{"uri": f"fake://page?key={os.environ['API_TOKEN']}", "name": "page"}]}
    elif method == "resources/read" and BEHAVIOUR == "careless":
        has_key = params["uri"].endswith(os.environ["API_TOKEN"])
        words = "the page" if has_key else "nothing is there"
        result = {"contents": [{"uri": params["uri"], "mimeType": "text/plain", "text": words}]}
    elif method == "resources/list" and BEHAVIOUR == "says":
        result = {"resources": [{"uri": "fake://page", "name": "page"}]}
    elif method == "resources/read" and BEHAVIOUR == "says":
        result = {"contents": [{"uri": params["uri"], "mimeType": "text/plain", "text": REST[0]}]}
    elif method == "prompts/list" and BEHAVIOUR == "says":
        result = {"prompts": [{"name": "page"}]}
    elif method == "prompts/get" and BEHAVIOUR == "says":
        result = {"messages": [{"role": "user", "content": {"type": "text", "text": REST[0]}}]}
    elif method == "tools/call":
        result = call(params["name"], params.get("arguments") or {}, params.get("_meta") or {})
        if result is None:
            return
        if "refused" in result:
            # The person goes there and is done, whether or not anybody waits for it.
            been = BEHAVIOUR != "closed"
            tell({"method": "notifications/elicitation/complete", "params": {"elicitationId": "p1"}})
            tell({"id": number, "error": result["refused"]})
            return
    else:
        if BEHAVIOUR != "mute":
            tell({"id": number, "error": {"code": -32601, "message": "Method not found"}})
        return
    tell({"id": number, "result": result})


def main():
    global first_method
    for name in ("key", "die", "hang", "grow", "flood", "form", "page", "progress", "promise"):
        tools[name] = {"type": "object"}
    outputs["promise"] = {"type": "object", "properties": {"warmth": {"type": "number"}}, "required": ["warmth"]}
    if BEHAVIOUR == "careless":
        secret = os.environ.get("API_TOKEN", "")
        described = {"type": "string", "default": secret, "description": f"as {secret}"}
        tools["careless"] = {"type": "object", "title": secret, "properties": {"as": described}}
        tools["look_at_" + secret] = {"type": "object"}
    if BEHAVIOUR == "many":
        for n in range(int(REST[0])):
            about = f"Does what is done under the number {n}, and says at some length how it went."
            tools[f"do_{n:04}"] = {"type": "object", "properties": {"how": {"type": "string", "description": about}}}
    if BEHAVIOUR == "refuses":
        tools["look"] = {"type": "object"}
    if BEHAVIOUR == "says":
        # The same words wherever it can say any.
        tools["look"] = {"type": "object"}
        descriptions["look"] = REST[0]
    if BEHAVIOUR == "twice":
        descriptions["echo"] = "The first."
    if BEHAVIOUR == "other":
        tools["echo"]["maxProperties"] = 1
    if BEHAVIOUR == "endless-schema":
        links = {f"p{n}": {"anyOf": [{"$ref": f"#/$defs/p{n + 1}"}] * 2} for n in range(60)}
        tools["long"] = {"type": "object", "$ref": "#/$defs/p0", "$defs": links | {"p60": {"required": ["x"]}}}
        branch = {"properties": {"a": {"$ref": "#"}}}
        tools["deep"] = {"type": "object", "anyOf": [branch, branch]}
        tools["promised"] = {"type": "object"}
        outputs["promised"] = tools["long"]
    if BEHAVIOUR == "broken":
        log("no such module")
        sys.exit(5)
    if BEHAVIOUR == "stubborn":
        for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(name, signal.SIG_IGN)
        subprocess.Popen(["sleep", "1000"], start_new_session=True, stdin=subprocess.DEVNULL)
    for line in sys.stdin:
        message = json.loads(line)
        first_method = first_method or message.get("method")
        answer(message)
    while BEHAVIOUR == "stubborn":
        time.sleep(1000)


main()
