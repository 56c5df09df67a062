// node link_test.js: the links of the page (app/web/page/link.js) against node's own zlib, the keys of browsers, and the
// archives (zip.js) against Python's reader.
"use strict";
const assert = require("node:assert");
const {execFileSync} = require("node:child_process");
const zlib = require("node:zlib");
const link = require("../../app/web/page/link.js");
const keys = require("../../app/web/page/keys.js");
const zip = require("../../app/web/page/zip.js");

let seed = 20261129;
const random = (n) => {
  seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
  return (seed >>> 8) % n;
};
const ALPHABET = [..."abc (4,8):(8,1)\n\t<>=._-#&%?/\\\"'", "é", "→", "中", "\u{1d538}", "\0", "\ufeff"];
const sheet = () => Array.from({length: random(400)}, () => ALPHABET[random(ALPHABET.length)]).join("");
const packed = (text) => zlib.deflateRawSync(Buffer.from(text, "utf8")).toString("base64url");

(async () => {
  for (let k = 0; k < 2000; ++k) {
    const kind = ["sheet1", "task1", "answer1"][random(3)];
    const texts = kind === "answer1" ? [sheet(), sheet()] : [sheet()];
    const made = await link.made(kind, texts);
    assert.match(made, /^[a-z]+1=[A-Za-z0-9_.-]*$/, "no character that an address escapes");
    assert.deepStrictEqual(await link.opened(`#${made}`), {kind, texts});
    const again = made.split("=")[1].split(".").map((p) => zlib.inflateRawSync(Buffer.from(p, "base64url")).toString("utf8"));
    assert.deepStrictEqual(again, texts);
    assert.deepStrictEqual(await link.opened(`#${kind}=${texts.map(packed).join(".")}`), {kind, texts});
    // A damaged link is refused, or is the link of another text.
    const at = random(made.length), damaged = made.slice(0, at) + made.slice(at + 1 + random(3));
    const opened = await link.opened(damaged).catch((error) => error);
    assert(opened === null || opened instanceof Error || typeof opened.texts[0] === "string");
    if (opened instanceof Error) assert.match(opened.message, /copy all of it|newer Tessera|4 MiB/);
  }
  for (const other of ["", "#", "#top", "#a=b", "#sheet=x"]) assert.strictEqual(await link.opened(other), null);
  await assert.rejects(link.opened("#sheet9=x"), /newer Tessera/);
  await assert.rejects(link.opened(`#sheet1=${packed("x".repeat(5 << 20))}`), /copy all of it/);
  await assert.rejects(link.made("answer1", ["x"]), /holds 2 texts/);

  // Letters by what they are, everything else by its place.
  const event = (key, code, more) => ({key, code, ctrlKey: false, shiftKey: false, altKey: false, metaKey: false, ...more});
  assert.strictEqual(keys.code(event("z", "KeyW")), 90);
  assert.strictEqual(keys.code(event("Я", "KeyZ")), 90);
  assert.strictEqual(keys.code(event("!", "Digit1")), 49);
  assert.strictEqual(keys.code(event("F12", "F12")), 301);
  assert.strictEqual(keys.code(event("Enter", "NumpadEnter")), 335);
  assert.strictEqual(keys.code(event("Dead", "")), 0);
  assert.strictEqual(keys.text(event("→", "KeyA")), "→");
  assert.strictEqual(keys.text(event("a", "KeyA", {ctrlKey: true})), "");
  assert.strictEqual(keys.text(event("@", "KeyQ", {ctrlKey: true, altKey: true, getModifierState: () => true})), "@");
  assert.strictEqual(keys.text(event("Shift", "ShiftLeft")), "");
  assert(keys.pastes(event("v", "KeyV", {ctrlKey: true})) && keys.pastes(event("Insert", "Insert", {shiftKey: true})));
  assert(!keys.pastes(event("v", "KeyV")));

  // Archives. The reader checks the sums.
  const READER = `
import base64, io, json, sys, zipfile
archive = zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()))
assert archive.testzip() is None
print(json.dumps([[name, base64.b64encode(archive.read(name)).decode()] for name in archive.namelist()]))`;
  for (const count of [0, 1, 2, 320]) {
    const files = Array.from({length: count}, (_, k) => [
      `frames-1/${"é→"[k % 3] ?? "frame"}-${k}.png`, Uint8Array.from({length: k === 1 ? 0 : random(3000)}, () => random(256))]);
    const archive = Buffer.from(await zip.made(files).arrayBuffer());
    const back = JSON.parse(execFileSync("python3", ["-c", READER], {input: archive, maxBuffer: 1 << 30}));
    assert.deepStrictEqual(back, files.map(([name, bytes]) => [name, Buffer.from(bytes).toString("base64")]));
  }
  assert.throws(() => zip.made(Array.from({length: 65536}, (_, k) => [`${k}`, new Uint8Array(0)])), /too large/);
  console.log("2000 links, the keys and the archives are right");
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
