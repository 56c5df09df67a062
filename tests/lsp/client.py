"""A client of the Language Server Protocol for tests: it drives `tessera lsp` over its standard input and output.

    with Client(tessera) as server:
        server.open("file:///t.tess", "A = (4,8):(8,1)")
        server.complete("file:///t.tess")                      # the diagnostics, once everything is answered
        server.ask("textDocument/hover", ...)                  # the result, or Failed

Nothing depends on the clock: LIMIT only ends a test that hangs.
"""
import json, os, queue, re, subprocess, threading

LIMIT = 300  # seconds
# A run statement reports the machine's CUDA: here it has none.
ALONE = os.environ | {"TESSERA_LIBCUDA": "/nowhere/libcuda.so", "TESSERA_LIBNVRTC": "/nowhere/libnvrtc.so"}
CAPABILITIES = {"textDocument": {"hover": {"contentFormat": ["markdown", "plaintext"]}}}


class Failed(Exception):
    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]


def framed(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


class Client:
    def __init__(self, tessera, initialize=True, encodings=None):
        self.process = subprocess.Popen([tessera, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ALONE)
        self.messages = queue.Queue()
        self.answers, self.published, self.states, self.others = {}, {}, {}, []
        self.number = 0
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        if initialize:
            capabilities = dict(CAPABILITIES, general={"positionEncodings": encodings or ["utf-16"]})
            self.hello = self.ask("initialize", {"capabilities": capabilities, "initializationOptions": {"status": True}})
            self.tell("initialized", {})

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.ask("shutdown")
            self.tell("exit")
            code = self.process.wait(LIMIT)
            assert code == 0, f"exit code {code}"
        else:
            self.process.kill()

    def _read(self):
        out = self.process.stdout
        while True:
            length = None
            while line := out.readline().strip():
                name, value = line.split(b":")
                assert name == b"Content-Length", line
                length = int(value)
            if length is None:
                break
            self.messages.put(json.loads(out.read(length)))
        self.messages.put(None)

    def raw(self, data: bytes):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        self.raw(framed(json.dumps(message).encode()))

    def tell(self, method, params=None):
        self.send({"jsonrpc": "2.0", "method": method} | ({} if params is None else {"params": params}))

    def begin(self, method, params=None):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method} | ({} if params is None else {"params": params}))
        return self.number

    def take(self):
        """Takes one message of the server, and files it."""
        message = self.messages.get(timeout=LIMIT)
        assert message is not None, f"the server ended, with {self.process.wait(LIMIT)}"
        if "method" not in message:
            assert message["id"] not in self.answers, f"two answers: {message}"
            if message["id"] is None:
                self.others.append(message)
            else:
                self.answers[message["id"]] = message
        elif message["method"] == "textDocument/publishDiagnostics":
            self.published[message["params"]["uri"]] = message["params"]
        elif message["method"] == "$/tessera/status":
            self.states[message["params"]["uri"]] = message["params"]
        else:
            self.others.append(message)

    def answer(self, number):
        while number not in self.answers:
            self.take()
        message = self.answers.pop(number)
        if "error" in message:
            raise Failed(message["error"])
        return message["result"]

    def ask(self, method, params=None):
        return self.answer(self.begin(method, params))

    def about(self, feature, uri, line=None, character=None, **more):
        params = {"textDocument": {"uri": uri}} | more
        if line is not None:
            params["position"] = {"line": line, "character": character}
        return self.ask("textDocument/" + feature, params)

    def open(self, uri, text, version=1, language=None):
        self.states.pop(uri, None)
        item = {"uri": uri, "languageId": language or uri.rsplit(".")[-1], "version": version, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": item})

    def change(self, uri, version, *changes):
        self.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": list(changes)})

    def close(self, uri):
        self.tell("textDocument/didClose", {"textDocument": {"uri": uri}})

    def complete(self, uri, version=1):
        """Waits until every statement of that version is answered; returns the diagnostics."""
        while not ((state := self.states.get(uri)) and state["version"] == version and state["complete"]):
            self.take()
        assert self.published[uri]["version"] == version
        return self.published[uri]["diagnostics"]


class Places:
    """Lines and characters of a text by plain loops: `units` of each character, 1 or 2 in UTF-16, its bytes in UTF-8."""

    def __init__(self, text, units=lambda c: 2 if ord(c) > 0xFFFF else 1):
        self.text, self.units = text, units
        self.starts = [0] + [m.end() for m in re.finditer("\r\n|\n|\r", text)]

    def place(self, at):
        """Of a character index."""
        line = max(k for k, start in enumerate(self.starts) if start <= at)
        return {"line": line, "character": sum(map(self.units, self.text[self.starts[line]:at].rstrip("\r\n")))}

    def of_byte(self, byte):
        return self.place(len(self.text.encode()[:byte].decode(errors="ignore")))

    def range(self, begin, end):
        return {"start": self.place(begin), "end": self.place(end)}

    def index(self, place):
        at = self.starts[place["line"]]
        left = place["character"]
        while left > 0:
            left -= self.units(self.text[at])
            at += 1
        return at
