# SPDX-License-Identifier: Apache-2.0
"""JAX without a GPU: says its versions, asks its CUDA plugin for that of cuDNN,
and dies of the missing device."""

import importlib
import pkgutil

import jax

plugin = next(module.name for module in pkgutil.iter_modules()
              if module.name.startswith("jax_cuda")
              and module.name.endswith("_plugin"))
print("version", jax.__version__)
versions = importlib.import_module(plugin + "._versions")
print("cudnn", versions.cudnn_get_version())
print("device", any(d.platform == "gpu" for d in jax.devices()), flush=True)
jax.devices("cuda")
