"""Functions as layouts: traced, otherwise tabulated, otherwise refused."""

import itertools

import pytest
import tessera as ts


def check(function, shape):
    layout = ts.layout(function, shape)
    for c in itertools.product(*[range(e) for e in shape]):
        assert layout(*c) == function(*c), (c, layout)
    return layout


def test_a_traced_function_is_a_formula_that_is_proved():
    swizzled = ts.layout(lambda r, c: r * 64 + (c ^ ((r & 7) << 3)), (64, 64))
    assert ts.prove("equal", swizzled, ts.layout("Sw<3,3,3> o (64,64):(64,1)")).proved
    assert ts.prove("conflict_free", swizzled, "ldmatrix.x4", "fp16")
    # 2^40 elements: nothing was tabulated
    wide = ts.layout(lambda r, c: r * (1 << 20) + c, (1 << 20, 1 << 20))
    assert ts.prove("bijective", wide)
    assert wide(12345, 678) == 12345 * (1 << 20) + 678


def random_expression(rng, names, depth):
    """Text of Python. Divisors and shifts are constants, as the engine needs them."""
    if depth == 0 or rng.random() < 0.15:
        return rng.choice(names) if rng.random() < 0.8 else str(rng.randint(0, 9))
    a, b = (random_expression(rng, names, depth - 1) for _ in range(2))
    k = rng.choice([1, 2, 3, 4, 8])
    return rng.choice(
        [
            "(%s + %s)" % (a, b),
            "(%s * %d)" % (a, k),
            "(%s - %s)" % (a, b),
            "(%s // %d)" % (a, k),
            "(%s %% %d)" % (a, k),
            "(%s & %d)" % (a, rng.choice([1, 3, 7])),
            "(%s >> %d)" % (a, rng.randint(0, 3)),
            "(%s << %d)" % (a, rng.randint(0, 3)),
            "(-%s)" % a,
            "(+%s)" % a,
            "divmod(%s, %d)[1]" % (a, k),
            "minimum(%s, %s)" % (a, b),
            "maximum(%s, %d)" % (a, k),
            "where(%s < %d, %s, %s)" % (a, k, a, b),
        ]
    )


def test_random_functions_are_what_python_evaluates(rng):
    scope = {"minimum": ts.minimum, "maximum": ts.maximum, "where": ts.where}
    for _ in range(60):
        shape = [rng.choice([1, 2, 3, 5, 8]) for _ in range(rng.randint(1, 3))]
        names = ["a", "b", "c"][: len(shape)]
        text = "lambda %s: %s" % (", ".join(names), random_expression(rng, names, 4))
        check(eval(text, dict(scope)), shape)


def test_xor_or_and_invert_of_bits(rng):
    for _ in range(20):
        x, y = rng.randint(0, 15), rng.randint(0, 3)
        check(lambda r, c: (r ^ c) | (r << 4) ^ x, (8, 16))
        check(lambda r, c: ((r & c) << y) + (~r & 7), (8, 16))


def test_helpers_closures_loops_and_numpy_numbers_are_followed():
    numpy = pytest.importorskip("numpy")
    factors = [8, 1]

    def flat(*c):
        total = 0
        for x, f in zip(c, factors):
            total = total + x * f
        return total

    check(flat, (4, 8))
    check(lambda r, c: numpy.int64(8) * r + c * numpy.int32(1), (4, 8))
    check(lambda r, c: r**2 * 8 + c, (3, 8))


def test_several_numbers_are_several_axes(rng):
    fragment = check(lambda lane, r: (lane // 4 + 8 * (r // 2), lane % 4 * 2 + r % 2), (32, 4))
    assert ts.prove("injective", fragment) and fragment.axes == ["x0", "x1"]
    named = ts.layout(lambda i: (i % 4, i // 4, 5), 16, axes=("lane", "reg", "warp"))
    assert named.axes == ["lane", "reg", "warp"] and named(7) == (3, 1, 5)
    scope = {"minimum": ts.minimum, "maximum": ts.maximum, "where": ts.where}
    for _ in range(20):
        texts = [random_expression(rng, ["a", "b"], 3) for _ in range(2)]
        check(eval("lambda a, b: (%s, %s)" % tuple(texts), dict(scope)), (4, 6))


def test_shared_steps_stay_small():
    def mixed(r, c):
        x = r * 64 + c
        for _ in range(40):  # a tree of 2^40 nodes, a record of 120 steps
            x = (x + (x >> 1)) & 1023
        return x

    check(mixed, (4, 8))


def test_a_function_that_needs_values_is_tabulated():
    order = [0, 2, 1, 3]
    assert check(lambda r, c: order[r] * 8 + c if True else 0, (4, 8)) == ts.layout("((2,2),8):((16,8),1)")
    assert check(lambda r, c: 8 * r + (c if c < 100 else 0), (4, 8)).shape == (4, 8)
    assert check(lambda i: int(i) * 2, (8,)) == ts.layout("8:2")


def test_any_table_of_up_to_4096_steps_is_a_formula(rng):
    check(lambda i: 7 if i == 3 else i * i if i else 0, (8,))
    for shape in [(5,), (4, 8), (3, 5, 7), (16, 16)]:
        count = 1
        for extent in shape:
            count *= extent
        values = list(range(count))
        rng.shuffle(values)
        table = dict(zip(itertools.product(*[range(e) for e in shape]), values))
        layout = check(lambda *c: table[tuple(int(x) for x in c)], shape)
        assert ts.prove("bijective", layout).proved
        assert ts.layout(layout.text) == layout


def test_what_is_no_layout_is_refused_with_both_reasons():
    with pytest.raises(ValueError, match="cannot be traced.*the truth.*4095 times"):
        ts.layout(lambda i: hash((i, 1)) % 1000 if i else 0, 8192)
    with pytest.raises(ValueError, match="cannot be traced.*the value of a coordinate"):
        ts.layout(lambda i: 1 << 70 if int(i) == 3 else 0, 8)
    with pytest.raises(ValueError, match="2\\^20"):
        ts.layout(lambda i: 1 if i else 0, 1 << 21)
    with pytest.raises(TypeError, match="needs a shape"):
        ts.layout(lambda i: i)
    with pytest.raises(TypeError, match="not an integer"):
        ts.layout(lambda i: (), 8)
    with pytest.raises(TypeError, match="not an integer"):
        ts.layout(lambda i: (i, (i, i)), 8)
    with pytest.raises(ValueError, match="2 numbers"):
        ts.layout(lambda i: (i, i), 8, axes=("a",))
    with pytest.raises(ValueError, match="2 numbers"):
        ts.layout(lambda i: (i, i), 8, axes=("a", "b: 5"))
    with pytest.raises(TypeError):  # needs values, and returns two
        ts.layout(lambda i: (i, 1 if i else 0), 8)
    with pytest.raises(TypeError, match="not an integer"):
        ts.layout(lambda i: None, 8)
    for shape in [(), (0, 4), (-1,)]:
        with pytest.raises(ValueError):
            ts.layout(lambda *c: 0, shape)
    with pytest.raises(TypeError):
        ts.layout(lambda i: i, "8")
    with pytest.raises(TypeError):  # the function's own mistake
        ts.layout(lambda i: i + "a", 8)
    with pytest.raises(ZeroDivisionError):
        ts.layout(lambda i: 1 // 0, 8)


def test_where_minimum_and_maximum_are_plain_functions_of_numbers():
    assert ts.where(True, 1, 2) == 1 and ts.where(0, 1, 2) == 2
    assert ts.minimum(3, 2) == 2 and ts.maximum(3, 2) == 3
