#!/usr/bin/env python3
"""Beside whom does our vector search stand?

Runs `coterie bench search N`, takes the vectors out of the index that it leaves
behind, puts the same vectors into LanceDB, Chroma and sqlite-vec, and asks all of
them the same questions on the same machine. Each line is one measurement, in the
form of our own benches; the ratio is the peer's figure over ours.

    python3 run.py target/release/coterie 100000 FOLDER

FOLDER keeps our index for the next run. The libraries are those in
requirements.txt, imported from wherever PYTHONPATH says.
"""

import json
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

DIMENSIONS = 384
HEADER = 64
NEAREST = 10
WARM_UP = 20


def main() -> None:
    program, texts, kept = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    questions = kept / "questions.jsonl"
    ours = run_ours(program, texts, kept, questions)
    keys, vectors = vectors_of(kept / "index" / "vectors-2" / "flat")
    asked = [json.loads(line) for line in questions.read_text().splitlines()]
    for name, peer in PEERS.items():
        folder = Path(tempfile.mkdtemp(prefix=f"peer-{name}-", dir=kept))
        try:
            for line in measured(name, peer, folder, keys, vectors, asked, ours):
                print(json.dumps(line), flush=True)
        finally:
            shutil.rmtree(folder)


def run_ours(program: str, texts: int, kept: Path, questions: Path) -> dict[str, float]:
    command = [program, "bench", "search", str(texts)]
    command += ["--keep", str(kept / "index"), "--questions", str(questions)]
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    print(told, end="", flush=True)
    lines = [json.loads(line) for line in told.splitlines()]
    return {line["bench"]: line["value"] for line in lines}


def vectors_of(path: Path) -> tuple[list[int], np.ndarray]:
    """A record is its key, a checksum, and the numbers in half precision."""
    record = np.dtype([("key", "<u8"), ("sum", "<u4"), ("numbers", "<f2", (DIMENSIONS,))])
    records = np.fromfile(path, dtype=record, offset=HEADER)
    return [int(key) for key in records["key"]], records["numbers"].astype(np.float32)


def measured(name, peer, folder, keys, vectors, asked, ours):
    def line(what, unit, value, base):
        baseline = None if base is None else {"name": "coterie", "value": base}
        ratio = None if base is None else value / base
        return dict(bench=f"{name}_{what}", unit=unit, value=value, baseline=baseline, ratio=ratio)

    began = time.perf_counter()
    search = peer(folder, keys, vectors)
    yield line("build", "s", time.perf_counter() - began, ours.get("search_graph_build"))
    questions = [np.array(one["vector"], dtype=np.float32) for one in asked]
    for question in questions[:WARM_UP]:
        search(question)
    took, met = [], 0
    for question, one in zip(questions, asked, strict=True):
        began = time.perf_counter()
        found = search(question)
        took.append((time.perf_counter() - began) * 1000)
        met += len(set(found) & set(one["nearest"]))
    took.sort()
    for what, part in (("p50", 0.5), ("p99", 0.99)):
        value = took[int((len(took) - 1) * part)]
        yield line(f"vector_{what}", "ms", value, ours[f"search_vector_{what}"])
    recall = met / (NEAREST * len(asked))
    yield line("vector_recall@10", "of exact", recall, ours["search_vector_recall@10"])


def lancedb(folder, keys, vectors):
    """An IVF index of its own choosing, with exact distances of what it finds."""
    import lancedb as lance
    import pyarrow as pa

    numbers = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), DIMENSIONS)
    rows = pa.table({"key": pa.array(keys, pa.uint64()), "vector": numbers})
    table = lance.connect(folder).create_table("texts", rows)
    table.create_index("vector", config=lance.index.HnswSq(distance_type="cosine"))

    def search(question):
        query = table.search(question).distance_type("cosine").nprobes(20).refine_factor(4)
        return [row["key"] for row in query.limit(NEAREST).select(["key"]).to_list()]

    return search


def chroma(folder, keys, vectors):
    """HNSW in memory, kept on the disk."""
    import chromadb

    client = chromadb.PersistentClient(str(folder))
    texts = client.create_collection("texts", configuration={"hnsw": {"space": "cosine"}})
    at_once = 5_000
    for start in range(0, len(keys), at_once):
        ids = [str(key) for key in keys[start : start + at_once]]
        texts.add(ids=ids, embeddings=vectors[start : start + at_once])

    def search(question):
        found = texts.query(query_embeddings=[question], n_results=NEAREST, include=[])
        return [int(one) for one in found["ids"][0]]

    return search


def sqlite_vec(folder, keys, vectors):
    """Every vector is compared: sqlite-vec has no index."""
    # Python's own sqlite3 is often built without extensions.
    import apsw
    import sqlite_vec as vec

    database = apsw.Connection(str(folder / "texts.db"))
    database.enable_load_extension(True)
    database.load_extension(vec.loadable_path())
    kind = f"float[{DIMENSIONS}] distance_metric=cosine"
    database.execute(f"CREATE VIRTUAL TABLE texts USING vec0(key INTEGER PRIMARY KEY, vector {kind})")
    rows = ((key, vector.tobytes()) for key, vector in zip(keys, vectors, strict=True))
    with database:
        database.executemany("INSERT INTO texts VALUES (?, ?)", rows)
    nearest = "SELECT key FROM texts WHERE vector MATCH ? AND k = ? ORDER BY distance"

    def search(question):
        given = struct.pack(f"{DIMENSIONS}f", *question)
        return [key for (key,) in database.execute(nearest, (given, NEAREST))]

    return search


PEERS = {"lancedb": lancedb, "chroma": chroma, "sqlite_vec": sqlite_vec}

if __name__ == "__main__":
    main()
