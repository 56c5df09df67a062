#!/usr/bin/env python3
"""A second opinion on reads: small functions as jax dumps them, before and after optimization, and the pairs for which jax
finds that the derivative of an output element by an input element is not zero. Needs jax (written with 0.10.2). Run it in
this folder."""
import json
import os

import jax
import jax.numpy as jnp
import numpy as np

lax = jax.lax


def conv(strides, padding, **more):
    return lambda x, w: lax.conv_general_dilated(x, w, strides, padding, **more)


def layernorm(x, g):
    return (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5) * g


def window(x):
    return lax.reduce_window(x, 0.0, lax.add, (2, 3), (2, 1), ((1, 0), (1, 1)), base_dilation=(1, 2), window_dilation=(2, 1))


CASES = {  # name: (function, shapes of its arguments)
    'conv_dilated': (conv((2, 1), ((1, 2), (0, 1)), lhs_dilation=(1, 2), rhs_dilation=(2, 1),
                          dimension_numbers=('NHWC', 'HWIO', 'NHWC')), [(1, 6, 5, 2), (2, 3, 2, 3)]),
    'conv_groups': (conv((1, 1), 'SAME', feature_group_count=2), [(1, 4, 4, 4), (4, 2, 2, 2)]),
    'conv_batch_groups': (conv((1, 1), 'VALID', batch_group_count=2), [(2, 2, 4, 4), (4, 2, 2, 2)]),
    'conv_transposed': (lambda x, w: lax.conv_transpose(x, w, (2, 2), 'SAME', transpose_kernel=True), [(1, 3, 3, 2), (3, 3, 3, 2)]),
    'dot': (lambda x, y: lax.dot_general(x, y, (((1,), (2,)), ((0,), (0,)))), [(2, 3, 4), (2, 5, 3)]),
    'einsum': (lambda x, y: jnp.einsum('bijk,bkjl->bil', x, y), [(2, 3, 2, 3), (2, 3, 2, 2)]),
    'pad': (lambda x: lax.pad(x, 0.0, ((1, -1, 1), (-1, 2, 2))), [(4, 5)]),
    'slice': (lambda x: x[1:7:2, ::-1], [(8, 5)]),
    'window': (window, [(6, 4)]),
    'pool': (lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), 'VALID'), [(1, 4, 6, 2)]),
    'cumsum': (lambda x: jnp.cumsum(x, axis=1), [(2, 5)]),
    'concat': (lambda x, y: jnp.concatenate([x, y[:, ::2], x * 2], axis=1), [(2, 3), (2, 5)]),
    'reshape': (lambda x: x.transpose(2, 0, 1).reshape(4, 9) * 1.5, [(3, 3, 4)]),
    'softmax': (lambda x: jax.nn.softmax(x, axis=-1), [(3, 4)]),
    'transpose_add': (lambda x: x + x.T, [(4, 4)]),
    'roll': (lambda x: jnp.roll(x, 2, axis=1) + x, [(2, 5)]),
    'layernorm': (layernorm, [(3, 4), (4,)]),
    'attention': (lambda q, k, v: jax.nn.softmax(jnp.einsum('bqd,bkd->bqk', q, k)) @ v, [(2, 3, 2), (2, 4, 2), (2, 4, 3)]),
    'masked': (lambda x: jnp.tril(x) @ x, [(3, 3)]),
    'kron': (jnp.kron, [(2, 3), (2, 2)]),
    'repeat': (lambda x: jnp.repeat(x, 3, axis=0)[1:5], [(3, 2)]),
    'stack': (lambda x, y: jnp.stack([x, y], axis=1).reshape(-1), [(4,), (4,)]),
    'reverse': (lambda x: lax.rev(x, (0, 2))[0], [(2, 3, 4)]),
    'sum': (lambda x: x.reshape(6, 4).sum(1), [(2, 3, 4)]),
}


def main():
    rows = []
    for number, (name, (f, shapes)) in enumerate(CASES.items()):
        keys = jax.random.split(jax.random.PRNGKey(number), len(shapes))
        inputs = [jax.random.normal(k, s) + 2.0 for k, s in zip(keys, shapes)]
        lowered = jax.jit(f).lower(*inputs)
        for when, text in (('before', lowered.compiler_ir('hlo').as_hlo_text()), ('after', lowered.compile().as_text())):
            with open(f'{name}.{when}.hlo', 'w') as out:
                out.write(text.replace(os.path.abspath(__file__), 'make.py'))  # a dump names its source
        size = int(np.prod(f(*inputs).shape))
        derivatives = jax.jacobian(f, argnums=tuple(range(len(inputs))))(*inputs)
        rows.append({'name': name, 'nonzero': [np.argwhere(np.asarray(d).reshape(size, -1) != 0).tolist() for d in derivatives]})
    with open('derivatives.json', 'w') as out:
        out.write('[\n' + ',\n'.join(json.dumps(r, separators=(',', ':')) for r in rows) + '\n]\n')


main()
