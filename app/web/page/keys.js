// Keys of the browser as those of GLFW, which the window uses.
//
//   tesseraKeys.code({key: "z", code: "KeyW"})   90: letters by what they are, on any keyboard layout
//   tesseraKeys.code({key: "F1", code: "F1"})    290
"use strict";

const tesseraKeys = (() => {
  const CODES = {
    Space: 32, Quote: 39, Comma: 44, Minus: 45, Period: 46, Slash: 47, Semicolon: 59, Equal: 61, BracketLeft: 91,
    Backslash: 92, BracketRight: 93, Backquote: 96, Escape: 256, Enter: 257, Tab: 258, Backspace: 259, Insert: 260,
    Delete: 261, ArrowRight: 262, ArrowLeft: 263, ArrowDown: 264, ArrowUp: 265, PageUp: 266, PageDown: 267, Home: 268,
    End: 269, NumpadDecimal: 330, NumpadDivide: 331, NumpadMultiply: 332, NumpadSubtract: 333, NumpadAdd: 334,
    NumpadEnter: 335, ShiftLeft: 340, ControlLeft: 341, AltLeft: 342, MetaLeft: 343, ShiftRight: 344, ControlRight: 345,
    AltRight: 346, MetaRight: 347,
  };
  for (let k = 0; k <= 9; ++k) {
    CODES[`Digit${k}`] = 48 + k;
    CODES[`Numpad${k}`] = 320 + k;
  }
  for (let k = 1; k <= 25; ++k) CODES[`F${k}`] = 289 + k;
  for (let k = 0; k < 26; ++k) CODES[`Key${String.fromCharCode(65 + k)}`] = 65 + k;
  const MAC = typeof navigator !== "undefined" && /Mac|iPhone|iPad/.test(navigator.platform || "");

  const command = (e) => e.ctrlKey || (MAC && e.metaKey);
  // The number of a key; 0: none.
  function code(e) {
    if (/^[a-zA-Z]$/.test(e.key)) return e.key.toUpperCase().charCodeAt(0);
    if (MAC && e.key === "Meta") return 341;  // the command key is the control key
    return CODES[e.code] || CODES[e.key] || 0;
  }
  const modifiers = (e) => (e.shiftKey ? 1 : 0) | (command(e) ? 2 : 0) | (e.altKey && !graph(e) ? 4 : 0);
  // AltGr, which browsers report as Ctrl+Alt on some systems.
  const graph = (e) => e.getModifierState !== undefined && e.getModifierState("AltGraph");
  // The text that a key types; "" for a command or a key without text.
  function text(e) {
    if ((command(e) || e.altKey) && !graph(e)) return "";
    return [...e.key].length === 1 ? e.key : "";
  }
  // Pasting is answered by the browser's event, which has the text.
  const pastes = (e) => (command(e) && !e.shiftKey && code(e) === 86) || (e.shiftKey && e.key === "Insert");
  // Keys that stay the browser's: developer tools, full screen, reloading, the address bar.
  function browsers(e) {
    if (e.key === "F12" && !command(e)) return false;
    if (command(e) && e.shiftKey && /^[ijcr]$/i.test(e.key)) return true;
    return command(e) && /^[lr]$/i.test(e.key);
  }
  return {code, modifiers, text, pastes, browsers, command};
})();

if (typeof module !== "undefined") module.exports = tesseraKeys;  // for the tests
