"""A client of chromedriver (the W3C WebDriver protocol), with what the tests need.

    with Browser(downloads) as browser:
        browser.open(url)
        browser.run("return document.title")
"""
import base64
import json
import pathlib
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request

FLAGS = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--use-gl=angle", "--use-angle=swiftshader",
         "--enable-unsafe-swiftshader", "--disable-background-timer-throttling",
         "--disable-background-networking", "--disable-component-update", "--window-size=1400,900"]


class Browser:
    def __init__(self, downloads, flags=()):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.driver = subprocess.Popen([shutil.which("chromedriver"), f"--port={port}"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
        self.base = f"http://127.0.0.1:{port}"
        for _ in range(600):
            try:
                urllib.request.urlopen(self.base + "/status", timeout=10)
                break
            except OSError:
                time.sleep(0.1)
        options = {"args": [*FLAGS, *flags], "prefs": {"download.default_directory": str(downloads)}}
        answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}})
        self.base += "/session/" + answer["sessionId"]
        self.call("POST", "/timeouts", {"script": 120_000, "pageLoad": 120_000})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("DELETE", "", {})
        finally:
            self.driver.terminate()
            self.driver.wait()

    def call(self, method, path, body=None):
        data = None if method == "GET" else json.dumps(body or {}).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=180) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def open(self, url):
        self.call("POST", "/url", {"url": url})

    def run(self, script, *args):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(args)})

    def run_async(self, script, *args):
        """The script calls the last of its arguments with the result."""
        return self.call("POST", "/execute/async", {"script": script, "args": list(args)})

    def log(self):
        return [line["message"] for line in self.call("POST", "/se/log", {"type": "browser"})]

    def shot(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.call("GET", "/screenshot")))

    def tabs(self):
        return self.call("GET", "/window/handles")

    def new_tab(self):
        self.to_tab(self.call("POST", "/window/new", {"type": "tab"})["handle"])

    def to_tab(self, handle):
        self.call("POST", "/window", {"handle": handle})

    def permit(self, what, state):
        """Answers in the user's place when the page asks for it: "clipboard-read", "granted" or "denied"."""
        self.call("POST", "/permissions", {"descriptor": {"name": what}, "state": state})

    def act(self, *sources):
        self.call("POST", "/actions", {"actions": list(sources)})

    def click(self, x, y):
        self.act({"type": "pointer", "id": "mouse", "actions": [
            {"type": "pointerMove", "x": int(x), "y": int(y)}, {"type": "pause", "duration": 60},
            {"type": "pointerDown", "button": 0}, {"type": "pause", "duration": 60},
            {"type": "pointerUp", "button": 0}, {"type": "pause", "duration": 60}]})

    def keys(self, *keys):
        """Each a character, or several held together: ("Control", "k")."""
        names = {"Control": "\ue009", "Shift": "\ue008", "Alt": "\ue00a", "Enter": "\ue007", "Escape": "\ue00c",
                 "End": "\ue010", "Home": "\ue011", "F11": "\ue03b", "F1": "\ue031"}
        actions = []
        for chord in keys:
            chord = [chord] if isinstance(chord, str) else chord
            values = [names.get(key, key) for key in chord]
            actions += [{"type": "keyDown", "value": v} for v in values]
            actions += [{"type": "keyUp", "value": v} for v in reversed(values)]
            actions.append({"type": "pause", "duration": 15})
        self.act({"type": "key", "id": "keys", "actions": actions})
