"""Laws of layouts, against slow functions in plain Python."""

import copy
import pickle
from math import prod

import pytest
import tessera as ts
from random_layouts import delinearize, random_cute, table_of

TEXTS = [
    "(4,8):(8,1)",
    "8:2",
    "((2,2),8):((1,16),2)",
    "Sw<3,3,3> o (64,64):(64,1)",
    "f32[4,8]{0,1}",
    "bf16[16,256]{1,0:T(8,128)}",
    "S[(8,2):(2,1)] over (16)",
    "S[(8,4):(4@lane,1@lane)]",
    "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}> "
    "over (32,16)",
    "dim0 = [[1], [2]] -> offset 8",
    "(d0, d1) -> (d0 + 3 * d1), domain: d0 in [0, 6], d1 in [0, 14]",
    "python { lambda r, c: r * 64 + (c ^ ((r & 7) << 3)) } over (8, 64)",
]


def test_a_printed_layout_parses_back(rng):
    for text in TEXTS + [random_cute(rng)[0] for _ in range(100)]:
        layout = ts.layout(text)
        again = ts.layout(layout.text)
        assert again.text == layout.text
        assert again == layout
        assert eval(repr(layout), {"Layout": ts.layout}) == layout


def test_a_point_is_that_of_the_slow_function(rng):
    for _ in range(200):
        text, shape, function = random_cute(rng)
        layout = ts.layout(text)
        assert layout.size == prod(shape)
        assert layout.shape == tuple(shape)
        for i in range(layout.size):
            c = delinearize(i, shape)
            assert layout(*c) == layout(c) == layout(i) == function(*c)


def test_a_table_has_all_points_and_owns_its_memory(rng):
    numpy = pytest.importorskip("numpy")
    for _ in range(50):
        text, shape, function = random_cute(rng)
        layout = ts.layout(text)
        table = layout.table()
        assert table.dtype == numpy.int64 and table.shape == tuple(shape)
        assert not table.flags.owndata  # the engine's buffer, not a copy
        assert layout.table(flat=True).tolist() == table_of(shape, function)
        for i in range(layout.size):
            assert table[delinearize(i, shape)] == layout(i)
    kept = ts.layout("(64,64):(64,1)").table()  # the layout is gone, the buffer is not
    assert int(kept[63, 63]) == 4095
    kept[0, 0] = 7  # the array is its reader's own
    assert int(ts.layout("(64,64):(64,1)").table()[0, 0]) == 0


def test_the_last_mode_of_an_array_of_xla_is_fastest():
    pytest.importorskip("numpy")
    layout = ts.layout("f32[4,8]{0,1}")
    assert not layout.first_mode_fastest
    table = layout.table()
    assert all(table[i, j] == layout(i, j) == i + 4 * j for i in range(4) for j in range(8))
    assert layout.table(flat=True).tolist() == [layout(k) for k in range(32)]


def test_several_axes_have_a_table_each():
    pytest.importorskip("numpy")
    layout = ts.layout("S[(8,4):(4@lane,1@reg)]")
    for axis in range(len(layout.axes)):
        flat = layout.table(axis, flat=True)
        assert all(layout(i)[axis] == flat[i] for i in range(layout.size))
    with pytest.raises(ts.Error, match="no axis"):
        layout.table(5)


def test_equality_is_that_of_the_tables(rng):
    """Layouts of one size; by coordinate if their shapes agree, else by linear index."""
    made = [random_cute(rng, modes=2) for _ in range(60)]
    layouts = [ts.layout(text) for text, _, _ in made]
    equal = 0
    for (_, shape_a, f), a in zip(made, layouts):
        for (_, shape_b, g), b in zip(made, layouts):
            expected = prod(shape_a) == prod(shape_b) and table_of(shape_a, f) == table_of(shape_b, g)
            assert (a == b) == expected, (a, b)
            assert (a != b) == (not expected)
            if expected:
                equal += 1
                assert hash(a) == hash(b)
    assert equal > 60


def test_equality_crosses_notations():
    cute = ts.layout("(4,8):(8,1)")
    for text in ["f32[4,8]", "S[(4,8):(8,1)]", "(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]"]:
        other = ts.layout(text)
        assert cute == other and hash(cute) == hash(other)
    assert cute != ts.layout("f32[4,8]{0,1}")
    assert cute != "(4,8):(8,1)"
    assert len({cute, ts.layout("f32[4,8]"), ts.layout("8:1")}) == 2


def test_an_open_equality_is_an_exception():
    without_type, plain = ts.layout("S<3,4,3> o 0 o (8,64):(64,1)"), ts.layout("(8,64):(64,1)")
    with pytest.raises(ts.Undecided) as caught:
        bool(without_type == plain)
    assert caught.value.args[0].verdict == "unknown"


def test_an_inverse_goes_back():
    for text in ["(4,8):(8,1)", "Sw<2,0,3> o (8,8):(8,1)", "f32[4,8]{0,1}", "S[(8,4):(4@lane,1@reg)]"]:
        layout = ts.layout(text)
        inverse = layout.inverse()
        for i in range(layout.size):
            c = delinearize(i, layout.shape)
            place = layout(*c)
            place = place if isinstance(place, tuple) else (place,)
            assert inverse(*place) == c
            assert layout.backward(*place) == layout.backward(place) == [c]
    assert ts.layout("(2,2):(0,1)").backward(1) == [(0, 1), (1, 1)]
    assert ts.layout("(2,2):(2,1)").backward(9) == []


def test_replicas_and_padding_have_places():
    layout = ts.layout("S[4:1] + R[2:8]")
    assert layout.places(1) == [(1,), (9,)]
    with pytest.raises(ts.Error, match="2 places"):
        layout(1)


def test_composition_is_composition(rng):
    done = 0
    while done < 60:
        (a, shape_a, f), (b, shape_b, g) = random_cute(rng, swizzle=False), random_cute(rng, swizzle=False)
        if max(table_of(shape_b, g)) >= prod(shape_a):
            continue
        try:
            both = ts.layout(a) @ ts.layout(b)
        except ts.Error:
            continue
        done += 1
        outer = table_of(shape_a, f)
        assert both.table(flat=True).tolist() == [outer[x] for x in table_of(shape_b, g)]
        assert both == ts.composition(ts.layout(a), ts.layout(b)) == ts.layout(a).compose(ts.layout(b))


def test_the_algebra_takes_layouts_numbers_tuples_and_texts():
    tile = ts.layout("(16,32):(32,1)")
    by_text = ts.evaluate("logical_divide(T, <4:1,8:1>)", T=tile)
    assert by_text == ts.logical_divide(tile, (ts.layout("4:1"), ts.layout("8:1"))) == ts.logical_divide(tile, (4, 8))
    assert by_text.text == ts.logical_divide(tile, ("4:1", "8:1")).text == ts.logical_divide(tile, [4, 8]).text
    assert ts.logical_divide(tile, (None, 8)).text == ts.evaluate("logical_divide(T, <_,8>)", T=tile).text
    assert ts.tile_to_shape(ts.layout("(2,2):(2,1)"), (4, 8)).shape == (4, 8)
    assert ts.complement(ts.layout("4:2"), 24).text == ts.evaluate("complement(4:2, 24)").text
    assert ts.make_layout((4, (2, 2)), (8, (1, 4))).text == "(4,(2,2)):(8,(1,4))"
    assert ts.call("compatible", (4, 8), ((2, 2), 8)) is True
    assert ts.size(tile) == 512 and ts.depth(tile) == 1
    assert ts.evaluate("shape(T)", T=tile) == "(16,32)"


def test_the_algebra_refuses_what_is_wrong():
    with pytest.raises(ts.Error, match="composition takes"):
        ts.composition(ts.layout("4:1"))
    with pytest.raises(ts.Error, match="8"):  # what CuTe answers is wrong at i = 5
        ts.composition(ts.layout("(6,2):(1,7)"), ts.layout("(3,2):(2,3)"))
    with pytest.raises(ts.Error, match="there is no function"):
        ts.call("no_such_function", 1)
    with pytest.raises(ValueError, match="not the name"):
        ts.call("size(4:1) + f", 1)
    with pytest.raises(TypeError):
        ts.composition(ts.layout("4:1"), 1.5)
    with pytest.raises(OverflowError):
        ts.tile_to_shape(ts.layout("4:1"), 1 << 70)
    deep = 1
    for _ in range(5000):
        deep = (deep,)
    with pytest.raises((ts.Error, RecursionError)):
        ts.size(deep)


def test_layouts_are_copied_and_pickled(rng):
    for text in TEXTS + [random_cute(rng)[0] for _ in range(50)]:
        layout = ts.layout(text)
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            assert pickle.loads(pickle.dumps(layout, protocol)) == layout
        assert copy.copy(layout) is layout and copy.deepcopy(layout) is layout


def test_translations_are_the_same_function():
    for text in ["(4,8):(8,1)", "f32[4,8]{0,1}", "Sw<2,0,3> o (8,8):(8,1)"]:
        layout = ts.layout(text)
        done = 0
        for notation in ts._engine.notations():
            try:
                other = layout.to(notation)
            except ts.Error:
                continue
            done += 1
            assert ts.prove("equal", layout, other)
        assert done >= 3
    with pytest.raises(ts.Error, match="no notation"):
        ts.layout("4:1").to("klingon")


def test_huge_layouts_are_functions_without_a_table():
    huge = ts.layout("(1048576,1048576):(1048576,1)")
    assert huge.size == 1 << 40
    assert huge(3, 4) == 3 * 1048576 + 4
    assert huge == ts.layout("f32[1048576,1048576]") and isinstance(hash(huge), int)
    with pytest.raises(ts.Error, match="2\\^26"):
        huge.table()
    with pytest.raises(ts.Error, match="does not fit in 64 bits"):
        ts.layout("(%s):(%s)" % (",".join(["1048576"] * 4), ",".join(["1"] * 4)))


def test_coordinates_are_checked():
    layout = ts.layout("(4,8):(8,1)")
    for bad in [(4, 0), (0, 8), (-1, 0), (0, 0, 0), (32,), (-1,), ()]:
        with pytest.raises(ts.Error):
            layout(*bad)
    for bad in [("a", 0), (1.5, 0), (None, 0), ({}, 1)]:
        with pytest.raises(TypeError):
            layout(*bad)
    with pytest.raises(OverflowError):
        layout(1 << 70, 0)
    with pytest.raises(TypeError):
        iter(layout)
    with pytest.raises(TypeError, match="A is no Layout"):
        ts.layout("A", A="4:1")
    with pytest.raises(TypeError):
        ts.Layout()
    assert layout(True, 1) == 9
