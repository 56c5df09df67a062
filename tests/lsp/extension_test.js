// extension_test.js TESSERA EXTENSION ROOT: the client of editors/vscode with a stub of VS Code's API, against the real
// server: providers, diagnostics by version, crashes, a program that is not found, the page of a sheet.
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const Module = require('node:module');
const os = require('node:os');
const path = require('node:path');

const [tessera, extensionFolder, root] = process.argv.slice(2);
process.env.TESSERA_LIBCUDA = process.env.TESSERA_LIBNVRTC = '/nowhere';

// --- VS Code, as far as the client uses it ----------------------------------------------------------------------------

class Position { constructor(line, character) { Object.assign(this, { line, character }); } }
class Range { constructor(start, end) { Object.assign(this, { start, end }); } }
class Uri {
  constructor(text) { this.text = text; this.scheme = text.split(':')[0]; this.fsPath = decodeURIComponent(text.replace('file://', '')); }
  toString() { return this.text; }
  static parse(text) { return new Uri(text); }
}
const record = (...names) => class { constructor(...values) { names.forEach((n, k) => { this[n] = values[k]; }); } };
class Events {
  constructor() { this.listeners = []; this.on = (f) => { this.listeners.push(f); return { dispose() {} }; }; }
  fire(what) { this.listeners.forEach((f) => f(what)); }
}

const settings = { path: tessera };
const shown = { errors: [], panels: [], log: '', status: null, diagnostics: new Map(), executed: [] };
let chooses = () => undefined;
const providers = {};
const commandTable = {};
const opened = new Events(), changed = new Events(), closed = new Events(), active = new Events(), configured = new Events();
const register = (name) => (_selector, provider) => { providers[name] = provider; return { dispose() {} }; };

const vscode = {
  Position, Range, Uri,
  Location: record('uri', 'range'), Diagnostic: record('range', 'message', 'severity'),
  DiagnosticRelatedInformation: record('location', 'message'),
  CompletionItem: record('label', 'kind'), CompletionList: record('items', 'isIncomplete'), Hover: record('contents', 'range'),
  MarkdownString: record('value'), DocumentHighlight: record('range', 'kind'), InlayHint: record('position', 'label'),
  DocumentSymbol: record('name', 'detail', 'kind', 'range', 'selectionRange'), CodeAction: record('title', 'kind'),
  FoldingRange: record('start', 'end', 'kind'), FoldingRangeKind: { Comment: 'comment' },
  CodeActionKind: { QuickFix: { value: 'quickfix' }, RefactorRewrite: { value: 'refactor.rewrite' } },
  StatusBarAlignment: { Right: 2 }, ViewColumn: { Beside: -2 },
  WorkspaceEdit: class { constructor() { this.edits = []; } replace(uri, range, text) { this.edits.push({ uri, range, text }); } },
  languages: {
    createDiagnosticCollection: () => ({
      set: (uri, list) => { shown.diagnostics.set(uri.toString(), list); }, clear: () => shown.diagnostics.clear(), dispose() {} }),
    registerCompletionItemProvider: register('completion'), registerHoverProvider: register('hover'),
    registerDefinitionProvider: register('definition'), registerReferenceProvider: register('references'),
    registerDocumentHighlightProvider: register('highlight'), registerRenameProvider: register('rename'),
    registerDocumentSymbolProvider: register('symbols'), registerFoldingRangeProvider: register('folds'),
    registerInlayHintsProvider: register('hints'), registerCodeActionsProvider: register('actions'),
  },
  window: {
    activeTextEditor: undefined,
    createStatusBarItem: () => (shown.status = { text: '', show() { this.visible = true; }, hide() { this.visible = false; }, dispose() {} }),
    createOutputChannel: () => ({ append: (t) => { shown.log += t; }, appendLine: (t) => { shown.log += `${t}\n`; }, dispose() {} }),
    showErrorMessage: async (message, ...buttons) => { shown.errors.push(message); return chooses(message, buttons); },
    createWebviewPanel: (kind, title) => { const panel = { kind, title, webview: { html: '' } }; shown.panels.push(panel); return panel; },
    onDidChangeActiveTextEditor: active.on,
  },
  workspace: {
    textDocuments: [],
    getConfiguration: () => ({ get: (name) => settings[name] }),
    onDidOpenTextDocument: opened.on, onDidChangeTextDocument: changed.on, onDidCloseTextDocument: closed.on,
    onDidChangeConfiguration: configured.on,
  },
  commands: {
    registerCommand: (name, f) => { commandTable[name] = f; return { dispose() {} }; },
    executeCommand: (...what) => { shown.executed.push(what); },
  },
};
const resolve = Module._resolveFilename;
Module._resolveFilename = (request, ...more) => (request === 'vscode' ? 'vscode' : resolve(request, ...more));
require.cache.vscode = Object.assign(new Module('vscode'), { exports: vscode, loaded: true });

const childProcess = require('node:child_process');
const spawned = [];
const { spawn } = childProcess;
childProcess.spawn = (...what) => { spawned.push(spawn(...what)); return spawned.at(-1); };
const running = () => spawned.filter((c) => c.pid !== undefined && c.exitCode === null && c.signalCode === null);

class TextDocument {
  constructor(uri, languageId, text) { Object.assign(this, { uri: Uri.parse(uri), languageId, text, version: 1, isDirty: false }); }
  getText() { return this.text; }
  at(offset) {
    const before = this.text.slice(0, offset).split('\n');
    return new Position(before.length - 1, before[before.length - 1].length);
  }
  offset({ line, character }) {
    return this.text.split('\n').slice(0, line).reduce((sum, l) => sum + l.length + 1, 0) + character;
  }
  of(range) { return this.text.slice(this.offset(range.start), this.offset(range.end)); }
  open() { vscode.workspace.textDocuments.push(this); opened.fire(this); }
  close() { vscode.workspace.textDocuments.splice(vscode.workspace.textDocuments.indexOf(this), 1); closed.fire(this); }
  edit(from, to, text) {
    const range = new Range(this.at(from), this.at(to));
    this.text = this.text.slice(0, from) + text + this.text.slice(to);
    ++this.version;
    changed.fire({ document: this, contentChanges: [{ range, text }] });
  }
}

// Waits for a state; there is no time in a test but its limit.
async function until(what, holds) {
  const end = Date.now() + 120e3;
  while (!holds()) {
    assert(Date.now() < end, `waited for ${what}: ${JSON.stringify([...shown.diagnostics])} ${shown.errors} ${shown.log}`);
    await new Promise((done) => { setTimeout(done, 10); });
  }
}
const token = { onCancellationRequested() {} };

// --- the test ---------------------------------------------------------------------------------------------------------

async function main() {
  const extension = require(extensionFolder);
  const subscriptions = [];
  const sheet = new TextDocument('file:///sheet.tess', 'tess',
    '// # Title\nA = (4,8):(8,1)   // \u{1d400}\nB = coalesce(A)\nprove injective(A)\nprove injective((4,2):(1,2))\nfoo(3)\n');
  const other = new TextDocument('file:///other.txt', 'plaintext', 'prove nothing');
  sheet.open(); // before the server is there
  other.open();
  extension.activate({ subscriptions });
  assert(subscriptions.length > 10);
  const of = (uri) => shown.diagnostics.get(uri) ?? [];
  await until('diagnostics', () => of('file:///sheet.tess').length === 2);
  const [refuted, wrong] = of('file:///sheet.tess');
  assert.deepEqual([refuted.code, refuted.severity, refuted.source, sheet.of(refuted.range)], ['refuted', 0, 'tessera', 'prove injective((4,2):(1,2))']);
  assert.deepEqual([wrong.code, sheet.of(wrong.range)], ['error', 'foo']);
  vscode.window.activeTextEditor = { document: sheet };
  active.fire();
  assert.equal(shown.status.text, '1 proved, 1 refuted, 1 wrong');

  // Providers.
  const use = sheet.text.indexOf('coalesce(A') + 9;
  const hover = await providers.hover.provideHover(sheet, sheet.at(use), token);
  assert.match(hover.contents.value, /= \(4,8\):\(8,1\)/);
  assert.equal(sheet.of(hover.range), 'A');
  const definition = await providers.definition.provideDefinition(sheet, sheet.at(use), token);
  assert.equal(sheet.offset(definition.range.start), sheet.text.indexOf('A ='));
  assert.equal((await providers.references.provideReferences(sheet, sheet.at(use), { includeDeclaration: false }, token)).length, 2);
  assert.deepEqual((await providers.highlight.provideDocumentHighlights(sheet, sheet.at(use), token)).map((h) => h.kind), [2, 1, 1]);
  const rename = await providers.rename.provideRenameEdits(sheet, sheet.at(use), 'L', token);
  assert.deepEqual(rename.edits.map((e) => [sheet.of(e.range), e.text]), [['A', 'L'], ['A', 'L'], ['A', 'L']]);
  assert.equal((await providers.rename.prepareRename(sheet, sheet.at(use), token)).placeholder, 'A');
  await assert.rejects(providers.rename.prepareRename(sheet, sheet.at(0), token), /no name/);
  await assert.rejects(providers.rename.provideRenameEdits(sheet, sheet.at(use), 'B', token), /already binds B/);
  const completion = await providers.completion.provideCompletionItems(sheet, sheet.at(use - 6), token);
  assert(completion.items.some((i) => i.label === 'coalesce' && i.insertText === 'coalesce(' && i.kind === 2 && sheet.of(i.range) === 'coa'));
  const [title] = await providers.symbols.provideDocumentSymbols(sheet, token);
  assert.deepEqual([title.name, title.kind, title.children.map((s) => [s.name, s.kind])], ['Title', 14, [['A', 12], ['B', 12]]]);
  const whole = new Range(sheet.at(0), sheet.at(sheet.text.length));
  const hints = await providers.hints.provideInlayHints(sheet, whole, token);
  assert.deepEqual(hints.map((h) => h.label), ['= (4,8):(8,1)', 'proved', 'refuted']);
  const fixes = await providers.actions.provideCodeActions(sheet, refuted.range, { only: { value: 'quickfix' } }, token);
  assert(fixes.some((f) => f.title.startsWith('Make it true') && f.kind.value === 'quickfix' && f.edit.edits.length === 1));
  assert.deepEqual(await providers.folds.provideFoldingRanges(sheet, {}, token), []);
  assert.equal(await providers.hover.provideHover(other, new Position(0, 0), token), null);

  // Edits, after a letter of two UTF-16 units; the diagnostics follow, each version once.
  sheet.edit(sheet.text.indexOf('\u{1d400}') + 2, sheet.text.indexOf('B ='), '!\n\nX = 1\n');
  sheet.edit(sheet.text.indexOf('foo(3)'), sheet.text.length, 'size(A)');
  await until('the edit', () => of('file:///sheet.tess').length === 1);
  assert.equal(of('file:///sheet.tess')[0].range.start.line, 6);
  let cancelled;
  const pending = providers.hover.provideHover(sheet, sheet.at(use), { onCancellationRequested: (f) => { cancelled = f; } });
  cancelled();
  await pending; // null, or the answer that came before

  // Programs.
  const text = fs.readFileSync(path.join(root, 'assets/graphene/transpose_padded.graphene'), 'utf8');
  const program = new TextDocument('file:///p.graphene', 'graphene', text.replace(/^( *)sync$/m, '$1'));
  program.open();
  await until('findings', () => of('file:///p.graphene').some((d) => /races/.test(d.message)));
  const race = of('file:///p.graphene').find((d) => /races/.test(d.message));
  assert(race.relatedInformation === undefined || race.relatedInformation[0].location.uri.toString() === 'file:///p.graphene');
  program.close();
  await until('the end of the findings', () => of('file:///p.graphene').length === 0);

  // A crash: it starts again with the same documents, four times; then it asks.
  for (let k = 0; k < 4; ++k) {
    const [child] = running();
    child.kill('SIGKILL');
    await until('the next server', () => !running().includes(child) && of('file:///sheet.tess').length === 1);
    assert.equal(shown.errors.length, 0);
  }
  let restart;
  chooses = (_message, buttons) => new Promise((done) => { restart = () => done(buttons[0]); });
  running()[0].kill('SIGKILL');
  await until('the message', () => shown.errors.length === 1);
  assert.match(shown.errors[0], /ended 5 times \(SIGKILL\); it is not started again/);
  assert.equal(await providers.hover.provideHover(sheet, sheet.at(use), token), null);
  restart();
  await until('the answers after it', () => of('file:///sheet.tess').length === 1);

  // Another program; none at all.
  chooses = (_message, buttons) => buttons[0];
  settings.path = '/nowhere/tessera';
  configured.fire({ affectsConfiguration: (name) => name === 'tessera.path' });
  await until('the message', () => shown.errors.length === 2);
  assert.match(shown.errors[1], /'\/nowhere\/tessera' is not found.*tessera\.path/);
  await until('the settings', () => shown.executed.length === 1);
  assert.deepEqual(shown.executed[0], ['workbench.action.openSettings', 'tessera.path']);
  settings.path = tessera;
  commandTable['tessera.restart']();
  await until('the answers after it', () => of('file:///sheet.tess').length === 1);

  // The page.
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tessera test '));
  for (const [name, language, source] of [['a b.tess', 'tess', 'show (4,8):(8,1) as grid'], ['p.graphene', 'graphene', text]]) {
    fs.writeFileSync(path.join(folder, name), source);
    const file = new TextDocument(encodeURI(`file://${path.join(folder, name)}`), language, source);
    vscode.window.activeTextEditor = { document: file };
    await commandTable['tessera.draw']();
    const panel = shown.panels.pop();
    assert(panel && panel.title === name && /<svg/.test(panel.webview.html), `${shown.errors}`);
  }
  fs.rmSync(folder, { recursive: true });
  vscode.window.activeTextEditor = { document: sheet };
  await commandTable['tessera.draw'](); // the file does not exist
  assert.match(shown.errors.at(-1), /Tessera: /);

  extension.deactivate();
  await until('the end', () => running().length === 0);
  assert.equal(shown.log.includes('rror'), false, shown.log);
  console.log('extension: ok');
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
