"""A server for the tests: the page's folder, the files of one more folder below /given/, and the state of the window,
which the page posts to /dump.

    server = Server(page, given=folder, dump=path)      # on a free port of the loopback address
    server.url                                           # http://127.0.0.1:40001
"""
import functools
import http.server
import os
import pathlib
import threading
import urllib.parse


class Handler(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm"}

    def __init__(self, *args, given=None, dump=None, **more):
        self.given, self.dump = given, dump
        super().__init__(*args, **more)

    def translate_path(self, path):
        path = urllib.parse.unquote(urllib.parse.urlsplit(path).path)
        if self.given and path.startswith("/given/"):
            return str(pathlib.Path(self.given) / pathlib.PurePosixPath(path).name)
        return super().translate_path(path)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.dump and self.path == "/dump":
            fresh = f"{self.dump}.{threading.get_ident()}"
            pathlib.Path(fresh).write_bytes(body)
            os.replace(fresh, self.dump)
        self.send_response(204)
        self.end_headers()

    def end_headers(self):
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, *_):
        pass


class Server:
    def __init__(self, page, given=None, dump=None):
        handler = functools.partial(Handler, directory=str(page), given=given, dump=dump)
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
