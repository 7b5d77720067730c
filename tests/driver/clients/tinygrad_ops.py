"""tinygrad on its CUDA device (DEV=CUDA): a matrix product, a reduction, a gradient."""
import os

os.environ.setdefault("DEV", "CUDA")
import numpy as np
from tinygrad import Device, Tensor

assert Device.DEFAULT == "CUDA", Device.DEFAULT
a, b = Tensor.rand(64, 64), Tensor.rand(64, 64)
out = (a @ b).relu().sum(axis=1).numpy()
assert np.allclose(out, np.maximum(a.numpy() @ b.numpy(), 0).sum(axis=1), rtol=1e-4)
w = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
w.requires_grad = True
(w * w).sum().backward()
assert np.allclose(w.grad.numpy(), 2 * w.numpy())
print("ok tinygrad_ops.py")
