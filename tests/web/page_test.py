#!/usr/bin/env python3
"""page_test.py PAGE TESSERA [NAME ...]: the web page (a folder) in headless Chromium, against the native program. Exit
code 77: Chromium or its driver is not installed."""
import base64
import gzip
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))
from serve import Server  # noqa: E402
from webdriver import Browser  # noqa: E402

PAGE, TESSERA, ONLY = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3:]
LIMIT = 90  # seconds; a hundred times what a machine needs
LESSON = '''// # A tile
S = (8,8):(8,1)
task "make it injective twice": conflict_free(S, ldmatrix.x1, fp16) {
  hint "swizzle it"
  answer S = Sw<3,0,3> o (8,8):(8,1)
}
'''


def packed(text):
    squeezed = zlib.compressobj(9, zlib.DEFLATED, -15)
    return base64.urlsafe_b64encode(squeezed.compress(text.encode()) + squeezed.flush()).decode().rstrip("=")


def link(kind, *texts):
    return f"#{kind}=" + ".".join(map(packed, texts))


class Page:
    """A tab with the page."""

    def __init__(self, browser, server):
        self.browser, self.server = browser, server

    def open(self, fragment="", blank=True):
        if blank:  # another fragment alone would not load the page again
            self.browser.open("about:blank")
        self.browser.open(f"{self.server.url}/?dump=/dump{fragment}")

    def state(self):
        text = self.browser.run("""
            try { return new TextDecoder().decode(Module.FS.readFile('/dump.json')); } catch (_) { return null; }""")
        return json.loads(text) if text else None

    def until(self, what, condition):
        start = time.monotonic()
        while time.monotonic() - start < LIMIT:
            now = self.state()
            if now and condition(now["session"], now["places"]):
                return now
            time.sleep(0.02)
        self.browser.shot("/tmp/web/page_test.png")
        raise AssertionError(f"{what}: {json.dumps(now)[:3000]} {self.browser.log()}")

    def answered(self):
        return self.until("everything is answered", lambda s, p: s["outcomes"] and not s["evaluating"])["session"]

    def kept(self, words):
        """Waits until a sheet in the browser's database has the words."""
        start = time.monotonic()
        while time.monotonic() - start < LIMIT:
            if self.browser.run_async("""
                const [words, done] = arguments;
                indexedDB.open("tessera", 1).onsuccess = (opened) => {
                  const db = opened.target.result;
                  db.transaction("files").objectStore("files").getAll().onsuccess = (all) => {
                    db.close();
                    done(all.target.result.some((file) => new TextDecoder().decode(file.bytes).includes(words)));
                  };
                };""", words):
                return
            time.sleep(0.02)
        raise AssertionError(f"{words} is not in the database")

    def click(self, name):
        x, y, w, h = self.until(f"{name} is there", lambda s, p: name in p)["places"][name]
        self.browser.click(x + w / 2, y + h / 2)

    def command(self, title):
        """Runs a command by the search of commands."""
        self.browser.keys(("Control", "k"))
        self.until("the search is open", lambda s, p: "search.field" in p)
        self.browser.keys(*title, "Enter")

    def message(self, words):
        return self.until(f"the message has {words!r}", lambda s, p: words in (s["message"] or ""))


def native(text):
    """What the program says about a sheet: the verdict or the error of each statement that has one."""
    with tempfile.NamedTemporaryFile("w", suffix=".tess") as file:
        file.write(text)
        file.flush()
        ran = subprocess.run([TESSERA, "check", "--json", file.name], capture_output=True, text=True, timeout=600)
    return [json.loads(line) for line in ran.stdout.splitlines()]


def all_is_well(page):
    bad = [line for line in page.browser.log() if not any(w in line for w in ("favicon", "[.WebGL", "GPU stall"))]
    assert not bad, bad
    foreign = page.browser.run("""
        return performance.getEntriesByType('resource').map((e) => e.name)
          .filter((name) => !name.startsWith(location.origin));""")
    assert not foreign, foreign


def a_link_opens_with_its_picture_and_verdict(page):
    page.open(link("sheet1", "S = Sw<3,3,3> o (64,64):(64,1)\nshow S as banks fp16 ldmatrix.x4\n"
                             "prove conflict_free(S, ldmatrix.x4, fp16)\nprove injective((4,4):(1,2))\n"))
    outcomes = page.answered()["outcomes"]
    assert any(o.get("figure") for o in outcomes), outcomes
    assert [o["verdict"] for o in outcomes if o.get("verdict")] == ["proved", "refuted"], outcomes
    all_is_well(page)


def old_links_keep_their_meaning(page):
    # Made on 2026-11-29. Never change these.
    page.open("#sheet1=c1SwVdAw0bHQtNKw0DHU5CrOyC9XcFRILFZIL8pM4QIA")
    assert page.answered()["text"] == "A = (4,8):(8,1)\nshow A as grid\n"
    all_is_well(page)


def damaged_links_say_so(page):
    whole = link("sheet1", "show (8,8):(8,1) as grid\n" * 3)
    for fragment, words in [(whole[:-7], "damaged or incomplete"), ("#sheet1=!!", "damaged or incomplete"),
                            ("#sheet2=abc", "newer Tessera"), ("#answer1=" + packed("x"), "incomplete"),
                            ("#sheet1=" + packed("x" * (5 << 20)), "damaged or incomplete")]:
        page.open(fragment)
        page.message(words)
    page.browser.log()


def links_hold_any_text(page):
    random.seed(20261129)
    page.open()
    page.answered()
    for _ in range(40):
        text = "".join(random.choice(["a", "\n", "é", "→", "中", "\U0001d538", "\x01", " ", "<", "=", "."]) for _ in
                       range(random.randrange(300)))
        kind = random.choice(["sheet1", "task1", "answer1"])
        texts = [text, text[::-1]] if kind == "answer1" else [text]
        back = page.browser.run_async("""
            const [kind, texts, done] = arguments;
            tesseraLink.made(kind, texts).then(tesseraLink.opened).then(done, (e) => done(String(e)));""", kind, texts)
        assert back == {"kind": kind, "texts": texts}, (text, back)
        here = page.browser.run_async("""
            const [fragment, done] = arguments;
            tesseraLink.opened(fragment).then(done, (e) => done(String(e)));""", link(kind, *texts))
        assert here == back, (text, here)


def every_lesson_answers_as_the_program_does(page):
    differs = []
    for path in sorted((ROOT / "assets" / "gallery").rglob("*.tess")):
        text = path.read_text()
        page.open(link("sheet1", text), blank=False)
        now = page.until(path.name, lambda s, p: s["text"] == text and s["outcomes"] and not s["evaluating"])

        def problem(o):
            return "Z3" if "Z3" in o.get("error", "") else "error" if o.get("error") else None

        mine = [(o["line"], o.get("verdict") or problem(o)) for o in now["session"]["outcomes"]]
        theirs = [(o["line"], o.get("verdict") or (None if o["ok"] else "error")) for o in native(text) if "line" in o]
        mine = [x for x in mine if x[1]]
        theirs = [x for x in theirs if x[1]]
        if mine != theirs:
            differs.append((path.name, [x for x in mine if x not in theirs], [x for x in theirs if x not in mine]))
    for name, here, there in differs:
        print("  the page lacks Z3:", name, here, there)
        assert all(verdict in ("unknown", "Z3") for _, verdict in here), (name, here, there)
    assert len(differs) <= 3, differs
    all_is_well(page)


def typed_text_outlives_the_tab(page):
    page.open(link("sheet1", "A = (4,8):(8,1)\n"))
    page.answered()
    page.click("editor")
    page.browser.keys(("Control", "End"), *"show A as grid")
    page.kept("show A as grid")
    page.open()
    text = page.answered()["text"]
    assert text == "A = (4,8):(8,1)\nshow A as grid", text
    # Another tab neither takes nor damages it.
    first = page.browser.tabs()[0]
    page.browser.new_tab()
    page.open(link("sheet1", "B = (2,2):(2,1)\n"))
    page.until("the other sheet", lambda s, p: s["text"] == "B = (2,2):(2,1)\n")
    page.click("editor")
    page.browser.keys(("Control", "End"), *"// b")
    page.kept("// b")
    own = page.browser.run("return sessionStorage.getItem('tessera sheet')")
    second = [t for t in page.browser.tabs() if t != first][0]
    page.browser.to_tab(first)
    page.browser.keys(*"x")
    page.kept("as gridx")
    # A reload waits for a lock that is released late: here by the first tab, which is next in the queue and keeps the
    # lock until the reloaded page asks for it.
    page.browser.run("""
        const name = `tessera sheet ${arguments[0]}`;
        navigator.locks.request(name, async () => {
          while (!(await navigator.locks.query()).pending.some((lock) => lock.name === name))
            await new Promise((later) => setTimeout(later, 20));
        });""", own)
    page.browser.to_tab(second)
    page.browser.call("POST", "/refresh")
    text = page.answered()["text"]
    assert text.endswith("// b"), text
    page.browser.to_tab(first)
    page.browser.call("DELETE", "/window")
    page.browser.to_tab(second)
    page.browser.call("POST", "/refresh")
    text = page.answered()["text"]
    assert text.endswith("// b"), text
    page.command("recovered")
    page.until("the first tab's sheet is there", lambda s, p: any(n.startswith("recovered.") for n in p))
    all_is_well(page)


def a_link_replaces_unsaved_text_and_keeps_it(page):
    page.open(link("sheet1", "A = (4,8):(8,1)\n"))
    page.answered()
    page.click("editor")
    page.browser.keys(("Control", "End"), *"// mine")
    page.kept("// mine")
    page.open(link("sheet1", "show (2,2):(2,1) as grid\n"))
    page.until("the link is open", lambda s, p: s["text"] == "show (2,2):(2,1) as grid\n")
    page.message("Recovered sheets")
    page.command("recovered")
    page.until("it is there", lambda s, p: any(n.startswith("recovered.") for n in p))
    all_is_well(page)


def a_lesson_by_link_is_checked_again(page):
    page.open(link("task1", LESSON))
    page.until("the lesson", lambda s, p: "task" in s["text"])
    now = page.answered()
    assert "hint" not in now["text"] and "answer" not in now["text"], now["text"]
    page.command("copy a link with my answer")
    page.message("copied a link")
    mine = page.browser.run("return document.documentElement.dataset.link")
    page.browser.open("about:blank")
    page.browser.open(mine.replace("/?dump", "/?dump"))
    page.message("proved again")
    solved = now["text"].replace("S = (8,8):(8,1)", "S = Sw<3,0,3> o (8,8):(8,1)")
    page.open(link("answer1", LESSON, solved))
    page.message("proved again")
    page.open(link("answer1", LESSON, "S = (8,8):(8,1)\ntask \"make it injective twice\": injective(S)\n"))
    page.message("claims something else")
    all_is_well(page)


def arrived(downloads, pattern):
    start = time.monotonic()
    while not (found := list(downloads.glob(pattern))) and time.monotonic() - start < LIMIT:
        time.sleep(0.05)
    assert len(found) == 1, (pattern, found)
    return found[0]


def files_come_by_drag_and_go_by_download(page, downloads):
    page.open()
    page.answered()
    page.browser.run("""
        const data = new DataTransfer();
        data.items.add(new File(['show (4,8):(8,1) as grid\\n'], 'dropped.tess'));
        window.dispatchEvent(new DragEvent('drop', {dataTransfer: data, cancelable: true}));""")
    page.until("the file is open", lambda s, p: s["text"] == "show (4,8):(8,1) as grid\n")
    page.answered()
    assert not list(downloads.iterdir()), "a dropped file comes back"
    page.browser.keys(("Control", "e"))
    page.until("the export dialog", lambda s, p: "dialog.path" in p)
    page.browser.keys(("Control", "a"), *"picture.svg", "Enter")
    text = arrived(downloads, "picture.svg").read_text()
    assert text.startswith("<?xml") or text.startswith("<svg"), text[:100]
    all_is_well(page)


def questions_for_another_solver_come_by_download(page, downloads):
    page.open(link("sheet1", "prove injective((3,5):(5,1)) by z3\nprove injective((4,2):(1,2)) by z3\n"))
    said = [o.get("verdict") for o in page.answered()["outcomes"]]
    assert said == ["unknown", "unknown"], said
    page.click("claims.smt2")
    page.until("the export dialog", lambda s, p: "dialog.path" in p)
    page.browser.keys("Enter")
    text = arrived(downloads, "claims.smt2").read_text()
    assert text.count("(check-sat)\n") == 4 and text.count("(reset)\n") == 3, text
    assert "; line 1, injective_1.smt2\n; injective((3,5):(5,1))\n" in text, text
    if shutil.which("cvc5"):  # the difference and two copies, of each claim
        ran = subprocess.run(["cvc5", downloads / "claims.smt2"], capture_output=True, text=True, timeout=60)
        assert ran.stdout.split() == ["unsat", "unsat", "sat", "sat"], ran.stdout + ran.stderr
    all_is_well(page)


def folders_go_by_download_as_archives(page, downloads):
    page.open(link("sheet1", "show (4,8):(8,1) as grid\nshow (8,4):(1,8) as grid\n"))
    page.answered()
    page.command("export report")
    page.until("the dialog", lambda s, p: "dialog.path" in p)
    page.browser.keys(("Control", "a"), *"sheet.md", "Enter")
    page.message("downloaded sheet.zip with 3 files")
    with zipfile.ZipFile(arrived(downloads, "*.zip")) as archive:
        assert archive.testzip() is None
        text = archive.read("sheet.md").decode()
        names = [name for name in archive.namelist() if name != "sheet.md"]
        assert len(names) == 2 and all(f"({name})" in text for name in names), (names, text)
        assert all(archive.read(name).startswith((b"<?xml", b"<svg")) for name in names)
    all_is_well(page)


def a_menu_pastes_what_other_programs_copied(page):
    def copied_elsewhere(text):
        done = page.browser.run_async("""
            const [text, done] = arguments;
            navigator.clipboard.writeText(text).then(() => done("done"), (error) => done(String(error)));""", text)
        assert done == "done", done

    page.open(link("sheet1", "// here\n"))
    page.until("it is open", lambda s, p: s["text"] == "// here\n")
    page.browser.permit("clipboard-read", "granted")
    copied_elsewhere("A = (4,8):(8,1)")
    page.click("editor")
    page.browser.keys(("Control", "End"))
    page.click("menu.Edit")
    page.click("command.edit.paste")
    page.until("the menu pastes", lambda s, p: s["text"] == "// here\nA = (4,8):(8,1)")
    page.browser.keys("a")  # Ctrl is not held
    page.until("typed", lambda s, p: s["text"] == "// here\nA = (4,8):(8,1)a")
    page.open(link("sheet1", "// there\n"))
    page.until("it is open", lambda s, p: s["text"] == "// there\n")
    copied_elsewhere("__shared__ float tile[32][33];")
    page.click("tab.gallery")
    page.click("start.paste")
    page.until("the start page pastes", lambda s, p: "show" in s["text"] and "tile" in s["text"])
    page.browser.permit("clipboard-read", "denied")
    page.click("menu.Edit")
    page.click("command.edit.paste")
    page.message("only when you press the keys")
    all_is_well(page)


def a_file_of_the_computer_is_chosen(page):
    page.open()
    page.answered()
    page.browser.run("""
        HTMLInputElement.prototype.click = function () {  // the user's choice in the browser's dialog
          const data = new DataTransfer();
          data.items.add(new File(['show (2,8):(8,1) as grid\\n'], 'chosen.tess'));
          this.files = data.files;
          this.dispatchEvent(new Event('change'));
        };""")
    page.click("menu.File")
    page.click("command.file.computer")
    page.until("the file is open", lambda s, p: s["text"] == "show (2,8):(8,1) as grid\n")
    # The page's own folders are not the user's.
    page.browser.keys(("Control", "o"))
    now = page.until("the dialog", lambda s, p: "dialog.entry.chosen.tess" in p)
    assert "dialog.entry..." not in now["places"], now["places"]
    page.browser.keys("Escape")
    all_is_well(page)


def hostile_sheets_do_no_harm(page):
    for text in ["show " + "(" * 100_000, "A = " + "(" * 3000 + "1" + ")" * 3000, "[" * 50_000,
                 "// " + "x" * 1_000_000, "show (1048576,1048576):(1048576,1) as grid\n", "\0\n\x7f\n",
                 "prove injective(" + "o".join(["(4,4):(1,4)"] * 3000) + ")\n"]:
        page.open(link("sheet1", text), blank=False)
        page.until("answered", lambda s, p: s["text"] == text and not s["evaluating"])
    page.browser.log()


def is_small(page):
    """At most 4 MB gzipped; 5.6 MB where ./test full saved the linker's optimisations, which make them 3.98."""
    cache = (PAGE.parent / "CMakeCache.txt").read_text()
    size = sum(len(gzip.compress(path.read_bytes(), 9)) for path in PAGE.iterdir() if path.is_file())
    print(f"  {size} bytes gzipped")
    assert size <= (4_000_000 if "TESSERA_WEB_LINK:STRING=-O2" in cache else 5_600_000), size


def starts_soon(page):
    """Prints the time to the first picture; a measurement, not a test of the clock."""
    times = []
    for _ in range(3):
        page.browser.open("about:blank")
        start = time.monotonic()
        page.open(link("sheet1", "show Sw<3,3,3> o (64,64):(64,1) as grid\n"), blank=False)
        page.until("a picture", lambda s, p: any(o.get("figure") for o in s["outcomes"]))
        times.append(round(time.monotonic() - start, 2))
    print(f"  first picture after {sorted(times)} s")


def main():
    if not shutil.which("chromium") or not shutil.which("chromedriver"):
        print("SKIPPED: Chromium or its driver is not installed (tools/packages browser)")
        sys.exit(77)
    if not (PAGE / "tessera.wasm").exists():
        print("SKIPPED: the page is not built (./web build)")
        sys.exit(77)
    downloads = pathlib.Path(tempfile.mkdtemp())
    tests = [a_link_opens_with_its_picture_and_verdict, old_links_keep_their_meaning, damaged_links_say_so,
             links_hold_any_text, typed_text_outlives_the_tab,
             a_link_replaces_unsaved_text_and_keeps_it, a_lesson_by_link_is_checked_again,
             files_come_by_drag_and_go_by_download, questions_for_another_solver_come_by_download,
             folders_go_by_download_as_archives, a_menu_pastes_what_other_programs_copied,
             a_file_of_the_computer_is_chosen, hostile_sheets_do_no_harm, every_lesson_answers_as_the_program_does,
             is_small, starts_soon]
    server = Server(PAGE)
    failed = 0
    for test in tests:
        if ONLY and not any(word in test.__name__ for word in ONLY):
            continue
        with Browser(downloads) as browser:
            arguments = [Page(browser, server)] + ([downloads] if "download" in test.__name__ else [])
            try:
                test(*arguments)
                print("ok:", test.__name__.replace("_", " "), flush=True)
            except Exception as error:  # noqa: BLE001
                failed += 1
                print("FAILED:", test.__name__, type(error).__name__, error, flush=True)
    shutil.rmtree(downloads)
    sys.exit(1 if failed else 0)


main()
