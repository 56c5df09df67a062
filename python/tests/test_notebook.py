"""Rich display and the cell magic."""

import pytest
import tessera as ts
from conftest import needs


class Shell:
    """What a notebook gives to an extension."""

    def __init__(self):
        self.user_ns, self.magics = {}, {}

    def register_magic_function(self, function, magic_kind, magic_name):
        self.magics[magic_kind, magic_name] = function


def test_cells_are_worksheets():
    shell = Shell()
    ts.load_ipython_extension(shell)
    magic = shell.magics["line_cell", "tessera"]
    shell.user_ns["mine"] = ts.layout("Sw<3,3,3> o (64,64):(64,1)")
    shown = magic("", "A = (64,64):(64,1)\nmine(1, 0)\nshow mine as grid\nprove equal(A, mine)\nsize(")
    kinds = [kind for kind, _ in shown.parts]
    assert kinds == ["text", "text", "svg", "text", "error"]
    assert shown.parts[1][1] == "72" and "refuted" in shown.parts[3][1]
    assert shell.user_ns["A"] == ts.layout("(64,64):(64,1)")
    assert "<svg" in shown._repr_html_() and "<picture>" in repr(shown)
    assert magic("size(A)").parts == [("text", "4096")]  # names persist
    shell.user_ns["A"] = ts.layout("8:1")
    assert magic("size(A)").parts == [("text", "8")]  # a name that the notebook binds again is bound again
    shell.user_ns["size"] = 5  # not a layout
    assert magic("size(A)").parts == [("text", "8")]


def test_nothing_of_a_cell_is_markup():
    shell = Shell()
    ts.load_ipython_extension(shell)
    shown = shell.magics["line_cell", "tessera"]("", '"<script>alert(1)</script>"\n<img src=x onerror=alert(1)>')
    assert "<script" not in shown._repr_html_() and "<img" not in shown._repr_html_()


def test_a_page_stays_in_its_frame():
    title = '// # </iframe><script>alert(1)</script>" onload="alert(1)\n'
    page = ts.page(title + "S = (4,8):(8,1)\nshow S as grid\nshow S as memory")
    shown = page._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts"') and shown.count("<") == 2 and shown.count('"') == 6
    assert page.html.count("<svg") >= 2


def test_displays_never_fail():
    for text in ["(4,8):(8,1)", "1:0", "(1048576,1048576):(1048576,1)", "S[(8,4):(4@lane,1@reg)]", "Sw<3,3,3>"]:
        layout = ts.layout(text)
        assert layout._repr_html_().startswith("<div><code>") and "<script" not in layout._repr_html_()
        svg = layout._repr_svg_()
        assert svg is None or svg.startswith("<svg")


def test_the_extension_loads_in_ipython():
    needs("IPython")
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "tessera")
    shown = shell.run_cell_magic("tessera", "", "A = (4,8):(8,1)\nsize(A)")
    assert shown.parts[-1] == ("text", "32") and shell.user_ns["A"] == ts.layout("(4,8):(8,1)")
    with pytest.raises(KeyError):
        _ = shell.user_ns["no_such_name"]
