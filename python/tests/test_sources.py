"""Layouts of other libraries. Their own evaluation is the opinion to compare with."""

import itertools
from types import SimpleNamespace

import pytest
import tessera as ts
from conftest import needs


def points(shape):
    return itertools.product(*[range(e) for e in shape])


def test_pairs_and_objects_with_shape_and_stride():
    assert ts.layout(((4, 8), (8, 1))) == ts.layout("(4,8):(8,1)")
    assert ts.layout([[4, [2, 2]], [8, [1, 4]]]).text == "(4,(2,2)):(8,(1,4))"
    assert ts.layout((8, 2)).text == "8:2"
    assert ts.layout(SimpleNamespace(shape=(4, 8), stride=(8, 1))).text == "(4,8):(8,1)"
    torch_like = SimpleNamespace(shape=(4, 8), stride=lambda: (1, 4))
    assert ts.layout(torch_like).text == "(4,8):(1,4)"
    with pytest.raises(ts.Error, match="strides have 3 modes"):
        ts.layout(((8, 4), (4, 1, 2)))


def test_what_is_no_layout_is_a_type_error():
    for bad in [None, 5, 1.5, object(), (1, 2, 3), {"shape": 1}, b"(4,8):(8,1)"]:
        with pytest.raises(TypeError):
            ts.layout(bad)
    with pytest.raises(TypeError, match="names belong to a text"):
        ts.layout(((4, 8), (8, 1)), A=ts.layout("4:1"))


def test_numpy():
    numpy = needs("numpy")
    base = numpy.arange(240).reshape(4, 6, 10)
    for array in [base, base.T, base[1:, ::2], base.transpose(1, 0, 2), base[:, :, 3], base.astype("f2")[::2]]:
        layout = ts.layout(array)
        first = array.__array_interface__["data"][0]
        assert layout.shape == array.shape
        for c in points(array.shape):
            assert layout(*c) * array.itemsize == array[tuple(slice(x, x + 1) for x in c)].ctypes.data - first
    assert ts.layout(numpy.broadcast_to(numpy.zeros(4), (3, 4))).text == "(3,4):(0,1)"
    assert ts.layout(numpy.zeros(())).size == 1
    with pytest.raises(ValueError, match="without elements"):
        ts.layout(numpy.zeros((0, 4)))
    packed = numpy.zeros(8, dtype=[("a", "u1"), ("b", "<f4")])["b"]
    with pytest.raises(ValueError, match="multiples"):
        ts.layout(packed)


def test_tensor_layouts():
    tl = needs("tensor_layouts")
    for shape, stride in [((4, 8), (8, 1)), ((4, (2, 2)), (1, (4, 8))), (8, 3)]:
        theirs = tl.Layout(shape, stride)
        ours = ts.layout(theirs)
        assert all(ours(i) == theirs(i) for i in range(tl.size(theirs)))
    a, b = tl.Layout((8, 8), (8, 1)), tl.Layout((4, 2), (1, 16))
    assert ts.layout(tl.compose(a, b)) == ts.composition(ts.layout(a), ts.layout(b))
    assert ts.layout(tl.complement(tl.Layout(4, 2), 24)) == ts.complement(ts.layout("4:2"), 24)


def test_cute_dsl():
    needs("cutlass")
    import cutlass.cute as cute

    seen = []

    @cute.jit
    def trace():
        plain = cute.make_layout((64, 64), stride=(64, 1))
        divided = cute.logical_divide(plain, (8, 8))
        swizzled = cute.make_composed_layout(cute.make_swizzle(3, 3, 3), 0, plain)
        for layout in (plain, divided, swizzled):
            ours = ts.layout(layout)
            values = [(c, cute.crd2idx(c, layout)) for c in ((0, 0), (3, 5), (17, 40))]
            seen.append((ours, [(c, int(v)) for c, v in values if isinstance(v, int)]))
        seen.append((ts.layout(swizzled, elements="f16"), []))

    cute.compile(trace)
    assert seen[0][0] == ts.layout("(64,64):(64,1)")
    assert seen[1][0] == ts.logical_divide(ts.layout("(64,64):(64,1)"), (8, 8))
    assert seen[2][0] == ts.layout("Sw<3,3,3> o (64,64):(64,1)")
    assert sum(len(values) for _, values in seen) >= 3
    for ours, values in seen:
        for c, v in values:
            assert ours(*c) == v
    assert seen[3][0] == ts.layout("Sw<3,2,3> o (64,64):(64,1)")  # the swizzle counts bytes


def test_gluon():
    needs("triton")
    from triton.experimental.gluon import language as gl

    blocked = gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])
    layout = ts.layout(blocked, (32, 16))
    for register, lane, warp in itertools.product(range(4), range(32), range(4)):
        row, column = warp * 8 + lane // 4, lane % 4 * 4 + register
        places = layout.places(register, lane, warp, 0) if layout.rank == 4 else layout.places(register, lane, warp)
        assert places == [(row, column)]
    shared = ts.layout(gl.SwizzledSharedLayout(vec=8, per_phase=1, max_phase=8, order=[1, 0]), (64, 64))
    assert ts.prove("equal", shared, ts.layout("Sw<3,3,3> o (64,64):(64,1)"))
    for other in [
        gl.SliceLayout(1, blocked),
        gl.DistributedLinearLayout([[0, 1]], [[1, 0]], [], [], [2, 2]),
        gl.NVMMADistributedLayout(version=[2, 0], warps_per_cta=[4, 1], instr_shape=[16, 8]),
        gl.NVMMASharedLayout(128, 16, 2),
    ]:
        assert ts.layout(other).text


def test_jax_shapes_and_arrays():
    jax = needs("jax")
    import jax.numpy as jnp

    assert ts.layout(jax.ShapeDtypeStruct((4, 8), jnp.bfloat16)).text == "bf16[4,8]{1,0}"
    for dtype in [jnp.float32, jnp.int8, jnp.uint16, jnp.bool_, jnp.complex64, jnp.float8_e4m3fn]:
        array = jnp.zeros((3, 5), dtype)
        assert ts.layout(array) == ts.layout("(3,5):(5,1)")
    assert ts.layout(jax.eval_shape(lambda x: x.T, jnp.zeros((3, 5)))).text == "f32[5,3]{1,0}"


def test_jax_shardings():
    jax = needs("jax")
    from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec

    if not hasattr(jax.sharding, "AbstractMesh"):
        pytest.skip("this jax has no AbstractMesh")
    mesh = AbstractMesh((2, 4), ("x", "y"))
    shape = (8, 16)

    def device_of(spec, r, c):
        """By the definition: each mesh axis of a dimension cuts it, the first one named is the major part."""
        sizes = {"x": 2, "y": 4}
        coordinate = {}
        for dimension, names in enumerate(spec):
            block, parts = (r, c)[dimension], shape[dimension]
            for name in () if names is None else (names,) if isinstance(names, str) else names:
                parts //= sizes[name]
                coordinate[name] = block // parts
                block %= parts
        return {
            4 * coordinate.get("x", x) + coordinate.get("y", y) for x in range(2) for y in range(4)
        }

    for spec in [("x", "y"), ("y", "x"), (("x", "y"), None), (("y", "x"), None), (None, "y"), (None, None), ("x",)]:
        layout = ts.layout(NamedSharding(mesh, PartitionSpec(*spec)), shape)
        axis = layout.axes.index("gpuid")
        for r, c in points(shape):
            assert {place[axis] for place in layout.places(r, c)} == device_of(spec, r, c), (spec, r, c)
    with pytest.raises(TypeError, match="shape of the array"):
        ts.layout(NamedSharding(mesh, PartitionSpec("x")))


def test_torch():
    torch = needs("torch")
    assert ts.layout(torch.zeros(4, 8).t()).text == "(8,4):(1,8)"
