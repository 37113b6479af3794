"""Makes vectors of texts with the same model and prints what `coterie bench embed` compares with.

    python3 onnxruntime_client.py FOLDER THREADS BATCH TEXTS

As one would write it by hand: ONNX Runtime, the tokenizer in Rust, texts of a length
together. Prints the texts a second and the first numbers of the first text's vector.
"""

import json
import sys
import time

try:
    import numpy as np
    import onnxruntime
    import tokenizers
except ImportError:
    sys.exit(3)

folder, threads, batch = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with open(sys.argv[4], encoding="utf-8") as file:
    texts = json.load(file)

options = onnxruntime.SessionOptions()
options.intra_op_num_threads = threads
session = onnxruntime.InferenceSession(f"{folder}/model.onnx", options, providers=["CPUExecutionProvider"])
wanted = {wanted.name for wanted in session.get_inputs()}
tokenizer = tokenizers.Tokenizer.from_file(f"{folder}/tokenizer.json")
tokenizer.enable_truncation(512)
tokenizer.enable_padding()


def vectors(some):
    encoded = tokenizer.encode_batch([f"passage: {text}" for text in some])
    mask = np.array([one.attention_mask for one in encoded], dtype=np.int64)
    given = {
        "input_ids": np.array([one.ids for one in encoded], dtype=np.int64),
        "attention_mask": mask,
        "token_type_ids": np.zeros_like(mask),
    }
    (hidden, *_) = session.run(None, {name: value for name, value in given.items() if name in wanted})
    weights = mask[:, :, None].astype(np.float32)
    mean = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
    return mean / np.linalg.norm(mean, axis=1, keepdims=True)


order = sorted(range(len(texts)), key=lambda at: len(texts[at].encode()))
vectors([texts[at] for at in order[:batch]])
found = [None] * len(texts)
began = time.perf_counter()
for first in range(0, len(order), batch):
    some = order[first : first + batch]
    for at, vector in zip(some, vectors([texts[at] for at in some])):
        found[at] = vector
took = time.perf_counter() - began
print(json.dumps({"texts_a_second": len(texts) / took, "first": [float(x) for x in found[0][:8]]}))
