"""The window that a script drives: keys and mouse through xdotool, and its state as the program writes it."""
import json
import pathlib
import subprocess
import sys
import time

LIMIT = 40  # seconds; a hundred times the usual time


def xdotool(*words):
    subprocess.run(["xdotool", *map(str, words)], check=True, timeout=60)


def state(dump):
    for _ in range(1000):
        try:
            return json.loads(pathlib.Path(dump).read_text())
        except (ValueError, OSError):
            time.sleep(0.005)
    sys.exit("FAILED: the state of the window cannot be read")
