# SPDX-License-Identifier: Apache-2.0
"""JAX takes its usual three quarters of the card and trains a little."""

import jax
import jax.numpy as jnp


@jax.jit
def step(weights, batch):
    def loss(w):
        return jnp.mean(jnp.tanh(batch @ w) ** 2)
    return weights - 0.1 * jax.grad(loss)(weights)


print(jax.default_backend(), flush=True)
weights = jnp.ones((1024, 1024))
batch = jax.random.normal(jax.random.PRNGKey(0), (256, 1024))
for number in range(20):
    weights = step(weights, batch)
weights.block_until_ready()
print("trained", flush=True)
