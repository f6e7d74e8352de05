"""Fused multiply-add and bit casts for compiled code: explicit, so that every platform rounds the same way."""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


@intrinsic
def fma(typing_context, a, b, c):
    """a * b + c with one rounding."""
    signature = types.float64(types.float64, types.float64, types.float64)

    def generate(context, builder, signature, arguments):
        return builder.fma(*arguments)

    return signature, generate


@intrinsic
def float_bits(typing_context, a):
    """The 64 bits of a double as an unsigned integer."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.uint64(types.float64), generate


@intrinsic
def bits_float(typing_context, a):
    """The double whose bits are this unsigned integer."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.uint64), generate
