#!/usr/bin/env python3
"""in_chromium.py [FILE]: the web page in Chromium, in place of the program, for the scripts of tests/gui. The page is
in $TESSERA_PAGE. FILE is opened; downloads come beside it, else into this folder, archives unpacked; the browser's
profile is beside $TESSERA_STATE, so removing the state removes it; the state of the window goes to $TESSERA_STATE_DUMP.
Ends when the window is closed."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from serve import Server  # noqa: E402

FLAGS = ["--no-sandbox", "--disable-dev-shm-usage", "--no-first-run", "--no-default-browser-check",
         "--disable-sync", "--disable-extensions",
         "--disable-background-networking", "--disable-component-update", "--disable-domain-reliability",
         "--disable-features=Translate,MediaRouter,OptimizationHints,DownloadBubble", "--password-store=basic",
         "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--force-device-scale-factor=1",
         "--metrics-recording-only", "--log-level=3"]


def take(downloads, folder):
    """Moves finished downloads into the folder, over files of their names, and unpacks archives there."""
    for path in downloads.iterdir():
        if path.suffix == ".crdownload" or path.name.startswith("."):
            continue
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                archive.extractall(folder)
            path.unlink()
        else:
            os.replace(path, folder / path.name)


def end(process):
    """Ends all processes of the browser, so that its profile can be removed."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def main():
    page = os.environ["TESSERA_PAGE"]
    file = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None
    folder = file.parent if file else pathlib.Path.cwd()
    server = Server(page, given=folder, dump=os.environ.get("TESSERA_STATE_DUMP"))
    profile = pathlib.Path(os.environ["TESSERA_STATE"]).with_suffix(".chromium")
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
                                "--window-position=0,0", "--kiosk", f"--app={url}"], start_new_session=True)

    def stop(*_):
        process.terminate()
        try:
            process.wait(timeout=20)
        finally:
            end(process)
            process.wait()
        sys.exit(143)

    signal.signal(signal.SIGTERM, stop)
    while process.poll() is None:
        time.sleep(0.05)
        take(downloads, folder)
    take(downloads, folder)
    end(process)
    sys.exit(process.returncode)


main()
