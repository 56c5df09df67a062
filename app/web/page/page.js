// The page around the window: events to the program (app/web/page.cpp), its clipboard, files, links and storage.
"use strict";

const tesseraPage = (() => {
  const STATE = "/state", FILES = "/files";
  const canvas = document.getElementById("canvas"), keys = document.getElementById("keys");
  const card = document.getElementById("card"), words = document.getElementById("words");
  const progress = document.getElementById("progress"), buttons = document.getElementById("buttons");
  const query = new URLSearchParams(location.search);
  const started = performance.now();
  let M = null;  // the module, once it runs
  let frame = 0, timer = 0, stopped = false;

  // --- messages in place of the window -----------------------------------------------------------------------------
  function say(text, choices) {
    card.hidden = false;
    progress.hidden = true;
    words.textContent = text;
    buttons.replaceChildren(...(choices || []).map(([label, act]) => {
      const b = document.createElement("button");
      b.textContent = label;
      b.onclick = act;
      return b;
    }));
  }
  function fail(error) {
    if (stopped) return;
    stopped = true;
    console.error(error);
    try {
      save();
    } catch (_) { /* the state is what it is */ }
    say(`Tessera stopped: ${(error && error.message) || error}. Your sheets are kept in this browser.`, [
      ["Open the last sheet again", () => location.reload()],
      ["Open an empty sheet", () => { location.hash = "empty"; location.reload(); }],
    ]);
  }
  // Calls the program with texts and numbers. A text becomes its bytes and their number.
  function call(name, ...values) {
    const texts = [];
    const passed = values.flatMap((value) => {
      if (typeof value === "number") return [value];
      const bytes = new TextEncoder().encode(value);
      const at = M._malloc(Math.max(bytes.length, 1));
      M.HEAPU8.set(bytes, at);
      texts.push(at);
      return [at, bytes.length];
    });
    try {
      M[`_${name}`](...passed);
    } finally {
      texts.forEach((at) => M._free(at));
    }
    soon();
  }
  const text = (at, bytes) => new TextDecoder("utf-8", {ignoreBOM: true}).decode(Module.HEAPU8.slice(at, at + bytes));
  const tell = (words, problem) => call("tessera_tell", words, problem ? 1 : 0);

  // --- frames ------------------------------------------------------------------------------------------------------
  function soon() {
    if (frame || stopped || !M) return;
    clearTimeout(timer);
    frame = requestAnimationFrame(tick);
  }
  function tick() {
    frame = 0;
    let wait = 1000;
    try {
      wait = M._tessera_frame(performance.now());
    } catch (error) {
      return fail(error);
    }
    if (wait < 20) soon();
    else timer = setTimeout(soon, wait);
    afterFrame();
  }
  let saved = 0, dumped = "";
  function afterFrame() {
    if (!card.hidden && !stopped) {
      card.hidden = true;
      document.documentElement.dataset.ready = Math.round(performance.now() - started);
    }
    const now = performance.now();
    if (now - saved < 400) return dump();
    saved = now;
    save();
    offerFiles();
    dump();
  }

  // --- storage and files -------------------------------------------------------------------------------------------
  let warned = false;
  function save() {
    if (!M) return;
    const sheet = M.UTF8ToString(M._tessera_sheet());
    keepLesson(sheet);
    tesseraStorage.save(M.FS, STATE, sheet).catch((error) => {
      if (!warned) tell(`this browser does not keep the sheet (${error?.message ?? error}); save it as a file`, true);
      warned = true;
    });
  }
  // The lesson that the sheet answers, for a reload of this tab.
  function keepLesson(sheet) {
    const lesson = M.UTF8ToString(M._tessera_lesson());
    if (!sheet || !lesson) return;
    try {
      sessionStorage.setItem("tessera lesson", JSON.stringify([sheet, lesson]));
    } catch (_) { /* no storage: the link opens it again */ }
  }
  function restoreLesson() {
    const [sheet, lesson] = JSON.parse(sessionStorage.getItem("tessera lesson") ?? "[]");
    if (lesson && sheet === M.UTF8ToString(M._tessera_sheet())) call("tessera_keep_lesson", lesson);
  }
  const offered = new Map();  // files of the window's folder: as they are on the user's side
  const stamp = (path) => {
    const s = M.FS.stat(path);
    return `${s.size} ${+s.mtime}`;
  };
  function offerFiles() {
    const names = M.FS.readdir(FILES).filter((name) => !name.startsWith(".") && !name.endsWith(".runs.json"));
    const isFolder = (name) => M.FS.isDir(M.FS.stat(`${FILES}/${name}`).mode);
    const folders = names.filter((name) => isFolder(name) && !filling.has(name) && filesIn(name).length > 0);
    const changed = names.filter((name) => !isFolder(name) && offered.get(`${FILES}/${name}`) !== stamp(`${FILES}/${name}`));
    for (const name of changed) offered.set(`${FILES}/${name}`, stamp(`${FILES}/${name}`));
    const orSay = (name, done) => done.catch((error) => tell(`${name} is not written (${error.message})`, true));
    for (const folder of folders) {
      // report.md, with its pictures in report_pictures: browsers ask before a second download.
      const beside = changed.find((name) => folder.startsWith(name.replace(/\.[^.]*$/, "_")));
      if (beside) changed.splice(changed.indexOf(beside), 1);
      orSay(`${folder}.zip`, offerFolder(folder, beside));
    }
    for (const name of changed) orSay(name, offerFile(name));
  }
  async function offerFile(name) {
    download(name, new Blob([await handedOut(name, M.FS.readFile(`${FILES}/${name}`))]));
  }
  // A folder comes as one archive when the window has written all of it; its pictures are drawn meanwhile. The empty
  // folder stays, so the next frames of a presentation get another.
  const filling = new Set();
  const filesIn = (folder) => M.FS.readdir(`${FILES}/${folder}`)
    .filter((name) => !name.startsWith(".") && M.FS.isFile(M.FS.stat(`${FILES}/${folder}/${name}`).mode)).sort();
  async function offerFolder(folder, beside) {
    const writes = () => M.UTF8ToString(M._tessera_writes()).split("/").pop() === folder;
    const files = [];
    let told = performance.now();
    filling.add(folder);
    try {
      if (beside) files.push([beside, await handedOut(beside, M.FS.readFile(`${FILES}/${beside}`))]);
      while (writes() || filesIn(folder).length > 0) {
        const [file, ...more] = filesIn(folder);
        if (file === undefined) {
          await new Promise((resolve) => setTimeout(resolve, 50));
          continue;
        }
        const path = `${FILES}/${folder}/${file}`, bytes = M.FS.readFile(path);
        M.FS.unlink(path);
        files.push([`${folder}/${file}`, await handedOut(file, bytes)]);
        if (writes() || performance.now() - told < 1000) continue;
        told = performance.now();
        tell(`${folder}: ${files.length} of ${files.length + more.length} files are ready`);
      }
      const name = `${beside ? beside.replace(/\.[^.]*$/, "") : folder}.zip`;
      download(name, tesseraZip.made(files));
      tell(`downloaded ${name} with ${files.length} ${files.length === 1 ? "file" : "files"}`);
    } finally {
      filling.delete(folder);
    }
  }
  // A PNG comes as the SVG to draw, below a comment with the pixels per point. An image sees no font of the page, so
  // the SVG gets them.
  let faces = null;
  async function drawn(text) {
    const scale = Number(/^<!-- png ([0-9.]+) -->/.exec(text)[1]);
    const base64 = (bytes) => new Promise((resolve) => {
      const reader = new FileReader();
      reader.onload = () => resolve(reader.result.split(",")[1]);
      reader.readAsDataURL(new Blob([bytes]));
    });
    faces ??= (await Promise.all(
      [["Inter-Regular.otf", "Inter", 400], ["Inter-Medium.otf", "Inter", 500],
       ["JetBrainsMono-Regular.ttf", "JetBrains Mono", 400], ["JetBrainsMono-Bold.ttf", "JetBrains Mono", 700]].map(
        async ([file, family, weight]) => `@font-face{font-family:"${family}";font-weight:${weight};` +
          `src:url(data:font/opentype;base64,${await base64(M.FS.readFile(`/fonts/${file}`))})}`))).join("");
    const svg = text.slice(text.indexOf("\n") + 1).replace(/<svg [^>]*>/, (tag) => `${tag}<style>${faces}</style>`);
    const image = new Image();
    image.src = `data:image/svg+xml;base64,${await base64(svg)}`;
    await image.decode();
    const MOST = 12000;
    const by = Math.min(scale, MOST / image.width, MOST / image.height);
    const paper = document.createElement("canvas");
    paper.width = Math.ceil(image.width * by);
    paper.height = Math.ceil(image.height * by);
    paper.getContext("2d", {willReadFrequently: true}).drawImage(image, 0, 0, paper.width, paper.height);
    // In a page that draws, Chromium's toBlob takes a second longer: it waits for idle time.
    if (paper.width * paper.height < 1 << 23) return (await fetch(paper.toDataURL("image/png"))).blob();
    return new Promise((resolve, reject) => {
      paper.toBlob((png) => (png ? resolve(png) : reject(new Error("no memory"))), "image/png");
    });
  }
  function copyPicture(text) {
    if (!navigator.clipboard?.write) return tell("this browser copies no pictures; export the picture as PNG", true);
    const item = new ClipboardItem({"image/png": drawn(text)});
    navigator.clipboard.write([item]).catch((error) => tell(`the picture is not copied (${error.message})`, true));
  }
  // The bytes of a file of the window, as the user gets them.
  async function handedOut(name, bytes) {
    if (!name.endsWith(".png")) return bytes;
    return new Uint8Array(await (await drawn(new TextDecoder().decode(bytes))).arrayBuffer());
  }
  function download(name, blob) {
    const a = document.createElement("a");
    a.href = URL.createObjectURL(blob);
    a.download = name;
    a.click();
    setTimeout(() => URL.revokeObjectURL(a.href), 60000);
  }
  async function drop(files) {
    for (const file of files) {
      if (file.size > (64 << 20)) {
        tell(`${file.name} is larger than 64 MiB; the command line reads it`, true);
        continue;
      }
      const path = `${FILES}/${file.name.replace(/[/\0]/g, "_").replace(/^\.+/, "")}`;
      M.FS.writeFile(path, new Uint8Array(await file.arrayBuffer()));
      offered.set(path, stamp(path));
      call("tessera_open", path);
    }
    soon();
  }
  // Tests on this machine (tests/web) read the state of the window, and give it a file.
  const tested = query.has("dump") && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(location.hostname);
  async function openGiven() {
    if (!tested || !query.has("file")) return;
    const answer = await fetch(query.get("file"));
    await drop([new File([await answer.arrayBuffer()], query.get("file").split("/").pop())]);
  }
  let posting = false;  // one at a time: a later state must not arrive first
  function dump() {
    if (!tested || posting) return;
    if (!M.FS.analyzePath("/dump.json").exists || stamp("/dump.json") === dumped) return;
    dumped = stamp("/dump.json");
    posting = true;
    fetch(query.get("dump"), {method: "POST", body: M.FS.readFile("/dump.json")}).catch(() => {}).then(() => {
      posting = false;
      dump();
    });
  }

  // --- links -------------------------------------------------------------------------------------------------------
  async function share(kind, texts) {
    const link = `${location.href.split("#")[0]}#${await tesseraLink.made(kind, texts)}`;
    copy(link);
    const long = link.length > 8000 ? `, ${link.length} characters: some programs cut links that long` : "";
    tell(`copied a link to this sheet${long}`);
    document.documentElement.dataset.link = link;
  }
  async function openLink() {
    const fragment = location.hash;
    if (fragment.length < 2) return;
    try {
      const link = await tesseraLink.opened(fragment);
      history.replaceState(null, "", location.pathname + location.search);  // a reload opens the kept sheet
      if (!link) return;
      call("tessera_open_link", link.kind, link.texts[0], link.texts[link.texts.length - 1]);
    } catch (error) {
      tell(error.message, true);
    }
  }

  // --- clipboard ---------------------------------------------------------------------------------------------------
  function copy(text) {
    const byHand = () => {
      keys.value = text;
      keys.select();
      const done = document.execCommand("copy");
      keys.value = "";
      if (!done) tell("this browser does not let the page copy", true);
    };
    if (navigator.clipboard?.writeText) navigator.clipboard.writeText(text).catch(byHand);
    else byHand();
  }

  // The text of the clipboard, as Ctrl+V, to what has the keyboard. held: Ctrl is down, and its release will come.
  function paste(text, held) {
    call("tessera_clipboard", text);
    for (const [key, down] of [[341, 1], [86, 1], [86, 0]]) M._tessera_key(key, down, 2);
    if (!held) M._tessera_key(341, 0, 0);
    soon();
  }
  // For a menu. The browser may ask the user first.
  function read() {
    const refused = () => tell("this browser lets the page read the clipboard only when you press the keys to paste", true);
    if (!navigator.clipboard?.readText) return refused();
    navigator.clipboard.readText().then((text) => {
      if (text) paste(text, false);
      else tell("the clipboard has no text");
    }, refused);
  }
  // A file of this computer, chosen in the browser's dialog.
  function choose() {
    const input = document.createElement("input");
    input.type = "file";
    input.onchange = () => void drop(input.files);
    input.click();
  }

  // --- input -------------------------------------------------------------------------------------------------------
  function type(text) {
    for (const c of text) {
      const code = c.codePointAt(0);
      if (code >= 32 && code !== 127) M._tessera_character(code);
    }
    soon();
  }
  function resize() {
    const scale = window.devicePixelRatio || 1;
    canvas.width = Math.max(1, Math.round(canvas.clientWidth * scale));
    canvas.height = Math.max(1, Math.round(canvas.clientHeight * scale));
    M._tessera_resize(canvas.width, canvas.height, scale);
    soon();
  }
  const at = (e) => {
    const r = canvas.getBoundingClientRect();
    return [(e.clientX - r.left) * canvas.width / r.width, (e.clientY - r.top) * canvas.height / r.height];
  };
  function listen() {
    const BUTTONS = [0, 2, 1];  // left, middle, right
    canvas.addEventListener("pointermove", (e) => { M._tessera_move(...at(e)); soon(); });
    canvas.addEventListener("pointerdown", (e) => {
      if (e.button > 2) return;
      canvas.setPointerCapture(e.pointerId);
      keys.focus({preventScroll: true});
      M._tessera_move(...at(e));
      M._tessera_button(BUTTONS[e.button], 1);
      soon();
      e.preventDefault();
    });
    for (const name of ["pointerup", "pointercancel"])
      canvas.addEventListener(name, (e) => {
        if (e.button <= 2) M._tessera_button(BUTTONS[Math.max(e.button, 0)], 0);
        soon();
      });
    canvas.addEventListener("pointerleave", () => { M._tessera_move(-1000, -1000); soon(); });
    canvas.addEventListener("contextmenu", (e) => e.preventDefault());
    canvas.addEventListener("wheel", (e) => {
      const unit = e.deltaMode === 1 ? 1 / 3 : e.deltaMode === 2 ? 10 : 1 / 100;
      M._tessera_wheel(-e.deltaX * unit, -e.deltaY * unit);
      soon();
      e.preventDefault();
    }, {passive: false});

    let control = false;  // is down
    const press = (e, down) => {
      const code = tesseraKeys.code(e);
      if (code) M._tessera_key(code, down ? (e.repeat ? 2 : 1) : 0, tesseraKeys.modifiers(e));
    };
    window.addEventListener("keydown", (e) => {
      control = tesseraKeys.command(e);
      if (e.isComposing || e.keyCode === 229 || tesseraKeys.browsers(e)) return;
      keys.focus({preventScroll: true});
      if (tesseraKeys.pastes(e)) return;  // the paste event follows
      press(e, true);
      const text = tesseraKeys.text(e);
      if (text) type(text);
      if (e.key !== "Dead") e.preventDefault();
      soon();
    });
    window.addEventListener("keyup", (e) => {
      control = tesseraKeys.command(e);
      if (e.isComposing || tesseraKeys.browsers(e)) return;
      press(e, false);
      soon();
    });
    window.addEventListener("paste", (e) => {
      const files = [...(e.clipboardData?.files ?? [])];
      e.preventDefault();
      if (files.length > 0) return void drop(files);
      paste(e.clipboardData?.getData("text/plain") ?? "", control);
    });
    // Input methods and screen keyboards.
    keys.addEventListener("compositionend", (e) => { type(e.data); keys.value = ""; });
    keys.addEventListener("input", (e) => {
      if (e.isComposing) return;
      if (e.inputType === "insertText" && e.data) type(e.data);
      if (e.inputType === "insertLineBreak") { M._tessera_key(257, 1, 0); M._tessera_key(257, 0, 0); }
      if (e.inputType === "deleteContentBackward") { M._tessera_key(259, 1, 0); M._tessera_key(259, 0, 0); }
      keys.value = "";
      soon();
    });

    for (const name of ["dragenter", "dragover"]) window.addEventListener(name, (e) => e.preventDefault());
    window.addEventListener("drop", (e) => {
      e.preventDefault();
      if (e.dataTransfer?.files?.length) void drop(e.dataTransfer.files);
    });
    const leave = () => {
      if (stopped) return;
      M._tessera_leave();
      save();
    };
    window.addEventListener("blur", leave);
    window.addEventListener("pagehide", leave);
    document.addEventListener("visibilitychange", () => { document.hidden ? leave() : soon(); });
    window.addEventListener("resize", resize);
    window.addEventListener("hashchange", () => void openLink());
    canvas.addEventListener("webglcontextlost", (e) => {
      e.preventDefault();
      fail("the browser took away the graphics");
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", soon);
  }

  // --- called by the program ---------------------------------------------------------------------------------------
  const wanted = new Set();
  function want(path) {
    if (wanted.has(path)) return;
    wanted.add(path);
    fetch(path.slice(1)).then(async (answer) => {
      if (!answer.ok) throw new Error(String(answer.status));
      M.FS.writeFile(path, new Uint8Array(await answer.arrayBuffer()));
      M._tessera_fonts();
      soon();
    }).catch((error) => tell(`the font with more characters cannot be loaded (${error.message})`, true));
  }
  function quit() {
    M._tessera_leave();
    tesseraStorage.save(M.FS, STATE, M.UTF8ToString(M._tessera_sheet())).catch(() => {}).then(() => {
      window.close();  // browsers refuse it in a tab with a history
      setTimeout(() => tell("close the tab to quit; the sheet is kept in this browser"), 300);
    });
  }
  const point = (cursor) => { canvas.style.cursor = cursor; };

  // --- the start ---------------------------------------------------------------------------------------------------
  const missing = typeof WebAssembly !== "object" ? "WebAssembly"
    : !document.createElement("canvas").getContext("webgl2") ? "WebGL 2"
    : typeof CompressionStream !== "function" ? "CompressionStream" : "";
  if (missing) {
    say(`Tessera needs ${missing}, which this browser lacks or has turned off. The desktop program and the command ` +
        "line work without it.");
    return {};
  }
  let trouble = "";
  const empty = location.hash === "#empty";
  if (empty) history.replaceState(null, "", location.pathname + location.search);
  globalThis.Module = {
    canvas,
    arguments: empty ? ["empty"] : [],
    noExitRuntime: true,
    preRun: [(module) => {
      module.ENV.TESSERA_STATE = `${STATE}/session.json`;
      module.ENV.TESSERA_ASSETS = "/assets";
      if (tested) module.ENV.TESSERA_STATE_DUMP = "/dump.json";
      module.addRunDependency("sheets");
      tesseraStorage.restore(module.FS, STATE).then((problem) => {
        trouble = problem;
        module.removeRunDependency("sheets");
      });
    }],
    postRun: [(module) => {
      M = module;
      listen();
      resize();
      keys.focus({preventScroll: true});
      if (trouble) tell(trouble, true);
      restoreLesson();
      void openLink();
      void openGiven();
      soon();
    }],
    onAbort: (what) => fail(`${what}`),
    setStatus: (text) => {
      const [, done, all] = /\((\d+)\/(\d+)\)/.exec(text) || [];
      if (all) progress.value = done / all;
    },
    print: (text) => console.log(text),
    printErr: (text) => console.warn(text),
  };
  const script = document.createElement("script");
  script.src = "tessera.js";
  script.onerror = () =>
    say("tessera.js could not be loaded. Copy the whole folder to the server, or build it again with ./web.");
  document.body.append(script);
  window.addEventListener("unhandledrejection", (e) => { if (!M) fail(e.reason); });

  return {copy, copyPicture, read, choose, share: (kind, lesson, text) => {
    share(kind, kind === "answer1" ? [lesson, text] : [text]).catch((error) => tell(error.message, true));
  }, text, want, point, quit};
})();
