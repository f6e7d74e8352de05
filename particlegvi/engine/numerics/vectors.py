"""Arithmetic for compiled code, instruction by instruction: fused, on the bits of a double, and eight doubles at once.

LLVM vectorises loops without sums by itself, but it may not reorder a floating-point sum, so it leaves those scalar.
Here the order is written down: lane by lane, the same on every platform, whatever the width of its registers.

Each operation on vectors also takes tuples of vectors and works member by member; a single vector stands for every
member. A loop whose recurrence waits for its own last value carries a tuple, so that the processor is never idle.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic, models, register_model

if TYPE_CHECKING:
    from numba.core.base import BaseContext

WIDTH = 8
_IR = ir.VectorType(ir.DoubleType(), WIDTH)


class VectorType(types.Type):
    """The numba type of a vector of eight doubles."""


vector = VectorType(name="particlegvi.vector8")
register_model(VectorType)(lambda manager, kind: models.PrimitiveModel(manager, kind, _IR))


def _each(build: Callable[..., ir.Value], *kinds: types.Type) -> tuple[Any, Any]:
    """The signature and the code of an operation on doubles, on vectors, or on tuples of vectors of one length."""
    kinds = tuple(types.float64 if isinstance(kind, types.Number) else kind for kind in kinds)
    count = next((kind.count for kind in kinds if isinstance(kind, types.UniTuple)), 0)
    result = types.UniTuple(vector, count) if count else vector if vector in kinds else types.float64

    def generate(context, builder, signature, arguments):
        if not count:
            return build(builder, *arguments)
        members = [
            cgutils.unpack_tuple(builder, value, count) if isinstance(kind, types.UniTuple) else [value] * count
            for kind, value in zip(kinds, arguments, strict=True)
        ]
        return context.make_tuple(builder, result, [build(builder, *lane) for lane in zip(*members, strict=True)])

    return result(*kinds), generate


def _spread(builder: ir.IRBuilder, number: ir.Value) -> ir.Value:
    single = builder.insert_element(ir.Constant(_IR, ir.Undefined), number, cgutils.int32_t(0))
    mask = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)
    return builder.shuffle_vector(single, ir.Constant(_IR, ir.Undefined), mask)


def _place(context: BaseContext, builder: ir.IRBuilder, kind: types.Array, array: ir.Value, at: ir.Value) -> ir.Value:
    return builder.gep(context.make_array(kind)(context, builder, array).data, [at])


def _flat(array: types.Type) -> types.Array:
    if not (isinstance(array, types.Array) and array.ndim == 1 and array.layout == "C"):
        raise TypeError("vectors are loaded from flat contiguous arrays")
    return array


def _read(array: types.Array, count: int, spread: bool) -> Callable[..., ir.Value]:
    """The code that reads ``count`` vectors, or one number for each, from an index on, a step apart; 0 is no tuple."""

    def generate(context, builder, signature, arguments):
        vectors, index = [], arguments[1]
        for member in range(max(count, 1)):
            if member:
                index = builder.add(index, arguments[2])
            place = _place(context, builder, array, arguments[0], index)
            if spread:
                vectors.append(_spread(builder, builder.load(place)))
            else:
                vectors.append(builder.load(builder.bitcast(place, _IR.as_pointer()), align=8))
        return context.make_tuple(builder, signature.return_type, vectors) if count else vectors[0]

    return generate


@intrinsic
def load(typing_context, array, index):
    """The eight entries of a flat contiguous array from ``index`` on."""
    return vector(array, types.intp), _read(_flat(array), 0, spread=False)


@intrinsic(prefer_literal=True)
def loads(typing_context, array, index, step, count):
    """A tuple of ``count`` vectors, whose entries begin ``step`` apart; ``count`` is a constant."""
    signature = types.UniTuple(vector, count.literal_value)(array, types.intp, types.intp, count)
    return signature, _read(_flat(array), count.literal_value, spread=False)


@intrinsic
def spread(typing_context, array, index):
    """A vector with the entry of a flat contiguous array at ``index``, not below 0, in every lane."""
    return vector(array, types.intp), _read(_flat(array), 0, spread=True)


@intrinsic(prefer_literal=True)
def spreads(typing_context, array, index, step, count):
    """A tuple of ``count`` vectors, each with one entry in every lane; these entries are ``step`` apart."""
    signature = types.UniTuple(vector, count.literal_value)(array, types.intp, types.intp, count)
    return signature, _read(_flat(array), count.literal_value, spread=True)


@intrinsic
def store(typing_context, array, index, value):
    """Write a vector to a flat contiguous array from ``index`` on."""

    def generate(context, builder, signature, arguments):
        place = _place(context, builder, signature.args[0], arguments[0], arguments[1])
        builder.store(arguments[2], builder.bitcast(place, _IR.as_pointer()), align=8)
        return context.get_dummy_value()

    return types.void(_flat(array), types.intp, vector), generate


@intrinsic
def stores(typing_context, array, index, step, values):
    """Write a tuple of vectors to a flat contiguous array, from places on that are ``step`` apart."""

    def generate(context, builder, signature, arguments):
        index = arguments[1]
        for value in cgutils.unpack_tuple(builder, arguments[3], values.count):
            place = _place(context, builder, signature.args[0], arguments[0], index)
            builder.store(value, builder.bitcast(place, _IR.as_pointer()), align=8)
            index = builder.add(index, arguments[2])
        return context.get_dummy_value()

    return types.void(_flat(array), types.intp, types.intp, values), generate


@intrinsic
def as_row(typing_context, array, first, count):
    """A part of a flat array as an array (1, count). After ``reshape`` LLVM would compile loops over many rows."""
    kind = types.Array(_flat(array).dtype, 2, "C")

    def generate(context, builder, signature, arguments):
        (values, start, size), one, eight = arguments, cgutils.intp_t(1), cgutils.intp_t(8)
        owner, parent, data = (builder.extract_value(values, place) for place in (0, 1, 4))
        packed = (cgutils.pack_array(builder, entries) for entries in ([one, size], [builder.mul(eight, size), eight]))
        made = ir.Constant(context.get_value_type(kind), ir.Undefined)  # of shape and strides, behind the other fields
        for place, field in enumerate([owner, parent, size, eight, builder.gep(data, [start]), *packed]):
            made = builder.insert_value(made, field, place)
        return impl_ret_borrowed(context, builder, kind, made)

    return kind(array, types.intp, types.intp), generate


@intrinsic
def broadcast(typing_context, number):
    """A vector with the same number in every lane."""
    return vector(types.float64), lambda context, builder, signature, arguments: _spread(builder, arguments[0])


@intrinsic
def total(typing_context, a):
    """The sum of the lanes, by halves: ((0 + 4) + (2 + 6)) + ((1 + 5) + (3 + 7))."""

    def generate(context, builder, signature, arguments):
        rest = arguments[0]
        half = WIDTH // 2
        while half > 0:
            parts = [
                builder.shuffle_vector(
                    rest,
                    ir.Constant(rest.type, ir.Undefined),
                    ir.Constant(ir.VectorType(ir.IntType(32), half), list(range(first, first + half))),
                )
                for first in (0, half)
            ]
            rest = builder.fadd(*parts)
            half //= 2
        return builder.extract_element(rest, cgutils.int32_t(0))

    return types.float64(vector), generate


@intrinsic
def add(typing_context, a, b):
    """a + b, lane by lane."""
    return _each(ir.IRBuilder.fadd, a, b)


@intrinsic
def subtract(typing_context, a, b):
    """a - b, lane by lane."""
    return _each(ir.IRBuilder.fsub, a, b)


@intrinsic
def multiply(typing_context, a, b):
    """a * b, lane by lane."""
    return _each(ir.IRBuilder.fmul, a, b)


@intrinsic
def minimum(typing_context, a, b):
    """The smaller of a and b, lane by lane; b where either is not a number."""
    return _each(lambda builder, a, b: builder.select(builder.fcmp_ordered("<", a, b), a, b), a, b)


@intrinsic
def maximum(typing_context, a, b):
    """The greater of a and b, lane by lane; b where either is not a number."""
    return _each(lambda builder, a, b: builder.select(builder.fcmp_ordered(">", a, b), a, b), a, b)


@intrinsic
def where_above_zero(typing_context, a, b, c):
    """b where a > 0 or a is not a number, and c elsewhere, lane by lane."""
    zeros = ir.Constant(_IR, [0.0] * WIDTH)
    return _each(lambda builder, a, b, c: builder.select(builder.fcmp_unordered(">", a, zeros), b, c), a, b, c)


def _fused(builder: ir.IRBuilder, a: ir.Value, b: ir.Value, c: ir.Value) -> ir.Value:
    if a.type != _IR:
        return builder.fma(a, b, c)
    kind = ir.FunctionType(_IR, [_IR, _IR, _IR])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, f"llvm.fma.v{WIDTH}f64"), [a, b, c])


@intrinsic
def fma(typing_context, a, b, c):
    """a * b + c with one rounding, of doubles or lane by lane."""
    return _each(_fused, a, b, c)


@intrinsic
def multiply_subtract(typing_context, a, b, c):
    """a * b - c with one rounding, lane by lane."""
    return _each(lambda builder, a, b, c: _fused(builder, a, b, builder.fneg(c)), a, b, c)


@intrinsic
def polynomial(typing_context, coefficients, z):
    """c_0 + c_1 z + c_2 z^2 + ... by `fma` from the last coefficient on, of doubles or lane by lane."""

    def generate(context, builder, signature, arguments):
        numbers = cgutils.unpack_tuple(builder, arguments[0], coefficients.count)

        def horner(builder: ir.IRBuilder, at: ir.Value) -> ir.Value:
            *rest, value = [_spread(builder, coefficient) for coefficient in numbers] if at.type == _IR else numbers
            for coefficient in rest[::-1]:
                value = _fused(builder, value, at, coefficient)
            return value

        return _each(horner, z)[1](context, builder, signature, arguments[1:])

    result = _each(_fused, z)[0]
    return result.return_type(coefficients, *result.args), generate


@intrinsic
def float_bits(typing_context, a):
    """The 64 bits of a double as an unsigned integer."""
    bits = ir.IntType(64)
    return types.uint64(types.float64), lambda context, builder, signature, values: builder.bitcast(values[0], bits)


@intrinsic
def bits_float(typing_context, a):
    """The double whose bits are this unsigned integer."""
    double = ir.DoubleType()
    return types.float64(types.uint64), lambda context, builder, signature, values: builder.bitcast(values[0], double)
