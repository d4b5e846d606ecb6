"""The three forms of ``lucid.compile``: a module, a function, a function with options."""

import lucid
import lucid.nn as nn
import lucid.nn.functional as F

compiled = lucid.compile(nn.Linear(8, 4).to("metal"))
y = compiled(lucid.randn(2, 8, device="metal"))
print("nn.Linear(8, 4):", tuple(y.shape), compiled.cache_info()["entries"], "entry")


@lucid.compile
def f(x, y):
    return (x @ y.T).relu()


print("(x @ y.T).relu():", tuple(f(lucid.randn(3, 8), lucid.randn(5, 8)).shape))


@lucid.compile(dynamic=False)
def attention(q, k, v):
    return F.scaled_dot_product_attention(q, k, v)


q, k, v = (lucid.randn(2, 4, 16, 32) for _ in range(3))
print("attention:", tuple(attention(q, k, v).shape))
