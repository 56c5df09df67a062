"""Verdicts, errors, hostile texts, assertions, pictures, worksheets."""

import pytest
import tessera as ts

TILE = ts.layout("(64,64):(64,1)")
SWIZZLED = ts.layout("Sw<3,3,3> o (64,64):(64,1)")


def test_a_verdict_is_true_only_if_proved():
    proved = ts.prove("bijective", SWIZZLED)
    assert proved and proved.verdict == "proved" and proved.proved and not proved.refuted
    assert proved.method and proved.counterexample is None and proved.claim.startswith("bijective(")
    refuted = ts.prove("injective", ts.layout("(4,8):(1,1)"))
    assert not refuted and refuted.verdict == "refuted" and refuted.refuted
    assert len(refuted.counterexample.witnesses) >= 2
    points = [w.values for w in refuted.counterexample.witnesses[:2]]
    assert points[0] != points[1] and sum(points[0]) == sum(points[1])
    assert str(refuted.counterexample) in refuted.text
    unknown = ts.prove("equal", ts.layout("S<3,4,3> o 0 o (8,64):(64,1)"), ts.layout("(8,64):(64,1)"))
    assert unknown.verdict == "unknown" and not unknown and unknown.reason


def test_claims_in_both_spellings():
    assert ts.prove("equal", TILE, ts.layout("f16[64,64]"))
    assert ts.prove("not equal(A, B)", A=TILE, B=SWIZZLED)
    assert ts.prove("bijective", TILE, 4096) and not ts.prove("bijective", TILE, 5000)
    assert ts.prove("conflict_free", SWIZZLED, "ldmatrix.x4", "fp16")
    assert ts.prove("vectorizes", SWIZZLED, 16, "fp16")
    with pytest.raises(TypeError):
        ts.prove("injective(S)", TILE)
    with pytest.raises(TypeError):
        ts.prove("injective", S=TILE)
    with pytest.raises(ts.Error, match="line 1"):
        ts.prove("injectiv(S)", S=TILE)
    with pytest.raises(ts.Error):
        ts.prove("injective(S) injective(S)", S=TILE)
    with pytest.raises(ts.Error):
        ts.prove("", TILE)


def test_errors_show_the_text():
    with pytest.raises(ValueError) as caught:
        ts.layout("(8,4):(4,1,2)")
    error = caught.value
    assert isinstance(error, ts.Error)
    assert "^^^^^^^" in str(error) and "(8,4):(4,1,2)" in str(error)
    assert (error.line, error.column, error.begin, error.end) == (1, 7, 6, 13)
    assert error.message.startswith("strides have 3 modes") and error.hint


HOSTILE = [
    "",
    " ",
    "\0",
    "(4,8):(8,1)\0",
    "(" * 100000,
    "((((" * 50 + "1" + "))))" * 50,
    "9" * 5000,
    "(4,8):(8,1) o " * 2000,
    "A = 5",
    "prove injective(A)",
    "\ud800".encode("utf-8", "surrogatepass").decode("utf-8", "replace"),
    "(4,8):(8,1); (4,8):(8,1)",
    "λ:日本",
    "%n%s%x{}",
    "f32[" + ",".join(["2"] * 300) + "]",
    "python { while True: pass } over (4)",
    "python { import os } over (4)",
    'kernel "/etc/passwd"',
    "<script>alert(1)</script>",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_texts_are_errors_or_layouts(text):
    for call in (ts.layout, ts.evaluate, ts.paste, ts.hlo, ts.draw, lambda t: ts.prove("injective(%s)" % t),
                 lambda t: ts.kernel(t, 1), ts.check_program):
        try:
            call(text)
        except (ts.Error, TypeError) as problem:
            assert str(problem)
    assert isinstance(ts.run(text), list)


def test_damaged_texts_are_errors_or_layouts(rng):
    seeds = ["Sw<3,3,3> o (64,64):(64,1)", "bf16[16,256]{1,0:T(8,128)}", "S[(8,4):(4@lane,1@reg)] + R[2:8]",
             "(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]", "logical_divide((16,32):(32,1), <4,8>)"]
    for _ in range(300):
        text = list(rng.choice(seeds))
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(text))
            text[at : at + rng.randint(0, 2)] = rng.choice(["", "(", ")", ",", ":", "9", "\n", "é", "\x7f", text[at]])
        try:
            layout = ts.layout("".join(text))
        except ts.Error as problem:
            assert problem.begin <= problem.end <= len("".join(text).encode())
        else:
            assert ts.layout(layout.text) == layout


def test_lone_surrogates_are_refused():
    with pytest.raises((UnicodeEncodeError, TypeError)):
        ts.layout("\ud800")


def test_searches_and_costs():
    found = ts.find_swizzle(TILE, "ldmatrix.x4", "fp16")
    assert found and len(found) >= 1 and found.layout == SWIZZLED
    assert found.swizzles[0].cuda and found.swizzles[0].tma == "CU_TENSOR_MAP_SWIZZLE_128B" and found.candidates > 0
    assert ts.find_swizzle(TILE, ["ldmatrix.x4", "cp.async16"], "fp16").layout == SWIZZLED
    bad = ts.banks(TILE, "ldmatrix.x4", "fp16")
    good = ts.banks(SWIZZLED, "ldmatrix.x4", "fp16")
    assert not bad.conflict_free and bad.excess == bad.wavefronts - bad.ideal > 0 and bad.conflict
    assert good.conflict_free and good.wavefronts == good.ideal and max(bad.phases) == bad.degree
    assert ts.banks([0, 128, 256], 4, "load").wavefronts == 3
    assert ts.sectors(TILE, "ld.global.v4.b32", "fp16").coalesced
    for wrong in [("ldmatrix.x9", "fp16"), ("ldmatrix.x4", "fp17"), ("ld.global.v4.b32", "fp16")]:
        with pytest.raises(ts.Error):
            ts.banks(TILE, *wrong)
    with pytest.raises(ts.Error, match="no access"):
        ts.find_swizzle(TILE, [], "fp16")
    with pytest.raises(ts.Error, match="32 lanes"):
        ts.banks(range(33), 4)


def test_assertions_show_the_counterexample():
    ts.assert_conflict_free(SWIZZLED, "ldmatrix.x4", "fp16")
    ts.assert_equal(TILE, ts.layout("f16[64,64]"))
    ts.assert_bijective(SWIZZLED)
    ts.assert_proved("injective(S)", S=SWIZZLED)
    with pytest.raises(AssertionError) as failure:
        ts.assert_conflict_free(TILE, "ldmatrix.x4", "fp16")
    text = str(failure.value)
    assert "conflict_free((64,64):(64,1), ldmatrix.x4, fp16)" in text and "bank 0 must deliver 8 words" in text
    with pytest.raises(AssertionError, match="at \\(1,0\\) the first gives 64 and the second 72"):
        ts.assert_equal(TILE, SWIZZLED)
    with pytest.raises(AssertionError, match="refuted"):
        ts.assert_bijective(ts.layout("(4,8):(1,1)"))
    with pytest.raises(AssertionError, match="unknown"):  # unknown is no pass
        ts.assert_equal(ts.layout("S<3,4,3> o 0 o (8,64):(64,1)"), ts.layout("(8,64):(64,1)"))
    with pytest.raises(ts.Error):
        ts.assert_conflict_free(TILE, "ldmatrix.x9", "fp16")


def test_race_free_of_a_store_and_a_load():
    store = ts.layout("python { tid * 2 } over (tid = 64)")
    ts.assert_race_free(store, store)
    with pytest.raises(AssertionError, match="race_free"):
        ts.assert_race_free(store, ts.layout("python { 126 - tid * 2 } over (tid = 64)"))


def test_pictures():
    assert ts.draw(TILE).startswith("<svg") and ts.draw(TILE, "txt").strip()
    assert ts.draw("A = (4,8):(8,1)\nshow A as memory").startswith("<svg")
    assert TILE._repr_svg_() == ts.draw(TILE) and "<svg" in TILE._repr_html_()
    assert "banks" in " ".join(TILE.views) and "<svg" in ts.draw(TILE, view="banks fp16 ldmatrix.x4")
    for wrong in [dict(format="gif"), dict(view="no such view")]:
        with pytest.raises(ts.Error):
            ts.draw(TILE, **wrong)
    name = ts.draw(ts.layout("(4,8):(8,1)"), name="<script>alert(1)</script>")
    assert "<script" not in name
    try:
        assert ts.draw(TILE, "png")[:4] == b"\x89PNG" and ts.draw(TILE, "pdf")[:4] == b"%PDF"
    except ts.Error as without_cairo:
        assert "Cairo" in str(without_cairo)


def test_worksheets_keep_their_names():
    sheet = ts.Worksheet()
    assert [a.kind for a in sheet.run("A = (4,8):(8,1)\nsize(A)\nprove injective(A)")] == ["layout", "int", "verdict"]
    sheet.bind("B", SWIZZLED)
    answers = sheet.run("B(1, 0)\nassert size(A) == 33\nC = (8,4):(4,1,2)")
    assert answers[0].number == 72 and answers[0].holds
    assert not answers[1] and answers[1].line == 2
    assert answers[2].error and "^^^^" in answers[2].error and answers[2].kind == "error"
    assert sheet.run("prove injective(A)")[0].verdict.proved
    for bad in ["", "x y", "1x", "A = 5; B"]:
        with pytest.raises(ValueError, match="identifier"):
            sheet.bind(bad, SWIZZLED)
    assert ts.Worksheet().run("A")[0].error


def test_pasted_text():
    pasted = ts.paste("using A = Layout<Shape<_8, Int<kN>>>;")
    assert pasted.dialect == "CuTe C++" and pasted.questions[0].name == "kN"
    assert ts.paste("s[r * 32 + (c ^ (r & 7))]", over={"r": 64, "c": 32}).layout(3, 5) == 102
    with pytest.raises(ts.Error):
        ts.paste("nothing that a tool prints, I hope")
