// Links that hold a sheet: https://host/folder/#sheet1=..., the UTF-8 text compressed by deflate, in base64url.
//
//   sheet1=TEXT           the sheet
//   task1=TEXT            a lesson: it opens without the hints and answers that its tasks keep
//   answer1=LESSON.TEXT   the learner's sheet, and the lesson it answers
//
// Law: opened(await made(kind, texts)) gives back the kind and the texts. The number is the version of the form; a
// new form gets a new number, so that old links keep their meaning. Nothing is sent anywhere: the part after # stays in
// the browser.
"use strict";

const tesseraLink = (() => {
  const KINDS = {sheet1: 1, task1: 1, answer1: 2};
  const MOST_BYTES = 4 << 20;  // of a sheet

  async function through(bytes, stream) {
    const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
    const parts = [];
    let size = 0;
    for (;;) {
      const {done, value} = await reader.read();
      if (done) break;
      size += value.length;
      if (size > MOST_BYTES) {
        reader.cancel();
        throw new Error("the sheet is larger than 4 MiB");
      }
      parts.push(value);
    }
    const all = new Uint8Array(size);
    let at = 0;
    for (const part of parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }

  async function packed(text) {
    const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
    let binary = "";
    for (let k = 0; k < bytes.length; k += 0x8000) binary += String.fromCharCode(...bytes.subarray(k, k + 0x8000));
    return btoa(binary).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  }

  async function unpacked(words) {
    const binary = atob(words.replace(/-/g, "+").replace(/_/g, "/"));
    const bytes = Uint8Array.from(binary, (c) => c.charCodeAt(0));
    const text = await through(bytes, new DecompressionStream("deflate-raw"));
    return new TextDecoder("utf-8", {fatal: true, ignoreBOM: true}).decode(text);
  }

  // The part after #.
  async function made(kind, texts) {
    if (KINDS[kind] !== texts.length) throw new Error(`a link of kind ${kind} holds ${KINDS[kind]} texts`);
    return `${kind}=${(await Promise.all(texts.map(packed))).join(".")}`;
  }

  // {kind, texts}; null if the part after # is no link of Tessera. Throws an Error that says what is wrong.
  async function opened(fragment) {
    const [, kind, words] = /^#?([a-z]+[0-9]+)=(.*)$/s.exec(fragment) || [];
    if (kind === undefined) return null;
    if (!Object.hasOwn(KINDS, kind)) {
      if (!/^(sheet|task|answer)[0-9]+$/.test(kind)) return null;
      throw new Error("this link was made by a newer Tessera");
    }
    const parts = words.split(".");
    if (parts.length !== KINDS[kind]) throw new Error("this link is incomplete; copy all of it");
    try {
      return {kind, texts: await Promise.all(parts.map(unpacked))};
    } catch (error) {
      throw new Error("this link is damaged or incomplete; copy all of it", {cause: error});
    }
  }

  return {made, opened};
})();

if (typeof module !== "undefined") module.exports = tesseraLink;  // for the tests
