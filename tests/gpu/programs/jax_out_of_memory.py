# SPDX-License-Identifier: Apache-2.0
"""JAX is asked for arrays until its pool has no room for the next one."""

import jax.numpy as jnp

kept = []
while True:
    kept.append(jnp.ones((1 << 30,), dtype=jnp.uint8).block_until_ready())
