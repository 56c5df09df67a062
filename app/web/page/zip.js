// An archive (.zip) of files, stored without compression: PNGs are compressed already.
//
//   tesseraZip.made([["frames-1/frame-0001.png", bytes], ...])    a Blob
//
// Law: unpacking gives back the names and the bytes, in order (tests/web/link_test.js, by another program). An archive
// has at most 65,535 files and 4 GiB; more is an error.
"use strict";

const tesseraZip = (() => {
  const MOST_FILES = 0xffff, MOST_BYTES = 0xffffffff;
  const TABLE = Int32Array.from({length: 256}, (_, n) => {
    for (let k = 0; k < 8; ++k) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
    return n;
  });
  function crc32(bytes) {
    let crc = -1;
    for (const byte of bytes) crc = (crc >>> 8) ^ TABLE[(crc ^ byte) & 255];
    return ~crc >>> 0;
  }

  // Numbers of 2 or 4 bytes, the low byte first.
  function record(...fields) {
    const bytes = new Uint8Array(fields.reduce((sum, [size]) => sum + size, 0));
    let at = 0;
    for (const [size, value] of fields)
      for (let k = 0; k < size; ++k) bytes[at++] = Math.floor(value / 2 ** (8 * k)) & 255;
    return bytes;
  }

  // 1980-01-01, version 2.0, names in UTF-8, stored.
  const described = (name, bytes, crc) => [[2, 20], [2, 0x800], [2, 0], [2, 0], [2, 0x21], [4, crc], [4, bytes.length],
                                           [4, bytes.length], [2, name.length], [2, 0]];
  function made(files) {
    const parts = [], directory = [];
    let at = 0, size = 0;
    for (const [path, bytes] of files) {
      const name = new TextEncoder().encode(path), head = described(name, bytes, crc32(bytes));
      directory.push(record([4, 0x02014b50], [2, 0x0314], ...head, [2, 0], [2, 0], [2, 0], [4, 0o100644 * 65536], [4, at]),
                     name);
      parts.push(record([4, 0x04034b50], ...head), name, bytes);
      at += 30 + name.length + bytes.length;
      size += 46 + name.length;
    }
    if (files.length > MOST_FILES || at + size > MOST_BYTES) throw new Error("the files are too large for an archive");
    parts.push(...directory, record([4, 0x06054b50], [2, 0], [2, 0], [2, files.length], [2, files.length], [4, size],
                                    [4, at], [2, 0]));
    return new Blob(parts, {type: "application/zip"});
  }
  return {made};
})();

if (typeof module !== "undefined") module.exports = tesseraZip;  // for the tests
