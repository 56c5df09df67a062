"""Random layouts as (text, slow function): an opinion that does not use Tessera."""

from math import prod


def delinearize(index, shape):
    """The first mode varies fastest."""
    out = []
    for extent in shape:
        out.append(index % extent)
        index //= extent
    return tuple(out)


def random_cute(rng, modes=3, swizzle=True):
    shape = [rng.choice([1, 2, 3, 4, 8]) for _ in range(rng.randint(1, modes))]
    if rng.random() < 0.5:  # compact in some order
        order = list(range(len(shape)))
        rng.shuffle(order)
        stride, step = [0] * len(shape), 1
        for k in order:
            stride[k], step = step, step * shape[k]
    else:
        stride = [rng.randint(0, 12) for _ in shape]
    text = "(%s):(%s)" % (",".join(map(str, shape)), ",".join(map(str, stride)))
    bits, shift = 0, 0
    base = rng.randint(0, 2)
    if swizzle and rng.random() < 0.5:
        bits = rng.randint(1, 2)
        shift = rng.randint(bits, 3)
        text = "Sw<%d,%d,%d> o %s" % (bits, base, shift, text)

    def function(*coordinate):
        offset = sum(c * s for c, s in zip(coordinate, stride))
        mask = ((1 << bits) - 1) << (base + shift)
        return offset ^ ((offset & mask) >> shift)

    return text, shape, function


def table_of(shape, function):
    return [function(*delinearize(i, shape)) for i in range(prod(shape))]
