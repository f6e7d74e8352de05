"""Eight doubles at once, explicitly: for the few loops whose sums must stay in registers.

LLVM vectorises loops without sums by itself, but it may not reorder a floating-point sum, so it leaves those scalar.
Here the order is written down: lane by lane, the same on every platform, whatever the width of its registers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, models, register_model

if TYPE_CHECKING:
    from numba.core.base import BaseContext

WIDTH = 8
_IR = ir.VectorType(ir.DoubleType(), WIDTH)


class VectorType(types.Type):
    """The numba type of a vector of eight doubles."""

    def __init__(self) -> None:
        super().__init__(name="particlegvi.vector8")


vector = VectorType()


@register_model(VectorType)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager: object, number_type: types.Type) -> None:
        super().__init__(manager, number_type, _IR)


def _address(
    context: BaseContext, builder: ir.IRBuilder, array_type: types.Array, array: ir.Value, index: ir.Value
) -> ir.Value:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), _IR.as_pointer())


@intrinsic
def load(typing_context, array, index):
    """The eight entries of a flat contiguous array from ``index`` on."""
    if not (isinstance(array, types.Array) and array.ndim == 1 and array.layout == "C"):
        raise TypeError("vectors are loaded from flat contiguous arrays")

    def generate(context, builder, signature, arguments):
        pointer = _address(context, builder, signature.args[0], arguments[0], arguments[1])
        result = builder.load(pointer)
        result.align = 8
        return result

    return vector(array, types.intp), generate


@intrinsic
def store(typing_context, array, index, value):
    """Write a vector to a flat contiguous array from ``index`` on."""

    def generate(context, builder, signature, arguments):
        pointer = _address(context, builder, signature.args[0], arguments[0], arguments[1])
        instruction = builder.store(arguments[2], pointer)
        instruction.align = 8
        return context.get_dummy_value()

    return types.void(array, types.intp, vector), generate


@intrinsic
def broadcast(typing_context, number):
    """A vector with the same number in every lane."""

    def generate(context, builder, signature, arguments):
        single = builder.insert_element(ir.Constant(_IR, ir.Undefined), arguments[0], cgutils.int32_t(0))
        mask = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)
        return builder.shuffle_vector(single, ir.Constant(_IR, ir.Undefined), mask)

    return vector(types.float64), generate


@intrinsic
def spread(typing_context, array, index):
    """A vector with the entry of a flat contiguous array at ``index``, not below 0, in every lane."""
    if not (isinstance(array, types.Array) and array.ndim == 1 and array.layout == "C"):
        raise TypeError("numbers are spread from flat contiguous arrays")

    def generate(context, builder, signature, arguments):
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        number = builder.load(builder.gep(data, [arguments[1]]))
        single = builder.insert_element(ir.Constant(_IR, ir.Undefined), number, cgutils.int32_t(0))
        mask = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)
        return builder.shuffle_vector(single, ir.Constant(_IR, ir.Undefined), mask)

    return vector(array, types.intp), generate


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
def totals(typing_context, vectors):
    """A vector of the sums of the lanes of a tuple of eight, each sum as ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7))."""

    def generate(context, builder, signature, arguments):
        rows, distance = cgutils.unpack_tuple(builder, arguments[0], WIDTH), 1
        while len(rows) > 1:  # each turn halves the parts and doubles the vectors of a row
            pairs = []
            for one, two in zip(rows[::2], rows[1::2], strict=True):
                parts = []
                for half in (0, 1):
                    lanes = [
                        (lane & ~distance) + half * distance + (WIDTH if lane & distance else 0)
                        for lane in range(WIDTH)
                    ]
                    mask = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), lanes)
                    parts.append(builder.shuffle_vector(one, two, mask))
                pairs.append(builder.fadd(*parts))
            rows, distance = pairs, 2 * distance
        return rows[0]

    return vector(types.UniTuple(vector, WIDTH)), generate


@intrinsic
def add(typing_context, a, b):
    """a + b, lane by lane."""

    def generate(context, builder, signature, arguments):
        return builder.fadd(*arguments)

    return vector(vector, vector), generate


@intrinsic
def subtract(typing_context, a, b):
    """a - b, lane by lane."""

    def generate(context, builder, signature, arguments):
        return builder.fsub(*arguments)

    return vector(vector, vector), generate


@intrinsic
def multiply(typing_context, a, b):
    """a * b, lane by lane."""

    def generate(context, builder, signature, arguments):
        return builder.fmul(*arguments)

    return vector(vector, vector), generate


def _choose(builder: ir.IRBuilder, comparison: str, a: ir.Value, b: ir.Value) -> ir.Value:
    return builder.select(builder.fcmp_ordered(comparison, a, b), a, b)


@intrinsic
def minimum(typing_context, a, b):
    """The smaller of a and b, lane by lane; b where either is not a number."""

    def generate(context, builder, signature, arguments):
        return _choose(builder, "<", *arguments)

    return vector(vector, vector), generate


@intrinsic
def maximum(typing_context, a, b):
    """The greater of a and b, lane by lane; b where either is not a number."""

    def generate(context, builder, signature, arguments):
        return _choose(builder, ">", *arguments)

    return vector(vector, vector), generate


@intrinsic
def where_above_zero(typing_context, a, b, c):
    """b where a > 0 or a is not a number, and c elsewhere, lane by lane."""

    def generate(context, builder, signature, arguments):
        zeros = ir.Constant(_IR, [0.0] * WIDTH)
        return builder.select(builder.fcmp_unordered(">", arguments[0], zeros), arguments[1], arguments[2])

    return vector(vector, vector, vector), generate


def _fused(builder: ir.IRBuilder) -> ir.Function:
    kind = ir.FunctionType(_IR, [_IR, _IR, _IR])
    return cgutils.get_or_insert_function(builder.module, kind, f"llvm.fma.v{WIDTH}f64")


@intrinsic
def multiply_add(typing_context, a, b, c):
    """a * b + c with one rounding, lane by lane."""

    def generate(context, builder, signature, arguments):
        return builder.call(_fused(builder), arguments)

    return vector(vector, vector, vector), generate


@intrinsic
def multiply_subtract(typing_context, a, b, c):
    """a * b - c with one rounding, lane by lane."""

    def generate(context, builder, signature, arguments):
        return builder.call(_fused(builder), [arguments[0], arguments[1], builder.fneg(arguments[2])])

    return vector(vector, vector, vector), generate
