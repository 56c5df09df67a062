// The sheets of this browser: the window's state folder, kept in IndexedDB.
//
//   await tesseraStorage.restore(FS, "/state")      before the window opens
//   tesseraStorage.save(FS, "/state", openSheet)    after changes; writes what is new
//
// Laws: a tab writes only its own files and removes only what it removed itself, so two tabs never destroy each other's
// sheets. A sheet that is open in another tab is not restored here (Web Locks); without locks it is, and its journal
// gets another name as soon as this tab opens it. The sheet of this tab may still be locked by the page that a reload
// replaces: that lock is awaited for two seconds.
"use strict";

const tesseraStorage = (() => {
  const known = new Map();    // path: what was last read or written, as "size time"
  const renamed = new Map();  // path: the name in the database
  const held = new Set();     // ids of sheets that this tab has locked
  const tab = Math.random().toString(36).slice(2, 10);
  const MINE = "tessera sheet";
  let db = null;
  let writing = Promise.resolve();

  const lockName = (id) => `tessera sheet ${id}`;
  const idOf = (path) => /([0-9a-f]+)\.journal$/.exec(path)?.[1] ?? null;

  function open() {
    return new Promise((resolve, reject) => {
      const request = indexedDB.open("tessera", 1);
      request.onupgradeneeded = () => request.result.createObjectStore("files");
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
      request.onblocked = () => reject(new Error("another tab blocks the database"));
    });
  }

  function all(store) {
    return new Promise((resolve, reject) => {
      const found = [];
      const request = store.openCursor();
      request.onerror = () => reject(request.error);
      request.onsuccess = () => {
        const cursor = request.result;
        if (!cursor) return resolve(found);
        found.push([cursor.key, cursor.value]);
        cursor.continue();
      };
    });
  }

  const stamp = (FS, path) => {
    const s = FS.stat(path);
    return `${s.size} ${+s.mtime}`;
  };

  function files(FS, folder) {
    const found = [];
    for (const name of FS.readdir(folder)) {
      if (name === "." || name === "..") continue;
      const path = `${folder}/${name}`;
      if (FS.isDir(FS.stat(path).mode)) found.push(...files(FS, path));
      else if (!name.endsWith(".new") && !name.endsWith(".running") && !name.endsWith(".part")) found.push(path);
    }
    return found;
  }

  // Locks the sheet that this tab had open before a reload, unless a copy of the tab has it.
  async function claimOwn(id) {
    if (!id || !navigator.locks) return;
    await new Promise((resolve) => {
      navigator.locks.request(lockName(id), {signal: AbortSignal.timeout(2000)}, () => {
        held.add(id);
        resolve();
        return new Promise(() => {});  // until the tab is closed
      }).catch(resolve);
    });
  }

  // Returns why sheets are not kept; "" if they are.
  async function restore(FS, folder) {
    FS.mkdirTree(folder);
    try {
      db = await open();
      const own = sessionStorage.getItem(MINE);
      await claimOwn(own);
      const elsewhere = new Set((await navigator.locks?.query?.())?.held?.map((lock) => lock.name) ?? []);
      for (const [path, file] of await all(db.transaction("files").objectStore("files"))) {
        const free = held.has(idOf(path)) || !elsewhere.has(lockName(idOf(path)));
        if (!path.startsWith(`${folder}/`) || !free) continue;
        FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
        FS.writeFile(path, file.bytes);
        FS.utime(path, file.time, file.time);
        known.set(path, stamp(FS, path));
      }
      // A reload of this tab opens its sheet again, even if another tab wrote later.
      const mine = [...known.keys()].find((path) => idOf(path) !== null && idOf(path) === own);
      if (mine) FS.utime(mine, Date.now(), Date.now());
      if (mine) known.set(mine, stamp(FS, mine));
      return "";
    } catch (error) {
      db = null;
      return `this browser keeps no sheets (${error.message || error}); save them as files`;
    }
  }

  // Locks the open sheet; a sheet that another tab has locked is written under a new name.
  async function claim(id) {
    if (!id || held.has(id) || !navigator.locks) return;
    held.add(id);
    await new Promise((resolve) => {
      navigator.locks.request(lockName(id), {ifAvailable: true}, (lock) => {
        if (!lock) renamed.set(id, `${id}${tab.replace(/[^0-9a-f]/g, "0")}`);
        resolve();
        return lock ? new Promise(() => {}) : undefined;  // until the tab is closed
      }).catch(resolve);
    });
  }

  function nameOf(path) {
    const id = idOf(path);
    return renamed.has(id) ? path.replace(id, renamed.get(id)) : path;
  }

  // Writes changed files and removes deleted ones. The promise is fulfilled when they are in the database.
  function save(FS, folder, openSheet) {
    if (!db) return Promise.resolve();
    if (openSheet) sessionStorage.setItem(MINE, openSheet);
    const now = new Map(files(FS, folder).map((path) => [path, stamp(FS, path)]));
    const changed = [...now].filter(([path, s]) => known.get(path) !== s);
    const gone = [...known.keys()].filter((path) => !now.has(path));
    if (changed.length === 0 && gone.length === 0) return writing;
    const puts = changed.map(([path, s]) => {
      known.set(path, s);
      return [path, {bytes: FS.readFile(path), time: +FS.stat(path).mtime}];
    });
    for (const path of gone) known.delete(path);
    writing = Promise.all([writing.catch(() => {}), claim(openSheet)]).then(() => new Promise((resolve, reject) => {
      const change = db.transaction("files", "readwrite");
      const store = change.objectStore("files");
      for (const [path, file] of puts) store.put(file, nameOf(path));
      for (const path of gone) store.delete(nameOf(path));
      change.oncomplete = () => resolve();
      change.onabort = change.onerror = () => reject(change.error);
    })).catch((error) => {
      for (const [path] of puts) known.delete(path);  // written again with the next change
      throw error;
    });
    return writing;
  }

  return {restore, save};
})();
