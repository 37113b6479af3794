"""Writes an ONNX model with nothing but the standard library.

A model file is one protobuf message. This module knows the wire format and the
few messages a plain graph needs; it checks nothing about what the graph means.
Field numbers are those of onnx.proto (https://github.com/onnx/onnx).
"""

import struct

FLOAT, UINT8, INT64, UINT4 = 1, 2, 7, 21  # TensorProto.DataType
ATTRIBUTE_FLOAT, ATTRIBUTE_INT, ATTRIBUTE_INTS = 1, 2, 7  # AttributeProto.AttributeType
IR_VERSION = 10


class Graph:
    """Collects nodes and constants by name; `model` gives the file's bytes."""

    def __init__(self, name):
        self.name = name
        self.nodes = []
        self.constants = []

    def node(self, op, inputs, output, domain="", **attributes):
        """Adds one operation with one output, and gives the output's name back."""
        parts = [field(1, each) for each in inputs]
        parts += [field(2, output), field(3, output), field(4, op)]
        parts += [field(5, attribute(key, attributes[key])) for key in sorted(attributes)]
        if domain:
            parts.append(field(7, domain))
        self.nodes.append(b"".join(parts))
        return output

    def constant(self, name, kind, shape, data):
        """Adds a tensor of constants; `data` is little-endian, row after row."""
        parts = [field(1, size) for size in shape]
        parts += [field(2, kind), field(8, name), field(9, data)]
        self.constants.append(b"".join(parts))
        return name

    def model(self, inputs, outputs, opsets, producer):
        """The whole file. Inputs and outputs are (name, kind, shape); a word in a shape is a free size."""
        parts = [field(1, each) for each in self.nodes]
        parts.append(field(2, self.name))
        parts += [field(5, each) for each in self.constants]
        parts += [field(11, value_info(*each)) for each in inputs]
        parts += [field(12, value_info(*each)) for each in outputs]
        model = [field(1, IR_VERSION), field(2, producer), field(7, b"".join(parts))]
        model += [field(8, field(1, domain) + field(2, version)) for domain, version in opsets]
        return b"".join(model)


def attribute(name, value):
    if isinstance(value, float):
        return field(1, name) + field(2, value) + field(20, ATTRIBUTE_FLOAT)
    if isinstance(value, int):
        return field(1, name) + field(3, value) + field(20, ATTRIBUTE_INT)
    return field(1, name) + b"".join(field(8, each) for each in value) + field(20, ATTRIBUTE_INTS)


def value_info(name, kind, shape):
    sizes = [field(2, size) if isinstance(size, str) else field(1, size) for size in shape]
    tensor = field(1, kind) + field(2, b"".join(field(1, size) for size in sizes))
    return field(1, name) + field(2, field(1, tensor))


def field(number, value):
    """One protobuf field: an int as varint, a float as four bytes, text and bytes with their length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def varint(number):
    """Seven bits a byte, lowest first; the top bit says that more follow."""
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)
