"""Asks a server so many times and prints the seconds of processor time that it took.

Reads each answer as the client's documentation shows it. Started by `coterie bench stream`.
"""

import sys
import time

try:
    import openai
except ImportError:
    sys.exit(3)

url, answers, length = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
client = openai.OpenAI(base_url=url, api_key="none", max_retries=0)


def ask(times):
    for _ in range(times):
        seen = 0
        messages = [{"role": "user", "content": "What do you see?"}]
        for chunk in client.chat.completions.create(model="bench", messages=messages, stream=True):
            for choice in chunk.choices:
                seen += len(choice.delta.content or "")
        if seen != length:
            sys.exit(f"{seen} bytes of text arrived")


ask(2)
before = time.process_time()
ask(answers)
print(time.process_time() - before)
