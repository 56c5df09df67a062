"""Claims, searches, banks and pictures."""

from . import _engine
from ._engine import Layout


def prove(claim, *arguments, seconds=10.0, **names):
    """Decides a claim of the worksheet language for all coordinates. The Verdict is true only if it is proved.

    >>> import tessera as ts
    >>> A = ts.layout("(4,8):(8,1)")
    >>> bool(ts.prove("bijective", A))
    True
    >>> ts.prove("equal", A, ts.layout("(4,8):(1,4)")).counterexample.text
    'at (1,0) the first gives 8 and the second 1'
    >>> ts.prove("injective(S) by f2", S=A).verdict
    'proved'
    """
    if "(" in claim:
        if arguments:
            raise TypeError("a claim with brackets names its layouts: prove('injective(S)', S=L)")
        return _engine.prove(claim, names, seconds)
    if names:
        raise TypeError("names belong to a claim with brackets: prove('injective(S)', S=L)")
    bound, words = {}, []
    for k, argument in enumerate(arguments):
        if isinstance(argument, Layout):
            bound["LABCDEFGHIJK"[k % 12] + ("" if k < 12 else str(k))] = argument
            words.append(list(bound)[-1])
        else:
            words.append(str(argument))
    return _engine.prove("%s(%s)" % (claim, ", ".join(words)), bound, seconds)


def find_swizzle(layout, accesses, type, *, seconds=10.0):
    """The swizzles under which every access is free of bank conflicts, the simplest first; or longer rows (paddings).

    >>> import tessera as ts
    >>> found = ts.find_swizzle(ts.layout("(64,64):(64,1)"), ["ldmatrix.x4"], "fp16")
    >>> found.layout, found.swizzles[0].tma
    (Layout('Sw<3,3,3> o 0 o (64,64):(64,1)'), 'CU_TENSOR_MAP_SWIZZLE_128B')
    """
    return _engine.find_swizzle(layout, [accesses] if isinstance(accesses, str) else list(accesses), type, seconds)


def banks(layout, access, type="", *, seconds=10.0):
    """The wavefronts of an access to shared memory: of an instruction over a tile, or of one warp's addresses.

    >>> import tessera as ts
    >>> ts.banks(ts.layout("(64,64):(64,1)"), "ldmatrix.x4", "fp16").degree
    8
    >>> ts.banks(range(0, 128, 4), 4).wavefronts
    1
    """
    if isinstance(layout, Layout):
        return _engine.banks(layout, access, type, seconds)
    return _engine.banks_of_addresses([int(a) for a in layout], access, type or "load")


def sectors(layout, access, type, *, seconds=10.0):
    """The sectors of 32 bytes of an access to global memory over a tile.

    >>> import tessera as ts
    >>> ts.sectors(ts.layout("(64,64):(64,1)"), "ld.global.v4.b32", "fp16").coalesced
    True
    """
    return _engine.sectors(layout, access, type, seconds)


def draw(source, format="svg", *, view="", name="", dark=False, transparent=False, frame=True, scale=2.0, seconds=10.0):
    """A picture of a layout or of the last statement of a worksheet: str for svg, tex, txt, csv and json, else bytes.

    >>> import tessera as ts
    >>> ts.draw(ts.layout("(4,8):(8,1)")).startswith("<svg")
    True
    """
    how = (format, view, name, dark, transparent, frame, float(scale), seconds)
    file = _engine.draw(source, *how) if isinstance(source, Layout) else _engine.draw_sheet(source, *how)
    return file if format in ("png", "pdf") else file.decode()


class Page:
    """A worksheet as one HTML page with linked pictures. A notebook shows it in a frame of its own, which can reach
    neither the notebook nor the network."""

    html = ""

    def __init__(self, html):
        self.html = html

    def save(self, path):
        """Writes the page to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def __repr__(self):
        return "<page of %d characters>" % len(self.html)

    def _repr_html_(self):
        import html

        style = "width:100%;height:36em;border:1px solid #8884"
        page = html.escape(self.html, quote=True)
        return '<iframe sandbox="allow-scripts" style="%s" srcdoc="%s"></iframe>' % (style, page)


def page(text, *, seconds=10.0):
    """A worksheet with its prose, verdicts and linked pictures, for a notebook or a file.

    >>> import tessera as ts
    >>> ts.page("S = (4,8):(8,1)\\nshow S as grid\\nshow S as memory").html.count("<svg") >= 2
    True
    """
    return Page(draw(text, "html", seconds=seconds))


def run(text, *, seconds=10.0):
    """The answers of a new worksheet, one per statement.

    >>> import tessera as ts
    >>> [str(answer) for answer in ts.run("A = (4,8):(8,1); size(A)")]
    ['A = (4,8):(8,1)', '32']
    """
    return _engine.Worksheet().run(text, seconds)


def have_solver():
    """Whether Z3 was found when the package was built. Without it, claims that need a solver are unknown."""
    return _engine.have_solver()
