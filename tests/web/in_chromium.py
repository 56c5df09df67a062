#!/usr/bin/env python3
"""in_chromium.py [FILE]: the web page in Chromium, in place of the program, for the scripts of tests/gui. The page is
in $TESSERA_PAGE. FILE is opened; its downloads come beside it; the state of the window goes to $TESSERA_STATE_DUMP. Ends
when the window is closed."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from serve import Server  # noqa: E402

FLAGS = ["--no-sandbox", "--disable-dev-shm-usage", "--no-first-run", "--no-default-browser-check",
         "--disable-sync", "--disable-extensions",
         "--disable-background-networking", "--disable-component-update", "--disable-domain-reliability",
         "--disable-features=Translate,MediaRouter,OptimizationHints,DownloadBubble", "--password-store=basic",
         "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--force-device-scale-factor=1",
         "--metrics-recording-only"]


def take(downloads, folder):
    """Moves finished downloads into the folder, over files of their names."""
    for path in downloads.iterdir():
        if path.suffix != ".crdownload" and not path.name.startswith("."):
            os.replace(path, folder / path.name)


def main():
    page = os.environ["TESSERA_PAGE"]
    file = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None
    folder = file.parent if file else pathlib.Path.cwd()
    server = Server(page, given=folder, dump=os.environ.get("TESSERA_STATE_DUMP"))
    profile = pathlib.Path(os.environ.get("HOME", "/tmp")) / "chromium"
    downloads = profile / "downloads"
    downloads.mkdir(parents=True, exist_ok=True)
    preferences = profile / "Default" / "Preferences"
    preferences.parent.mkdir(parents=True, exist_ok=True)
    if not preferences.exists():
        preferences.write_text(json.dumps({
            "download": {"default_directory": str(downloads), "prompt_for_download": False},
            "profile": {"content_settings": {"exceptions": {"clipboard": {}}}}}))
    url = f"{server.url}/?dump=/dump" + (f"&file=/given/{file.name}" if file else "")
    chromium = shutil.which("chromium") or "chromium"
    size = os.environ.get("TESSERA_SCREEN", "1400x900").replace("x", ",")
    process = subprocess.Popen([chromium, *FLAGS, f"--user-data-dir={profile}", f"--window-size={size}",
                                "--window-position=0,0", "--kiosk", f"--app={url}"])
    signal.signal(signal.SIGTERM, lambda *_: (process.terminate(), process.wait(), sys.exit(143)))
    while process.poll() is None:
        time.sleep(0.05)
        take(downloads, folder)
    take(downloads, folder)
    sys.exit(process.returncode)


main()
