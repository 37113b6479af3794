"""Runs llama.cpp's server, from the wheel in assets/tests, until its input ends. Prints its address.

Arguments: the folder with the library, a model, a chat template, and `vectors` for a server that makes
those. One question at a time, a window of 2,048 tokens, and a key.
"""

import sys

folder, model, template, *vectors = sys.argv[1:]
sys.path.insert(0, folder)
import xllamacpp  # noqa: E402

params = xllamacpp.CommonParams()
params.model.path = model
params.model_alias = {"starter"}
params.hostnames, params.port = ["127.0.0.1"], 0
params.api_keys = ["sk-local"]
params.n_ctx, params.n_parallel = 2048, 1
# More threads wait for each other when the machine is busy.
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
with open(template, encoding="utf-8") as file:
    params.chat_template = file.read()
params.embedding = bool(vectors)
if vectors:
    # As models that are made for it say of themselves.
    params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
params.ui = params.warmup = False

server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
