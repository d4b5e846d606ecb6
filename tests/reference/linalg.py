"""Products of matrices, vectors and tensors."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from .model import Array, B, Row, S, V, ints, normal

#: A product of n terms is off by about the root of n roundings of the size of its terms.
product = partial(Row, ulps=8, size=8.0, types=("float16", "bfloat16"))


def codes(equation: str) -> tuple[int, ...]:
    return tuple(ord(c) for c in equation)


def einsum(*operands: Array, equation: Any) -> Array:
    return np.einsum("".join(chr(c) for c in equation), *operands)


def linear(x: Array, weight: Array, bias: Array | None = None) -> Array:
    return np.asarray(x @ weight.T) + (0 if bias is None else bias)


def bilinear(a: Array, b: Array, weight: Array, bias: Array | None = None) -> Array:
    return np.einsum("...i,oij,...j->...o", a, weight, b) + (0 if bias is None else bias)


def scaled(multiply: Any) -> Any:
    return lambda x, a, b, beta=1.0, alpha=1.0: (0 if beta == 0 else beta * x) + alpha * multiply(a, b)


def tensordot(a: Array, b: Array, dims_a: Any, dims_b: Any) -> Array:
    return np.tensordot(a, b, (list(dims_a), list(dims_b)))


def cross(a: Array, b: Array, dim: int = -1) -> Array:
    return np.cross(a, b, axis=dim)


WHOLE = [V(ints(-9, 9, 2, 3), ints(-9, 9, 3, 2)), V(ints(-9, 9, 2, 3, dtype="int32"), ints(-9, 9, 3, 2, dtype="int32"))]
MATRICES = [
    S(normal(B, 4), normal(4, 2)), S(normal(1, 4), normal(4, 1)), S(normal(B, 2, 3), normal(3, 2)), S(normal(B, 2, 3), normal(B, 3, 2)),
    S(normal(2, 1, 2, 3), normal(3, 3, 2)), V(normal(2, 0), normal(0, 3)), V(normal(0, 3), normal(3, 2)), V(normal(33, 70), normal(70, 50)),
]  # fmt: skip

ROWS = [
    product("matmul", np.matmul, [*MATRICES, S(normal(3), normal(3)), S(normal(2, 3), normal(3)), S(normal(3), normal(3, 2)), S(normal(3), normal(2, 3, 2)), *WHOLE,
        V(normal(0, 9), normal(9))]),
    product("matmul_nd", np.matmul, MATRICES),
    product("mm", np.matmul, [S(normal(B, 4), normal(4, 2)), *WHOLE]),
    product("bmm", np.matmul, [S(normal(B, 2, 3), normal(B, 3, 2)), V(ints(0, 9, 2, 2, 3), ints(0, 9, 2, 3, 2))]),
    product("mv", np.matmul, [S(normal(B, 4), normal(4)), V(ints(0, 9, 2, 3), ints(0, 9, 3))]),
    product("dot", np.dot, [S(normal(5), normal(5)), V(normal(0), normal(0)), V(ints(0, 9, 3), ints(0, 9, 3))]),
    product("vdot", np.dot, [S(normal(5), normal(5))]),
    product("linear", linear, [S(normal(B, 4), normal(2, 4), normal(2)), S(normal(B, 4), normal(2, 4), None), S(normal(2, 3, 4), normal(2, 4), normal(2)), S(normal(4), normal(2, 4), normal(2)),
        S(normal(3, 4), normal(4), None), S(normal(3, 4, 0), normal(5, 0), normal(5)), V(normal(0, 4), normal(2, 4), normal(2))]),
    product("bilinear", bilinear, [S(normal(B, 3), normal(B, 2), normal(4, 3, 2), normal(4)), S(normal(2, 3), normal(2, 2), normal(2, 3, 2), None), S(normal(3), normal(2), normal(2, 3, 2), None)], second=False, size=16.0),
    product("chain_matmul", lambda *m: np.linalg.multi_dot(m) if len(m) > 1 else m[0], [S(normal(2, 3), normal(3, 4), normal(4, 2)), S(normal(5, 2), normal(2, 3), normal(3, 1), normal(1, 4)), S(normal(2, 2))], second=False, size=16.0),
    product("inner", np.inner, [S(normal(B, 4), normal(2, 4)), S(normal(3), normal(3)), S(normal(2, 2, 3), normal(3))]),
    product("outer", np.outer, [S(normal(3), normal(2)), V(ints(0, 9, 3), ints(0, 9, 2))]),
    product("cross", cross, [S(normal(B, 3), normal(B, 3)), S(normal(3, 2), normal(3, 2), dim=0), S(normal(2, 3), normal(3), dim=-1)]),
    product("addmm", scaled(np.matmul), [S(normal(2), normal(B, 4), normal(4, 2)), S(normal(B, 2), normal(B, 4), normal(4, 2), beta=0.5, alpha=-2.0), S(normal(), normal(2, 3), normal(3, 2), beta=2.0),
        V(ints(0, 9, 2), ints(0, 9, 2, 3), ints(0, 9, 3, 2))]),
    product("addmv", scaled(np.matmul), [S(normal(B), normal(B, 4), normal(4)), S(normal(2), normal(2, 3), normal(3), beta=0.5, alpha=-2.0)]),
    product("addr", scaled(np.outer), [S(normal(3, 2), normal(3), normal(2)), S(normal(2), normal(3), normal(2), beta=0.5, alpha=-2.0)]),
    product("baddbmm", scaled(np.matmul), [S(normal(B, 2, 2), normal(B, 2, 3), normal(B, 3, 2)), S(normal(2), normal(2, 2, 3), normal(2, 3, 2), beta=0.5, alpha=-2.0)]),
    product("addbmm", scaled(lambda a, b: np.sum(a @ b, 0)), [S(normal(2, 2), normal(3, 2, 3), normal(3, 3, 2)), S(normal(2), normal(2, 2, 3), normal(2, 3, 2), beta=0.5, alpha=-2.0)]),
    product("tensordot", tensordot, [S(normal(B, 2, 3), normal(3, 2, 2), dims_a=(1, 2), dims_b=(1, 0)), S(normal(2, 3), normal(3, 2), dims_a=(-1,), dims_b=(0,)), S(normal(2), normal(3), dims_a=(), dims_b=())]),
    product("einsum", einsum, [
        S(normal(B, 4), normal(4, 2), equation=codes("ij,jk->ik")), S(normal(2, 3, 4), normal(2, 4, 2), equation=codes("bij,bjk->bik")), S(normal(3, 3), equation=codes("ii->i")),
        S(normal(3, 3), equation=codes("ii")), S(normal(2, 3), equation=codes("ij->ji")), S(normal(2, 3), equation=codes("ij->")), S(normal(3), normal(2), equation=codes("i,j->ij")),
        S(normal(2, 3, 4), normal(4, 2), equation=codes("...j,jk->...k")), S(normal(2, 3), normal(2, 3), equation=codes("ij,ij->i")), S(normal(2, 3), normal(3, 2), normal(2, 2), equation=codes("ab,bc,cd->ad")),
        S(normal(2, 2, 3), normal(2, 2, 3), equation=codes("bhd,bkd->bhk")), S(normal(2, 3), normal(3), equation=codes("ba,a")),
    ]),
]  # fmt: skip
