#!/usr/bin/env python3
"""gallery.py TESSERA ROOT: `tessera lsp` on every sheet of the gallery and on Graphene programs.

Diagnostics are those of `tessera check --json`; the value in a hover is that of `tessera eval`; the definition of a name
is the last line above that binds it; a rename keeps every value; outline, tokens, folds, hints and actions are in order.
"""
import json, pathlib, re, subprocess, sys, tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from client import ALONE, Client, Failed, Places

TESSERA, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
SHEETS = sorted((ROOT / "assets/gallery").rglob("*.tess"))
# Those that are checked within two seconds, and each kind of place that a finding can have.
PROGRAMS = [ROOT / "assets/graphene" / f"{name}.graphene" for name in
            ("row_reduction ldmatrix_move quad_pairs transpose_padded transpose_swizzled predicated_copy gemm_simple "
             "interleaved_load attention_unfused lstm_unfused mlp_unfused").split()]
RACE = (ROOT / "assets/graphene/transpose_swizzled.graphene").read_text().replace("sync\n", "\n")
SHEET = """A = (4,8):(8,1)
B = compositon(A, (2,2))
prove injective((4,2):(1,2))
prove conflict_free((64,64):(64,1), ldmatrix.x4, fp16)
S = ?
prove injective(S)
show A as spiral
task "bijective": bijective(T)
"\u00e9\U0001d400" ; size(A) ; foo(3)\r
assert size(A) == 31
"""


def lines_of(command, text=None):
    out = subprocess.run([TESSERA, *command], capture_output=True, text=True, env=ALONE, input=text).stdout
    return [json.loads(line) for line in out.splitlines()]


def uri_of(path):
    return pathlib.Path(path).resolve().as_uri()


def check_diagnostics(path, text, diagnostics):
    """Against the command, which prints one object for each claim and each error."""
    at = Places(text)
    wanted = []
    obligations, specs = 0, []
    for o in lines_of(["check", "--json", str(path)]):
        if "error" in o:
            e = o["error"]
            message = "\n".join([e["message"], *(f"{k}: {e[k]}" for k in ("expected", "hint") if e.get(k))])
            wanted.append(("error", at.of_byte(e["begin"]), at.of_byte(e["end"]), message))
        elif o["kind"] == "task" and not o["solved"]:
            wanted.append(("task", o["line"] - 1))
        elif o["kind"] == "verdict" and o["verdict"] != "proved":
            blank = "is not filled in yet" in o.get("detail", "")
            wanted.append(("blank" if blank else o["verdict"], o["line"] - 1))
        proved = o.get("verdict") == "proved" or o.get("kind") == "task"  # `prove not NAME` wants findings
        specs += [o] if o.get("kind") == "spec" else [] if proved else o.get("specs", []) + [{"depth": -1, "obligations": []}]
    covered = 1000  # inside a specification of that depth whose unknown obligations are told
    for spec in specs:
        obligations += sum("finding" in x for x in spec["obligations"])
        unknown = any(x["standing"] == "unknown" for x in spec["obligations"])
        if spec["depth"] <= covered:
            obligations += unknown
            covered = spec["depth"] if unknown else 1000
    got, findings = [], 0
    for d in diagnostics:
        line = d["range"]["start"]["line"]
        assert d["source"] == "tessera" and d["message"], d
        if d["code"] == "error":
            assert d["severity"] == 1
            got.append(("error", d["range"]["start"], d["range"]["end"], d["message"]))
        elif re.match(r"O\d ", d["message"]):
            findings += 1
        elif d["code"] in ("task", "refuted", "unknown", "blank"):
            assert d["severity"] == {"task": 3, "blank": 3, "refuted": 1, "unknown": 2}[d["code"]], d
            got.append((d["code"], line))
        else:
            assert d["code"] in ("note", "run", "wrong"), d
    text_of = lambda x: json.dumps(x, sort_keys=True)
    assert sorted(map(text_of, got)) == sorted(map(text_of, wanted)), f"{path}:\n{got}\n{wanted}"
    assert findings == obligations, f"{path}: {findings} findings, {obligations} obligations"
    return len(wanted) + findings


def code_of(text):
    """The text with blanks for comments, of the same length. Good enough for the gallery: `//` there begins a comment
    except in formulas with `over`."""
    lines = []
    for line in text.split("\n"):
        cut = line.find("//")
        lines.append(line if cut < 0 or " over " in line[cut:] else line[:cut] + " " * (len(line) - cut))
    return "\n".join(lines)


def check_values(server, uri, text, at):
    """The hover of each name at its binding is what eval prints for the statement."""
    values = [o for o in lines_of(["eval", "--json", text]) if o.get("name") and o.get("ok") and "view" not in o
              and o.get("kind") not in ("run", "instruction", "verdict")]
    code = code_of(text)
    checked = 0
    for o in values:
        begin = [m.end() for m in re.finditer("\n", text)]
        start = 0 if o["line"] == 1 else begin[o["line"] - 2]
        found = re.compile(rf"(?:^|;)[ \t]*({re.escape(o['name'])})\s*(?:\([^)]*\))?\s*=", re.M).search(code, start)
        if not found or text.count("\n", 0, found.start(1)) != o["line"] - 1 or len(o["text"]) > 15000:
            continue
        place = at.place(found.start(1))
        hover = server.about("hover", uri, **place)
        assert hover, (uri, o["name"], place)
        shown = re.findall(r"(`{3,})tessera\n(.*?)\n\1", hover["contents"]["value"], re.S)
        if o["kind"] == "blank":
            assert o["text"] in hover["contents"]["value"]
            continue
        assert any(body == "= " + o["text"] for _, body in shown), f"{uri} {o['name']}: {hover}\n{o['text']}"
        checked += 1
    return checked


def check_definitions(server, uri, text, at):
    """The definition of each word outside blocks: the last binding above, by a plain search."""
    code = code_of(text)
    inside = [(m.start(), m.end()) for m in re.finditer(r"\{(?:[^{}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})*\}", code)]
    bindings = [(m.start(1), m.group(1)) for m in
                re.finditer(r"(?:^|;)[ \t]*([A-Za-z_]\w*)[ \t]*(?:\([\w, ]*\)[ \t]*)?=(?!=)", code, re.M)]
    bindings += [(m.start(1), m.group(1)) for m in re.finditer(r"^(?:graphene|hlo) +([A-Za-z_]\w*)", code, re.M)]
    bindings = [b for b in bindings if not any(i <= b[0] < j for i, j in inside)]
    asked = {}
    for m in re.finditer(r"[A-Za-z_]\w*", code):
        if not any(i <= m.start() < j for i, j in inside):
            asked[m.start()] = server.begin("textDocument/definition", {"textDocument": {"uri": uri}, "position": at.place(m.start())})
    followed = 0
    for start, number in asked.items():
        result = server.answer(number)
        if result is None:
            continue
        word = re.compile(r"\w+").match(code, start).group()
        target = at.index(result["range"]["start"])
        assert text[target:at.index(result["range"]["end"])] == word, (uri, word, result)
        if any(i <= target < j for i, j in inside) or code[start - 1:start] in ("%", "#", "."):
            continue  # a name of a block's body
        line_end = min([e for e in (code.find("\n", start), code.find(";", start)) if e >= 0], default=len(code))
        above = [b for b, name in bindings if name == word and (b == start or b < start)]
        assert target in above, (uri, word, at.place(start), result, line_end)
        # Nothing between binds it again, except the statement that the word itself is in.
        statement = max([0] + [m.end() for m in re.finditer(r"^(?=\S)|;", code[:start], re.M)])
        between = [b for b in above if target < b < statement]
        assert not between, (uri, word, at.place(start), result)
        followed += 1
    return followed


def check_whole(server, uri, text, at):
    """Outline, tokens, folds, hints, actions: in the text, and in order."""
    def inside(r):
        begin, end = at.index(r["start"]), at.index(r["end"])
        assert 0 <= begin <= end <= len(text)
        return begin, end

    def symbols(list_, outer):
        for s in list_:
            span, name = inside(s["range"]), inside(s["selectionRange"])
            assert outer[0] <= span[0] <= name[0] <= name[1] <= span[1] <= outer[1], s
            symbols(s.get("children", []), span)
    outline = server.about("documentSymbol", uri)
    symbols(outline, (0, len(text)))
    types = server.hello["capabilities"]["semanticTokensProvider"]["legend"]["tokenTypes"]
    data = server.about("semanticTokens/full", uri)["data"]
    line = character = 0
    words = {}
    for k in range(0, len(data), 5):
        down, right, length, kind, _ = data[k:k + 5]
        assert length > 0 and (down > 0 or right > 0 or k == 0)
        line, character = line + down, right if down else character + right
        begin = at.index({"line": line, "character": character})
        word = text[begin:at.index({"line": line, "character": character + length})]
        assert "\n" not in word
        words.setdefault(types[kind], []).append(word)
        if types[kind] == "number":
            assert re.fullmatch(r"_?\d\w*", word), word
        if types[kind] == "comment" and uri.endswith(".tess"):
            assert word[:2] in ("//", "/*") or "*/" in word or "/*" in text[:begin], word
    for fold in server.about("foldingRange", uri):
        assert 0 <= fold["startLine"] < fold["endLine"] <= text.count("\n")
    everything = at.range(0, len(text))
    for hint in server.about("inlayHint", uri, range=everything):
        assert hint["label"] and "\n" not in hint["label"]
        at.index(hint["position"])
    for action in server.about("codeAction", uri, range=everything, context={"diagnostics": []}):
        for edit in action["edit"]["changes"][uri]:
            inside(edit["range"])
    return outline, words


def check_sheet(server, path, text, again=True):
    uri = uri_of(path)
    server.open(uri, text)
    diagnostics = server.complete(uri)
    at = Places(text)
    counts = [check_diagnostics(path, text, diagnostics)]
    check_whole(server, uri, text, at)
    if uri.endswith(".tess"):
        counts += [check_values(server, uri, text, at), check_definitions(server, uri, text, at)]
    server.close(uri)
    return counts


def check_program_names(server, text):
    """In a program, %x is defined by its first place; hover has its type; a rename keeps what is proved."""
    uri = "file:///names.graphene"
    server.open(uri, text)
    assert server.complete(uri) == []
    at = Places(text)
    code = code_of(text)
    names = 0
    for m in re.finditer(r"[%#](\w+)", code):
        result = server.about("definition", uri, **at.place(m.start()))
        first = re.search(re.escape(m.group()) + r"\b", code)
        assert result and at.index(result["range"]["start"]) == first.start() + 1, (m.group(), result)
        hover = server.about("hover", uri, **at.place(m.start() + 1))
        assert hover and m.group() in hover["contents"]["value"], (m.group(), hover)
        names += 1
    one = re.search(r"%(\w+)", code)
    edits = server.about("rename", uri, **at.place(one.start(1)), newName="renamed")["changes"][uri]
    new = text
    for e in sorted(edits, key=lambda e: -at.index(e["range"]["start"])):
        new = new[:at.index(e["range"]["start"])] + e["newText"] + new[at.index(e["range"]["end"]):]
    assert new == re.sub(rf"%{one.group(1)}\b", "%renamed", text)
    server.change(uri, 2, {"text": new})
    assert server.complete(uri, 2) == []
    offers = server.about("completion", uri, line=new.count("\n"), character=0)
    assert offers["items"] == []
    server.close(uri)
    return names


def check_renames(server, path):
    """Each name of a sheet in turn: the values are those before, under the new name."""
    text = path.read_text()
    uri = uri_of(path)
    server.open(uri, text)
    at = Places(text)
    renamed = 0
    values = lambda t: [o.get("text") for o in lines_of(["eval", "--json", t]) if o.get("kind") != "verdict"]
    before = values(text)
    for name in dict.fromkeys(re.findall(r"^([A-Z]\w*) =", code_of(text), re.M)):
        start = re.search(rf"^{name} =", text, re.M).start()
        prepared = server.about("prepareRename", uri, **at.place(start))
        assert prepared["placeholder"] == name
        edits = server.about("rename", uri, **at.place(start), newName="Zz9")["changes"][uri]
        places = server.about("references", uri, **at.place(start), context={"includeDeclaration": True})
        assert [e["range"] for e in edits] == [p["range"] for p in places]
        marks = server.about("documentHighlight", uri, **at.place(start))
        assert [m["range"] for m in marks] == [p["range"] for p in places] and [m["kind"] for m in marks].count(3) == 1
        new = text
        for e in sorted(edits, key=lambda e: -at.index(e["range"]["start"])):
            new = new[:at.index(e["range"]["start"])] + "Zz9" + new[at.index(e["range"]["end"]):]
        assert [v and v.replace("Zz9", name) for v in values(new)] == before, (path, name)
        for bad in ("9", "a b", "", name):
            try:
                server.about("rename", uri, **at.place(start), newName=bad)
                assert False, bad
            except Failed as e:
                assert e.code == -32803
        renamed += 1
    server.close(uri)
    return renamed


def check_fixes(server):
    """Each quick fix of the sheet, applied alone, removes the diagnostic of its line or adds lines without errors."""
    uri = "file:///fixes.tess"
    server.open(uri, SHEET)
    before = server.complete(uri)
    at = Places(SHEET)
    applied = 0
    version = 1
    for d in before:
        for action in server.about("codeAction", uri, range=d["range"], context={"diagnostics": [d], "only": ["quickfix"]}):
            assert action["kind"] == "quickfix"
            edit, = action["edit"]["changes"][uri]
            inserts = action["title"].startswith("Insert: ")
            server.change(uri, version + 1, edit | {"text": edit["newText"]})
            after = server.complete(uri, version + 1)
            here = lambda list_: sorted(str((x["code"], x["message"])) for x in list_ if x["code"] != "note")
            if inserts:
                assert [x for x in here(after) if "'error'" in x] == [x for x in here(before) if "'error'" in x], action
            else:
                assert len(here(after)) < len(here(before)), (action, after)
            server.change(uri, version + 2, {"text": SHEET})
            assert server.complete(uri, version + 2) == before
            version += 2
            applied += 1
    server.close(uri)
    return applied


with Client(TESSERA) as server:
    total = [0, 0, 0]
    for path in SHEETS + PROGRAMS:
        for k, n in enumerate(check_sheet(server, path, path.read_text())):
            total[k] += n
    names = check_program_names(server, (ROOT / "assets/graphene/transpose_padded.graphene").read_text())
    renames = sum(check_renames(server, path) for path in SHEETS[:8])
    fixes = check_fixes(server)
    # In a program, too, where statements after it have no place.
    right, wrong = RACE, RACE.replace("Move", "Mvoe", 1)
    server.open("file:///fix.graphene", wrong)
    server.complete("file:///fix.graphene")
    at = Places(wrong)
    action, = server.about("codeAction", "file:///fix.graphene", range=at.range(0, len(wrong)), context={"diagnostics": []})
    edit, = action["edit"]["changes"]["file:///fix.graphene"]
    begin, end = at.index(edit["range"]["start"]), at.index(edit["range"]["end"])
    assert action["title"] == "Write Move" and wrong[:begin] + edit["newText"] + wrong[end:] == right
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {"wrong.tess": SHEET, "race.graphene": RACE, "open.graphene": RACE[:-3], "closed.graphene": RACE + "}\n",
                           "empty.tess": "", "empty.graphene": "", "word.graphene": RACE.replace("Move", "Mvoe", 1)}.items():
            path = pathlib.Path(folder) / name
            path.write_text(text, newline="")
            found, = check_sheet(server, path, text)[:1]
            assert found > 0 or name in ("empty.tess", "empty.graphene"), name
print(f"{len(SHEETS)} sheets, {len(PROGRAMS)} programs: {total[0]} diagnostics, {total[1]} values, {total[2]} definitions; "
      f"{names} names of a program, {renames} renames, {fixes} fixes")
assert total[1] > 150 and total[2] > 800 and names > 20 and renames > 10 and fixes > 5
