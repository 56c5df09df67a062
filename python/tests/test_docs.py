"""Examples in docstrings and in docs/python.md are executed; the stubs have the names of the package."""

import ast
import doctest
import importlib
import inspect
import pkgutil
from pathlib import Path

import pytest
import tessera

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
MODULES = sorted(m.name for m in pkgutil.iter_modules(tessera.__path__) if m.name != "_engine")


@pytest.mark.parametrize("name", ["", *MODULES])
def test_examples_of_docstrings(name):
    pytest.importorskip("numpy")
    module = importlib.import_module("tessera" + ("." + name if name else ""))
    failed, _ = doctest.testmod(module, optionflags=FLAGS, extraglobs={"ts": tessera})
    assert failed == 0


def test_examples_of_the_guide(monkeypatch):
    pytest.importorskip("numpy")
    guide = Path(__file__).resolve().parents[2] / "docs" / "python.md"
    monkeypatch.chdir(guide.parents[1])
    parser = doctest.DocTestParser()
    text = guide.read_text()
    test = parser.get_doctest(text.replace("```", ""), {}, guide.name, str(guide), 0)
    assert len(test.examples) > 20
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(test)
    assert runner.summarize().failed == 0


def test_the_tour_of_the_readme():
    text = (Path(__file__).resolve().parents[2] / "README.md").read_text()
    blocks = text.split("```python\n")[1:]
    assert blocks
    for block in blocks:
        exec(block.split("```")[0], {})


def stub_names(tree):
    out = set()
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            out.add(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            out.add(node.target.id)
    return out


def test_stubs_have_the_names_of_the_package():
    tree = ast.parse((Path(tessera.__file__).parent / "__init__.pyi").read_text())
    assert (Path(tessera.__file__).parent / "py.typed").exists()
    declared = {n for n in stub_names(tree) if not n.startswith("_")}
    assert declared - {"load_ipython_extension"} == set(tessera.__all__)
    for node in tree.body:
        if not isinstance(node, ast.ClassDef):
            if isinstance(node, ast.FunctionDef) and node.name in ("prove", "layout", "kernel", "draw", "banks"):
                ours = [p for p in inspect.signature(getattr(tessera, node.name)).parameters]
                theirs = [a.arg for a in node.args.args + node.args.kwonlyargs]
                theirs += [a.arg for a in (node.args.vararg, node.args.kwarg) if a]
                assert sorted(ours) == sorted(theirs), node.name
            continue
        real = {n for n in dir(getattr(tessera, node.name)) if not n.startswith("_")}
        stub = {n for n in stub_names(node) if not n.startswith("_")}
        if issubclass(getattr(tessera, node.name), BaseException):
            stub |= {"args", "with_traceback", "add_note"}
            real |= stub
        assert stub == real, node.name


def test_every_public_name_has_a_description():
    for name in tessera.__all__:
        assert (getattr(tessera, name).__doc__ or "").strip() or name in ("Witness", "ThreadPoint"), name
