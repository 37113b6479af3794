#!/usr/bin/env python3
"""A model server for the benches of the window: it speaks OpenAI's chat completions and says nothing of worth.

    model.py

A process of its own, so that what it does takes nothing from who measures.
Prints its port. To `stream for N seconds` it answers with 50 tokens a second
for so long, to all else at once. GET /state gives how many streams there are and
by how many milliseconds a token was late at most since it was last asked.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOKENS_A_SECOND = 50
STREAM = re.compile(r"stream for (\d+) seconds")
QUESTION = re.compile(r"Question (\d+)")

# As people's conversations are: some words, some long, some code, some numbers.
ANSWERS = [
    "Two things stand out. The first report was written before the numbers were in, and nobody said so afterwards. "
    "I would ask for the date of each figure before I believe the line through them.\n\nWho keeps the sheet?",
    "这个办法可行，不过有两处要当心。第一，旧的记录里有些日期写反了，合并以前最好先核对一遍；第二，大家习惯了原来的顺序，"
    "换了以后头几天难免会找不着东西。\n\n我的建议是先用一个小组试一周，看看哪里别扭，再决定要不要全改。",
    "It is the loop. Each pass reads the whole file again:\n\n```python\ndef totals(path, names):\n    found = {}\n"
    "    for name in names:\n        with open(path, encoding=\"utf-8\") as lines:\n            found[name] = sum(\n"
    "                float(line.split(\",\")[2])\n                for line in lines\n                if line.startswith(name)\n"
    "            )\n    return found\n```\n\nRead it once, keep a `dict`, and it takes as long for fifty names as for one.",
    "Side by side:\n\n| way | first year | each year after | who looks after it |\n|---|---:|---:|---|\n"
    "| rent | 4,800 | 4,800 | they do |\n| buy, used | 9,200 | 600 | we do |\n| buy, new | 14,500 | 350 | we do |\n"
    "| 借用 | 0 | 0 | 说不准 |\n\nAfter three years *used* is the cheapest, if nothing breaks. **If** is the word to look at.",
    "Agreed.",
    "Before we choose, what would change your mind? For me it is these:\n\n1. somebody has done it twice and kept notes,\n"
    "2. it can be taken back within a day,\n3. the people who must live with it were asked.\n\n"
    "- The first holds.\n- The second does, with work.\n- The third does not, and that is where I would begin.\n\n"
    "> We always ask them afterwards.\n\nYes, and they always answer.",
    "I read it differently. The sentence says *may*, not *must*, and the table behind it leaves the column empty for "
    "everybody who joined after March. So either nobody looked, or the rule never held for them. Both would explain the "
    "letters, and only one of them is our mistake. I would write to the two people who signed, with the page in front of "
    "them, and ask which it was. That costs a day. Guessing costs more, because whatever we build on it has to be taken "
    "down again once they answer, and by then others will have built on ours. If you would rather not wait, take the "
    "stricter reading: it is wrong less often.",
    "```sh\nfind . -name '*.log' -mtime +30 -print0 | xargs -0 rm --\n```\n\nWithout `-print0` it falls over names with "
    "blanks, and `--` keeps a file called `-rf` a file.",
    "会上说的是下周三，邮件里写的是周四。我把两处都标出来了，等老陈确认。在他回话以前，先按早的那个准备。",
]


def answer_to(words, who):
    """What is said to these words; different for each who is asked."""
    asked = QUESTION.search(words)
    return ANSWERS[(int(asked.group(1)) + who if asked else who) % len(ANSWERS)]


def tokens(who):
    """Endless pieces of some four characters, as models give them."""
    text = "\n\n".join(itertools.chain(ANSWERS[who % len(ANSWERS):], ANSWERS[: who % len(ANSWERS)])) + "\n\n"
    pieces = re.findall(r"\n+|[一-鿿，。；、]{1,2}| ?[^\s一-鿿，。；、]{1,5}|[^\S\n]+", text)
    return itertools.cycle(pieces)


class State:
    """How many streams there are, and by how much tokens were late at most, whoever wrote them."""

    def __init__(self):
        self.lock, self.streams, self.late_ms = threading.Lock(), 0, 0.0

    @contextlib.contextmanager
    def stream(self):
        with self.lock:
            self.streams += 1
        try:
            yield
        finally:
            with self.lock:
                self.streams -= 1

    def late(self, ms):
        with self.lock:
            self.late_ms = max(self.late_ms, ms)

    def take(self):
        with self.lock:
            taken = {"streams": self.streams, "late_ms": self.late_ms}
            self.late_ms = 0.0
            return taken


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.state, self.asked = State(), itertools.count()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        models = {"object": "list", "data": [{"id": "bench", "object": "model"}]}
        self.give(self.server.state.take() if self.path == "/state" else models)

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        words = str(asked["messages"][-1]["content"])
        who = next(self.server.asked)
        if not asked.get("stream"):
            said = {"role": "assistant", "content": "[]"}
            self.give({"choices": [{"index": 0, "message": said, "finish_reason": "stop"}]})
            return
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        try:
            self.stream(words, who)
        except OSError:
            # Who asked has heard enough.
            self.close_connection = True

    def stream(self, words, who):
        # The newest words stand last; what was said before them may ask for a stream too.
        long = [*STREAM.finditer(words)][-1:]
        is_newest = long and not QUESTION.search(words, long[0].end())
        if is_newest:
            count = int(long[0].group(1)) * TOKENS_A_SECOND
            with self.server.state.stream():
                self.write_evenly(itertools.islice(tokens(who), count))
        else:
            count = 1
            newest = [*QUESTION.finditer(words)][-1:]
            self.chunk({"content": answer_to(newest[0].group() if newest else "", who)})
        self.chunk({}, finish="stop", usage={"prompt_tokens": 900, "completion_tokens": count, "total_tokens": 900 + count})
        self.write(b"data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def write_evenly(self, pieces):
        began = time.monotonic()
        for n, piece in enumerate(pieces):
            late = time.monotonic() - began - n / TOKENS_A_SECOND
            if late < 0:
                time.sleep(-late)
                late = time.monotonic() - began - n / TOKENS_A_SECOND
            self.server.state.late(late * 1000)
            self.chunk({"content": piece})

    def chunk(self, delta, finish=None, **more):
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        said = {"id": "bench", "object": "chat.completion.chunk", "model": "bench", "choices": [choice], **more}
        self.write(b"data: " + json.dumps(said).encode() + b"\n\n")

    def write(self, data):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

    def give(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    server = Server()
    print(server.server_address[1], flush=True)
    server.serve_forever()
