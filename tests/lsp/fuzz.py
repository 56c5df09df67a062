#!/usr/bin/env python3
"""fuzz.py TESSERA [MESSAGES]: the answers of the protocol to wrong input: damaged messages and headers, fields of other
types, places outside the text, unknown methods, requests out of order, documents that are too large, an input that ends.

After thousands of damaged messages the server still answers, and every request has had exactly one answer (the client
checks that).
"""
import json, pathlib, random, subprocess, sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from client import ALONE, CAPABILITIES, LIMIT, Client, Failed, Places, framed

TESSERA, MESSAGES = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 4000
URI = "file:///a.tess"
TEXT = "A = (4,8):(8,1)\nB = coalesce(A) // \U0001d400\nprove injective(B)\nshow B as grid\nfoo(1)\n"
FEATURES = ["completion", "hover", "definition", "references", "documentHighlight", "prepareRename", "rename", "documentSymbol",
            "semanticTokens/full", "foldingRange", "inlayHint", "codeAction"]
ODD = [None, True, -1, 0, 1, 2**31, 2**63, 2**64, -2**63, 1e300, -0.5, "", "x", "\ud800", [], {}, [[]], {"line": 0}, "file:///b.tess"]


def parameters(feature):
    place = {"line": 1, "character": 4}
    return {"textDocument": {"uri": URI}, "position": place, "range": {"start": {"line": 0, "character": 0}, "end": place},
            "context": {"diagnostics": [], "only": ["quickfix"]}, "newName": "Z"}


def code_of(server, method, params=None):
    try:
        server.ask(method, params)
        return 0
    except Failed as e:
        return e.code


def check_order():
    """Requests before initialize and after shutdown, unknown ones, and how the process ends."""
    server = Client(TESSERA, initialize=False)
    assert code_of(server, "textDocument/hover", parameters("hover")) == -32002
    assert code_of(server, "shutdown") == -32002
    server.open(URI, TEXT)  # ignored
    assert "capabilities" in server.ask("initialize", {"capabilities": CAPABILITIES})
    assert code_of(server, "initialize", {"capabilities": {}}) == -32600
    assert code_of(server, "textDocument/hover", parameters("hover")) == -32602  # not open
    assert code_of(server, "textDocument/noSuchThing", {}) == -32601
    server.tell("textDocument/noSuchThing", {})
    server.tell("$/setTrace", {"value": "off"})
    assert code_of(server, "shutdown") == 0
    assert code_of(server, "textDocument/hover", parameters("hover")) == -32600
    server.tell("exit")
    assert server.process.wait(LIMIT) == 0

    hello = framed(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}).encode())
    exit_ = framed(b'{"jsonrpc":"2.0","method":"exit"}')
    shutdown = framed(b'{"jsonrpc":"2.0","id":2,"method":"shutdown"}')
    for sent, code in [(b"", 1), (exit_, 1), (hello, 1), (hello + exit_, 1), (hello + shutdown, 1), (hello + shutdown + exit_, 0),
                       (hello + shutdown[:-3], 1), (b"Content-Length: 99", 1), (b"garbage\r\n\r\n" + hello + shutdown + exit_, 0),
                       (hello + shutdown + exit_ + hello, 0)]:
        done = subprocess.run([TESSERA, "lsp"], input=sent, capture_output=True, env=ALONE, timeout=LIMIT)
        assert done.returncode == code, (sent, done)
    # A client that does not read any more.
    gone = subprocess.Popen([TESSERA, "lsp", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ALONE)
    gone.stdout.close()
    gone.stdin.write(hello * 50 + exit_)
    gone.stdin.close()
    assert gone.wait(LIMIT) == 1


def check_headers():
    with Client(TESSERA) as server:
        body = b'{"jsonrpc":"2.0","id":"text","method":"nothing"}'
        server.raw(b"Content-Type: x\r\ncontent-length:%d\r\n\r\n%s" % (len(body), body))
        server.raw(b"Content-Length: %d\n\n%s" % (len(body.replace(b"text", b"line")), body.replace(b"text", b"line")))
        for header in (b"Content-Length: many\r\n\r\n", b"No-Length: 3\r\n\r\n", b"Content-Length: -4\r\n\r\n"):
            server.raw(header)
        server.raw(b"Content-Length: %d\r\n\r\n%s" % (34 << 20, b" " * (34 << 20)))
        server.raw(framed(b"[" * 200000))
        server.raw(framed(b"[1, 2]") + framed(b"3") + framed(b"") + framed(b"\xff\xfe") + framed(b'{"id":{},"method":"x"}'))
        server.raw(framed(b'{"jsonrpc":"2.0","id":null,"method":"x"}') + framed(b'{"id":7,"method":3}') + framed(b'{"id":8,"result":1}'))
        assert code_of(server, "still/there") == -32601
        assert server.answers.pop("text")["error"]["code"] == server.answers.pop("line")["error"]["code"] == -32601
        assert server.answers.pop(7)["error"]["code"] == -32600
        codes = [m["error"]["code"] for m in server.others if "error" in m]
        assert codes.count(-32700) == 7 and codes.count(-32600) == 4, codes


def check_types():
    """Every field of every request, replaced and removed."""
    with Client(TESSERA) as server:
        server.open(URI, TEXT)
        server.complete(URI)
        answers = 0
        for feature in FEATURES:
            base = parameters(feature)
            paths = [("textDocument",), ("textDocument", "uri"), ("position",), ("position", "line"), ("position", "character"),
                     ("range",), ("range", "start"), ("range", "end", "line"), ("context",), ("context", "only"), ("newName",)]
            for path in paths:
                for odd in ODD + ["remove"]:
                    params = json.loads(json.dumps(base))
                    at = params
                    for key in path[:-1]:
                        at = at[key]
                    if odd == "remove":
                        del at[path[-1]]
                    else:
                        at[path[-1]] = odd
                    assert code_of(server, "textDocument/" + feature, params) in (0, -32602, -32803), (feature, path, odd)
                    answers += 1
            for params in ODD:
                assert code_of(server, "textDocument/" + feature, params) in (-32602, -32600), (feature, params)
            far = base | {"position": {"line": 10**9, "character": 10**9}}
            assert code_of(server, "textDocument/" + feature, far) in (0, -32803)
        # Notifications have no answers; what cannot be read is logged and changes nothing.
        for odd in ODD:
            for method in ("didOpen", "didChange", "didClose", "didSave"):
                server.tell("textDocument/" + method, odd)
                server.tell("textDocument/" + method, {"textDocument": odd})
                server.tell("textDocument/" + method, {"textDocument": {"uri": URI, "version": odd}, "contentChanges": [{"text": odd}]}
                            if method == "didChange" and not isinstance(odd, str) else {"textDocument": {"uri": odd}})
            server.tell("$/cancelRequest", {"id": odd})
        assert server.about("hover", URI, 0, 0)["contents"]["value"].startswith("```tessera\nA")
        assert any(m["method"] == "window/logMessage" for m in server.others if "method" in m)
    return answers


def check_sizes():
    with Client(TESSERA) as server:
        big, many, one = "file:///big.tess", "file:///many.tess", "file:///one.tess"
        server.open(big, "// x\n" * 900_000)
        server.open(many, "size(4)\n" * 20_005)
        server.open(one, "foo(1);" * 3000)  # many errors in a line
        wide = server.complete(one)
        assert len(wide) == 3000 and wide[-1]["range"]["start"] == {"line": 0, "character": 7 * 2999}
        long = "file:///long.tess"
        text = "/* \U0001d400\u00e9 */ foo(1); " * 3000
        at = Places(text)
        server.open(long, text)
        for k in (0, 1, 77, 1500, 2999):
            place = at.place(text.index("foo", k * (len(text) // 3000)))
            d = server.complete(long)[k]
            assert d["range"]["start"] == place, (d, place)
            hover = server.about("hover", long, place["line"], place["character"] + 1)
            assert "no function" in hover["contents"]["value"] and hover["range"]["start"] == place
        few = server.complete(many)
        assert len(few) == 1 and "at most 19999 statements" in few[0]["message"] and few[0]["range"]["start"]["line"] == 19999
        while big not in server.published:
            server.take()
        only, = server.published[big]["diagnostics"]
        assert only["message"] == "a worksheet holds at most 4 MiB"
        assert server.about("hover", big, 3, 3) is None
        server.change(big, 2, {"text": "foo(1)"})
        assert len(server.complete(big, 2)) == 1
        server.change(big, 3, {"text": "x" * (5 << 20)})
        while server.published[big]["version"] < 3:
            server.take()
        assert [d["message"] for d in server.published[big]["diagnostics"]] == ["a worksheet holds at most 4 MiB"]
        server.close(many)
        assert server.published[many] is not None


def check_cancel():
    """A proof that takes long delays nothing, and is cancelled by the edit that removes it. A request that waits for the
    answers to a new text ends when it is cancelled or when the text changes again; or it is answered before."""
    slow = "prove injective((32768,32768):(32771,32769)) by exhaustive\n"
    with Client(TESSERA) as server:
        for k in range(1, 40):
            if k == 1:
                server.open(URI, TEXT + slow)
            else:
                server.change(URI, k, {"text": TEXT + slow + f"x = {k}\n"})
            hover = server.begin("textDocument/hover", parameters("hover") | {"position": {"line": 0, "character": 0}})
            if k % 3 == 0:
                server.tell("$/cancelRequest", {"id": hover})
            assert server.about("completion", URI, 1, 6)["items"]
            if k % 2 == 0:
                server.change(URI, k, {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}, "text": "\n"})
            try:
                result = server.answer(hover)
                assert result["contents"]["value"].startswith("```tessera\nA"), result
            except Failed as e:
                assert e.code in (-32800, -32801), e.code
        server.change(URI, 99, {"text": TEXT})
        assert len(server.complete(URI, 99)) == 1
        server.tell("$/cancelRequest", {"id": 12345})


def mutated(r, message):
    body = bytearray(json.dumps(message).encode())
    for _ in range(r.choice([1, 1, 2, 8])):
        how, at = r.randrange(5), r.randrange(len(body))
        if how == 0:
            body[at] = r.randrange(256)
        elif how == 1:
            del body[at:at + r.randrange(1, 20)]
        elif how == 2:
            body[at:at] = r.choice([b"{", b"}", b"[", b"\"", b"\\ud83d", b"9" * 30, b"null", b"\0", b",", b"-"])
        elif how == 3:
            del body[at:]
        else:
            end = min(len(body), at + r.randrange(1, 30))
            body[at:at] = body[at:end]
        if not body:
            body = bytearray(b" ")
    return bytes(body)


def check_mutants():
    r = random.Random(7)
    with Client(TESSERA) as server:
        server.open(URI, TEXT)
        for k in range(MESSAGES):
            message = {"jsonrpc": "2.0", "id": f"m{k}", "method": "textDocument/" + r.choice(FEATURES), "params": parameters("")}
            if r.random() < 0.4:
                change = {"range": parameters("")["range"], "text": r.choice(["A", "\n", "\U0001d400", "prove ", "("])}
                message = {"jsonrpc": "2.0", "method": "textDocument/didChange",
                           "params": {"textDocument": {"uri": URI, "version": k}, "contentChanges": [change]}}
            elif r.random() < 0.1:
                message = {"jsonrpc": "2.0", "method": "textDocument/didOpen",
                           "params": {"textDocument": {"uri": URI, "languageId": "tess", "version": k, "text": TEXT}}}
            body = mutated(r, message)
            if b"exit" in body or b"shutdown" in body:
                continue
            server.raw(b"\n" * r.randrange(2) + framed(body))
            if k % 200 == 0:
                server.open(URI, TEXT, 10**6 + k)
                assert server.about("hover", URI, 0, 0)["contents"]["value"].startswith("```tessera\nA")
                server.answers = {}  # ids may be mutated to equal ones
        server.open(URI, TEXT, 10**7)
        assert len(server.complete(URI, 10**7)) == 1


check_order()
check_headers()
typed = check_types()
check_sizes()
check_cancel()
check_mutants()
print(f"{typed} odd fields, {MESSAGES} damaged messages")
