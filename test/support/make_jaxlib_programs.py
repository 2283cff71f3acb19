# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
"""Writes `jaxlib_programs.txt`: programs of JAX as jaxlib prints them (needs jax).

    python test/support/make_jaxlib_programs.py

`test/run/test_stablehlo.py` reads the file, so that the tests need no jax.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

jax: Any = import_module("jax")
jnp: Any = import_module("jax.numpy")
special: Any = import_module("jax.scipy.special")
lax: Any = jax.lax

X, ROW, WEIGHTS, INDICES = jnp.ones((8, 20)), jnp.ones(20), jnp.ones((20, 12)), jnp.arange(8)
HEADS = jnp.ones((1, 2, 8, 16))
IMAGE = jnp.ones((1, 3, 8, 8))


def layer_norm(x: Any, scale: Any, bias: Any) -> Any:
    """Layer normalization over rows, as it is usually written."""
    mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5) * scale + bias


def attention(q: Any, k: Any, v: Any) -> Any:
    """Scaled dot-product attention."""
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) * 0.25
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores, -1), v)


def maxpool(x: Any) -> Any:
    """The maximum of windows of 2x2."""
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")


PROGRAMS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "any": (lambda x: ((x > 0).any(1), (x > 1).all()), (X,)),
    "argmax": (lambda x: jnp.argmax(x, 1), (X,)),
    "attention": (attention, (HEADS, HEADS, HEADS)),
    "bf16": (jax.nn.silu, (X.astype(jnp.bfloat16),)),
    "clip": (lambda x: jnp.clip(x, 0, 6), (X,)),
    "concatenate": (lambda x, y: jnp.concatenate([x, y], 1) * 2, (X, X)),
    "cond": (
        lambda p, x: lax.cond(p, lambda a: a + 1, lambda a: a * 2, x),
        (jnp.bool_(True), X),
    ),
    "convolution": (
        lambda x, k: lax.conv_general_dilated(x, k, (1, 1), "SAME"),
        (IMAGE, jnp.ones((4, 3, 3, 3))),
    ),
    "cumsum": (lambda x: jnp.cumsum(x, 1), (X,)),
    "dot_of_rows": (jax.vmap(jnp.dot), (X, X)),
    "dynamic_slice": (lambda x, k: lax.dynamic_slice(x, (k, 0), (2, 20)), (X, jnp.int32(1))),
    "dynamic_update_slice": (
        lambda x, y: lax.dynamic_update_slice(x, y, (1, 2)),
        (X, jnp.ones((2, 3))),
    ),
    "einsum": (lambda x, w: jnp.einsum("ij,jk->ki", x, w), (X, WEIGHTS)),
    "elu": (jax.nn.elu, (X,)),
    "erf": (special.erf, (X,)),
    "erfc": (special.erfc, (X,)),
    "fori": (lambda x: lax.fori_loop(0, 3, lambda k, a: a * 2 + k, x), (X,)),
    "gather": (lambda x, i: x[i], (X, INDICES)),
    "gelu": (jax.nn.gelu, (X,)),
    "gelu_exact": (lambda x: jax.nn.gelu(x, approximate=False), (X,)),
    "gradient": (jax.grad(lambda x: jnp.sum(jax.nn.silu(x) ** 2)), (X,)),
    "hyperbolic": (lambda x: jnp.sinh(x) + jnp.cosh(x) + jnp.arcsinh(x) + jnp.tanh(x), (X,)),
    "integers": (lambda i: (i // 3) % 2 + (i << 1) - (i >> 1) & 7 | 1 ^ i, (INDICES,)),
    "iota": (lambda x: x + jnp.arange(20, dtype=jnp.float32), (X,)),
    "is_finite": (lambda x: jnp.isfinite(x) & ~jnp.isnan(x), (X,)),
    "layer_norm": (layer_norm, (X, ROW, ROW)),
    "log1p": (lambda x: jnp.log1p(x * x) + jnp.expm1(x) + jnp.cbrt(x), (X,)),
    "log_softmax": (jax.nn.log_softmax, (X,)),
    "logsumexp": (lambda x: special.logsumexp(x, axis=1), (X,)),
    "maxpool": (maxpool, (IMAGE,)),
    "mean_of_columns": (lambda x: x.mean(0), (X,)),
    "mlp": (lambda x, w, b: jax.nn.relu(x @ w + b), (X, WEIGHTS, jnp.ones(12))),
    "one_hot": (lambda i: jax.nn.one_hot(i, 10), (INDICES,)),
    "pad": (lambda x: jnp.pad(x, ((1, 2), (0, 3))), (X,)),
    "power": (lambda x: jnp.abs(x) ** 2.5 + x**3 + jnp.sqrt(jnp.abs(x)), (X,)),
    "reductions": (lambda x: (x.max(1), x.min(0), x.prod(1)), (X,)),
    "relu": (jax.nn.relu, (X,)),
    "remainder": (lambda x: jnp.remainder(x, 3.0) + jnp.fmod(x, 2.0), (X,)),
    "reshape": (lambda x: x.reshape(4, 40) + 1, (X,)),
    "reverse": (lambda x: x[::-1], (X,)),
    "rms_norm": (
        lambda x, g: x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6) * g,
        (X, ROW),
    ),
    "round": (lambda x: jnp.round(x) + jnp.floor(x) + jnp.ceil(x) + jnp.sign(x), (X,)),
    "scatter": (lambda x, i: x.at[i].add(1.0), (X, INDICES)),
    "sigmoid": (jax.nn.sigmoid, (X,)),
    "silu": (jax.nn.silu, (X,)),
    "slice": (lambda x: x[1:5:2, 3:] + 1, (X,)),
    "softmax": (jax.nn.softmax, (X,)),
    "softplus": (jax.nn.softplus, (X,)),
    "sort": (lambda x: jnp.sort(x, 1), (X,)),
    "top_k": (lambda x: lax.top_k(x, 3), (X,)),
    "transpose": (lambda x: jnp.exp(x.T), (X,)),
    "triangle": (
        lambda x: jnp.where(jnp.tril(jnp.ones((8, 8), bool)), x[:, :8], -jnp.inf),
        (X,),
    ),
    "trigonometry": (lambda x: jnp.sin(x) + jnp.cos(x) * jnp.tan(x) + jnp.arctan2(x, x), (X,)),
    "where": (lambda x, y: jnp.where(x > y, x, y * 2), (X, X)),
}

if __name__ == "__main__":
    path = Path(__file__).with_name("jaxlib_programs.txt")
    parts: list[str] = []
    for name, (function, arguments) in PROGRAMS.items():
        text = str(jax.jit(function).lower(*arguments).compiler_ir("stablehlo")).strip()
        parts.append(f"// ----- {name}\n{text}\n")
    path.write_text("".join(parts))
