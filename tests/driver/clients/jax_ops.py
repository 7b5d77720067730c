"""JAX: XLA compiles for the GPU; its PTX runs here. Prints "ok jax_ops.py"."""
import jax
import jax.numpy as jnp
import numpy as np

assert jax.devices()[0].platform == "gpu", jax.devices()
x = np.arange(1000, dtype=np.float32)
assert float((jnp.asarray(x) * 2 + 1).sum()) == float((x * 2 + 1).sum())

a = np.random.default_rng(1).standard_normal((64, 48), dtype=np.float32)
b = np.random.default_rng(2).standard_normal((48, 32), dtype=np.float32)
product = jax.jit(lambda p, q: jnp.tanh(p @ q))(a, b)
assert np.allclose(product, np.tanh(a @ b), atol=2e-2), abs(product - np.tanh(a @ b)).max()  # XLA multiplies in tf32

assert np.array_equal(jnp.sort(jnp.asarray(x[::-1])), x)
assert np.allclose(jax.grad(lambda v: (v**3).sum())(jnp.asarray(x[:9])), 3 * x[:9] ** 2)
assert np.array_equal(jnp.cumsum(jnp.asarray(x[:100].astype(np.int32))), np.cumsum(x[:100].astype(np.int32)))
print("ok jax_ops.py")
