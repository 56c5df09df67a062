"""%%tessera: a cell in the worksheet language.

    %load_ext tessera
    %%tessera
    A = (64,64):(64,1)
    show Sw<3,3,3> o A
    prove bijective(A)

Names persist from cell to cell. Layouts of the notebook that a cell names are bound in it, and layouts that a cell
binds become variables of the notebook.
"""

import html as _html
import re as _re

from . import _engine
from ._engine import Error, Layout


class Cells:
    """The worksheet of a notebook."""

    def __init__(self):
        self.sheet = _engine.Worksheet()
        self.text = ""  # of the statements that bind names, for pictures
        self.ours = {}  # names that a cell has bound, with their layouts

    def run(self, text, variables):
        """The answers as (kind, content): "text", "error" or "svg". New layouts are added to `variables`."""
        for name in sorted(set(_re.findall(r"[A-Za-z_]\w*", text))):
            value = variables.get(name)
            if isinstance(value, Layout) and not any(c in value.text for c in "\n"):
                if self.ours.get(name) is not value:
                    self.sheet.bind(name, value)
                    self.text += "%s = %s\n" % (name, value.text)
        out = []
        for answer in self.sheet.run(text):
            if answer.error:
                out.append(("error", answer.error))
                continue
            if answer.statement.startswith("show"):
                out.append(self._picture(answer))
                continue
            if answer.name:
                self.text += answer.statement + "\n"
            if answer.name and answer.layout is not None:
                variables[answer.name] = self.ours[answer.name] = answer.layout
            label = answer.name + " = " if answer.name else ""
            out.append(("text", label + answer.text))
        return out

    def _picture(self, answer):
        try:
            picture = _engine.draw_sheet(self.text + answer.statement, "svg", "", "", False, False, True, 2.0, 10.0)
            return "svg", picture.decode()
        except Error as problem:
            return "error", problem.message


class _Shown:
    def __init__(self, parts):
        self.parts = parts

    def __repr__(self):
        return "\n".join(content if kind != "svg" else "<picture>" for kind, content in self.parts)

    def _repr_html_(self):
        style = {"text": "", "error": ' style="color:#c00"'}
        return "\n".join(
            content if kind == "svg" else "<pre%s>%s</pre>" % (style[kind], _html.escape(content))
            for kind, content in self.parts
        )


def load(ipython):
    cells = Cells()

    def tessera(line, cell=None):
        return _Shown(cells.run(line if cell is None else cell, ipython.user_ns))

    ipython.register_magic_function(tessera, "line_cell", "tessera")
