#!/usr/bin/env python3
"""package.py TESSERA ROOT: the extension for VS Code as a package, its grammars on every text of the gallery, and its client
under node with a stub of the module `vscode` (extension_test.js) against the real server. Exit 77 without node, after the
other checks."""
import json, pathlib, re, shutil, subprocess, sys, tempfile, xml.etree.ElementTree as xml, zipfile

TESSERA, ROOT = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
FOLDER = ROOT / "editors/vscode"


def check_package(work):
    first, second = work / "a.vsix", work / "b.vsix"
    for out in (first, second):
        subprocess.run([sys.executable, FOLDER / "pack.py", out], check=True, capture_output=True)
    assert first.read_bytes() == second.read_bytes()
    with zipfile.ZipFile(first) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        assert names[0] == "[Content_Types].xml" and len(set(names)) == len(names)
        data = {n: archive.read(n) for n in names}
    types = xml.fromstring(data["[Content_Types].xml"])
    known = {t.get("Extension") for t in types}
    assert all(pathlib.PurePath(n).suffix in known for n in names[1:]), names
    manifest = xml.fromstring(data["extension.vsixmanifest"])
    space = {"v": "http://schemas.microsoft.com/developer/vsx-schema/2011"}
    for asset in manifest.findall(".//v:Asset", space):
        assert asset.get("Path") in data, asset.get("Path")
    for tag in ("License", "Icon"):
        assert manifest.find(f".//v:{tag}", space).text in data
    package = json.loads(data["extension/package.json"])
    identity = manifest.find(".//v:Identity", space)
    assert (identity.get("Id"), identity.get("Version"), identity.get("Publisher")) == ("tessera", package["version"], "tessera")
    version = re.search(r"project\(tessera VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
    assert package["version"] == version
    for name, text in data.items():
        if name.endswith(".json"):
            json.loads(text)
    contributes = package["contributes"]
    paths = [package["main"], package["icon"], *(x["configuration"] for x in contributes["languages"]),
             *(x["path"] for x in contributes["grammars"] + contributes["snippets"])]
    for path in paths:
        assert "extension/" + path.removeprefix("./") in data, path
    assert data["extension/icon.png"].startswith(b"\x89PNG\r\n\x1a\n")
    # Every file of the folder is packed.
    here = {str(p.relative_to(FOLDER)) for p in FOLDER.rglob("*") if p.is_file() and "__pycache__" not in p.parts} - {"pack.py"}
    assert here == {n.removeprefix("extension/") for n in names} & here, here
    return len(names)


def check_snippets():
    """A snippet's text, with its defaults, is valid."""
    checked = 0
    for language in ("tess", "graphene"):
        for name, s in json.loads((FOLDER / f"snippets/{language}.json").read_text()).items():
            text = re.sub(r"\$\{\d+:([^}]*)\}", r"\1", "\n".join(s["body"]))
            assert "$" not in text, name
            with tempfile.NamedTemporaryFile("w", suffix="." + language) as f:
                f.write(text if language == "graphene" or text.startswith(("A =", "F(")) else "A = (64,64):(64,1)\n" + text)
                f.flush()
                out = subprocess.run([TESSERA, "check", "--json", f.name], capture_output=True, text=True).stdout
            assert '"error"' not in out and '"ok":false' not in out, (name, out)
            checked += 1
    return checked


class Grammar:
    """Scopes by one line at a time, with the rules of a TextMate grammar; Python's regular expressions read these patterns
    as Oniguruma does. A rule with `begin` and `end` opens a list of rules."""

    def __init__(self, files):
        self.all = {g["scopeName"]: g for g in (json.loads(f.read_text()) for f in files)}
        self.compiled = {}

    def regex(self, text):
        return self.compiled.setdefault(text, re.compile(text))

    def rules(self, own, patterns):
        for p in patterns:
            if "include" in p:
                name = p["include"]
                if name == "$self":
                    yield from self.rules(own, own["patterns"])
                elif name.startswith("#"):
                    yield from self.rules(own, own["repository"][name[1:]]["patterns"])
                else:
                    yield from self.rules(self.all[name], self.all[name]["patterns"])
            else:
                yield own, p

    def tokens(self, scope, text):
        top = self.all[scope]
        stack = [(top, {"patterns": top["patterns"]})]
        for line in text.split("\n"):
            at = 0
            while at <= len(line):
                own, open_ = stack[-1]
                best = None
                if "end" in open_ and (m := self.regex(open_["end"]).search(line, at)):
                    best = (m.start(), -1, m, None, None)
                for k, (of, p) in enumerate(self.rules(own, open_.get("patterns", []))):
                    m = self.regex(p.get("match") or p["begin"]).search(line, at)
                    if m and (best is None or m.start() < best[0]):
                        best = (m.start(), k, m, of, p)
                start = best[0] if best else len(line)
                if start > at:
                    yield open_.get("name"), line[at:start]
                if best is None:
                    break
                m = best[2]
                if best[4] is None:
                    stack.pop()
                elif "begin" in best[4]:
                    stack.append((best[3], best[4]))
                name = best[4].get("name") if best[4] else open_.get("name")
                captures = (best[4] or {}).get("captures") or (best[4] or {}).get("beginCaptures")
                if captures:
                    for k in range(1, (m.re.groups or 0) + 1):
                        if m.group(k):
                            yield captures[str(k)]["name"], m.group(k)
                else:
                    yield name or "", m.group()
                at = m.end() if m.end() > m.start() or best[4] is None else m.end() + 1
                if at == len(line) and m.end() == m.start():
                    break
        assert len(stack) == 1 or scope == "source.graphene", f"open at the end: {stack[-1][1]}"


def check_grammars():
    grammar = Grammar(sorted((FOLDER / "syntaxes").glob("*.json")))
    count = 0
    for path in [*sorted((ROOT / "assets/gallery").rglob("*.tess")), *sorted((ROOT / "assets/graphene").rglob("*.graphene"))]:
        scope = "source." + path.suffix[1:]
        seen = {}
        for name, piece in grammar.tokens(scope, path.read_text()):
            if name is None:
                assert not piece.strip(), f"{path}: {piece!r} has no rule"
            else:
                seen.setdefault(name, []).append(piece)
                count += 1
        for name, pieces in seen.items():
            if name.startswith("comment.line"):
                assert all(p.startswith("//") for p in pieces)
    scopes = lambda language, text: {piece.strip(): name for name, piece in grammar.tokens("source." + language, text) if piece.strip()}
    sheet = scopes("tess", 'A = Sw<3,3,3> o (8,8):(8,1) // why\nprove conflict_free(A, ldmatrix.x4, fp16)\nshow coalesce(A) as banks')
    for piece, name in {"A": "variable.other", "// why": "comment.line", "prove": "keyword.control", "conflict_free": "support.function.claim",
                        "ldmatrix.x4": "support.class.instruction", "fp16": "storage.type", "coalesce": "support.function.tess",
                        "as": "keyword.control", "banks": "support.constant.view", "8": "constant.numeric"}.items():
        assert sheet[piece].startswith(name), (piece, sheet[piece])
    inside = scopes("tess", "graphene move {\n  %a:[4].fp16.GL\n  for (k = 0; k < 4; k += 1) { }\n}\nsize(A)")
    assert inside["%a"] == "variable.parameter.graphene" and inside["for"] == "keyword.control.graphene"
    assert inside["size"] == "support.function.tess" and inside["graphene"] == "keyword.control.tess"
    program = scopes("graphene", "%o <- UnaryPointwise<exp><<<#b, #t>>>(%i) {\n  #g = #t.tile(8)\n}")
    for piece, name in {"UnaryPointwise": "support.class.specification", "exp": "support.function.scalar", "tile": "support.function.graphene"}.items():
        assert program[piece].startswith(name), (piece, program[piece])
    return count


with tempfile.TemporaryDirectory() as work:
    files = check_package(pathlib.Path(work))
pieces = check_grammars()
snippets = check_snippets()
print(f"{files} files, {pieces} tokens, {snippets} snippets")
node = shutil.which("node") or shutil.which("nodejs")
if node is None:
    print("skipped: the client needs node (Debian: nodejs)")
    sys.exit(77)
subprocess.run([node, ROOT / "tests/lsp/extension_test.js", TESSERA, FOLDER, ROOT], check=True, timeout=600)
