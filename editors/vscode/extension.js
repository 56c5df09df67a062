// The client of `tessera lsp` for VS Code, without packages: it starts the program, speaks JSON-RPC with it over its
// standard input and output, and turns its answers into what VS Code's API takes.
'use strict';

const { spawn, execFile } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const vscode = require('vscode');

const LANGUAGES = ['tess', 'graphene'];
const MOST_RESTARTS = 4; // within RESTART_MINUTES
const RESTART_MINUTES = 3;

const isOurs = (document) => LANGUAGES.includes(document.languageId);

// --- messages -------------------------------------------------------------------------------------------------------

// Messages over two streams. Every request is a promise. It is rejected with the server's error, or when the stream
// ends.
class Connection {
  constructor(input, output, onNotification) {
    this.output = output;
    this.onNotification = onNotification;
    this.waiting = new Map();
    this.number = 0;
    this.buffer = Buffer.alloc(0);
    input.on('data', (piece) => this.read(piece));
    output.on('error', () => {}); // the process ended: its exit says so
  }

  read(piece) {
    this.buffer = Buffer.concat([this.buffer, piece]);
    for (;;) {
      const end = this.buffer.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = Number(/Content-Length: (\d+)/i.exec(this.buffer.toString('latin1', 0, end))?.[1]);
      if (this.buffer.length < end + 4 + length) return;
      const body = this.buffer.toString('utf8', end + 4, end + 4 + length);
      this.buffer = this.buffer.subarray(end + 4 + length);
      this.take(JSON.parse(body));
    }
  }

  take(message) {
    if (message.method !== undefined) return this.onNotification(message.method, message.params);
    const { resolve, reject } = this.waiting.get(message.id) ?? {};
    this.waiting.delete(message.id);
    if (message.error) reject?.(Object.assign(new Error(message.error.message), { code: message.error.code }));
    else resolve?.(message.result);
  }

  send(message) {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
    this.output.write(`Content-Length: ${body.length}\r\n\r\n`);
    this.output.write(body);
  }

  notify(method, params) {
    this.send({ method, params });
  }

  ask(method, params, token) {
    const id = ++this.number;
    this.send({ id, method, params });
    token?.onCancellationRequested(() => this.notify('$/cancelRequest', { id }));
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  end() {
    const ended = Object.assign(new Error('tessera ended'), { code: 'ended' });
    for (const { reject } of this.waiting.values()) reject(ended);
    this.waiting.clear();
  }
}

// --- the server -----------------------------------------------------------------------------------------------------

class Server {
  constructor() {
    this.diagnostics = vscode.languages.createDiagnosticCollection('tessera');
    this.status = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Right, 10);
    this.log = vscode.window.createOutputChannel('Tessera');
    this.counts = new Map(); // of each document, for the status bar
    this.crashes = [];
    this.connection = null; // once it is initialized
    this.process = null;
  }

  get program() {
    return vscode.workspace.getConfiguration('tessera').get('path') || 'tessera';
  }

  start() {
    const child = spawn(this.program, ['lsp'], { stdio: ['pipe', 'pipe', 'pipe'] });
    const connection = new Connection(child.stdout, child.stdin, (method, params) => this.hear(method, params));
    this.process = child;
    child.stderr.on('data', (text) => this.log.append(String(text)));
    child.on('error', (error) => this.notFound(child, connection, error));
    child.on('exit', (code, signal) => this.ended(child, connection, code ?? signal));
    connection.ask('initialize', {
      processId: process.pid,
      capabilities: { textDocument: { hover: { contentFormat: ['markdown'] } } },
      initializationOptions: { status: true },
    }).then((hello) => {
      if (this.process !== child) return;
      this.log.appendLine(`${this.program} ${hello.serverInfo.version}`);
      this.connection = connection;
      connection.notify('initialized', {});
      vscode.workspace.textDocuments.forEach((d) => this.open(d));
    }, () => {}); // it ended, which is reported
  }

  stop() {
    const { connection, process: child } = this;
    this.connection = this.process = null;
    this.diagnostics.clear();
    this.counts.clear();
    this.status.hide();
    if (!child) return;
    if (!connection) return void child.kill();
    const leave = () => connection.notify('exit');
    connection.ask('shutdown').then(leave, leave);
    setTimeout(() => child.kill(), 5000).unref(); // if it does not answer
  }

  restart() {
    this.crashes = [];
    this.stop();
    this.start();
  }

  async notFound(child, connection, error) {
    connection.end();
    if (this.process !== child) return;
    this.process = this.connection = null;
    const why = error.code === 'ENOENT' ? 'is not found' : `cannot be started (${error.message})`;
    const chosen = await vscode.window.showErrorMessage(
      `Tessera: the program '${this.program}' ${why}. Build it with ./run in Tessera's folder, and set ` +
      '"tessera.path" to its path.',
      'Open Settings', 'Try Again');
    if (chosen === 'Open Settings') vscode.commands.executeCommand('workbench.action.openSettings', 'tessera.path');
    if (chosen === 'Try Again') this.restart();
  }

  async ended(child, connection, how) {
    connection.end();
    if (this.process !== child) return; // stopped by us, or replaced
    this.process = this.connection = null;
    this.diagnostics.clear();
    const now = Date.now();
    this.crashes = this.crashes.filter((at) => now - at < RESTART_MINUTES * 60e3).concat(now);
    this.log.appendLine(`tessera lsp ended (${how})`);
    if (this.crashes.length <= MOST_RESTARTS) return this.start();
    const chosen = await vscode.window.showErrorMessage(
      `Tessera: the language server ended ${this.crashes.length} times (${how}); it is not started again. ` +
      'The output "Tessera" has its messages.', 'Restart');
    if (chosen === 'Restart') this.restart();
  }

  hear(method, params) {
    if (method === 'textDocument/publishDiagnostics') return this.publish(params);
    if (method === 'window/logMessage') return this.log.appendLine(params.message);
    if (method !== '$/tessera/status') return;
    this.counts.set(params.uri, params);
    this.showStatus();
  }

  publish({ uri, version, diagnostics }) {
    const address = vscode.Uri.parse(uri);
    const document = vscode.workspace.textDocuments.find((d) => d.uri.toString() === address.toString());
    if (document && version !== undefined && document.version !== version) return; // of an older text
    this.diagnostics.set(address, diagnostics.map((d) => {
      const out = new vscode.Diagnostic(rangeOf(d.range), d.message, d.severity - 1);
      out.source = d.source;
      out.code = d.code;
      out.relatedInformation = d.relatedInformation?.map((r) =>
        new vscode.DiagnosticRelatedInformation(locationOf(r.location), r.message));
      return out;
    }));
  }

  showStatus() {
    const document = vscode.window.activeTextEditor?.document;
    const c = document && isOurs(document) ? this.counts.get(document.uri.toString()) : undefined;
    if (!c) return this.status.hide();
    const parts = ['proved', 'refuted', 'unknown'].filter((k) => c[k] > 0).map((k) => `${c[k]} ${k}`);
    if (c.problems > 0) parts.push(`${c.problems} wrong`);
    if (c.tasks > 0) parts.push(`${c.solved} of ${c.tasks} solved`);
    this.status.text = `${c.complete ? '' : '$(sync~spin) '}${parts.join(', ') || 'Tessera'}`;
    this.status.show();
  }

  // --- documents ---

  open(document) {
    if (!this.connection || !isOurs(document)) return;
    this.connection.notify('textDocument/didOpen', {
      textDocument: {
        uri: document.uri.toString(),
        languageId: document.languageId,
        version: document.version,
        text: document.getText(),
      },
    });
  }

  change({ document, contentChanges }) {
    if (!this.connection || !isOurs(document) || contentChanges.length === 0) return;
    this.connection.notify('textDocument/didChange', {
      textDocument: { uri: document.uri.toString(), version: document.version },
      contentChanges: contentChanges.map(({ range, text }) => ({ range: plainRange(range), text })),
    });
  }

  close(document) {
    if (!isOurs(document)) return;
    this.counts.delete(document.uri.toString());
    this.connection?.notify('textDocument/didClose', { textDocument: { uri: document.uri.toString() } });
  }

  // Asks about a document; null where there is no answer, because the text has changed or the server is not there.
  async about(feature, document, token, more = {}) {
    if (!this.connection) return null;
    try {
      const params = { textDocument: { uri: document.uri.toString() }, ...more };
      return await this.connection.ask(`textDocument/${feature}`, params, token);
    } catch (error) {
      if (feature === 'rename' && error.code === -32803) throw error; // VS Code shows why
      return null;
    }
  }
}

// --- places ---------------------------------------------------------------------------------------------------------

const placeOf = ({ line, character }) => ({ line, character });
const plainRange = ({ start, end }) => ({ start: placeOf(start), end: placeOf(end) });
const positionOf = ({ line, character }) => new vscode.Position(line, character);
const rangeOf = ({ start, end }) => new vscode.Range(positionOf(start), positionOf(end));
const locationOf = ({ uri, range }) => new vscode.Location(vscode.Uri.parse(uri), rangeOf(range));

function editOf({ changes }) {
  const edit = new vscode.WorkspaceEdit();
  for (const [uri, edits] of Object.entries(changes))
    for (const e of edits) edit.replace(vscode.Uri.parse(uri), rangeOf(e.range), e.newText);
  return edit;
}

function symbolOf(s) {
  const [whole, name] = [rangeOf(s.range), rangeOf(s.selectionRange)];
  const out = new vscode.DocumentSymbol(s.name, s.detail ?? '', s.kind - 1, whole, name);
  out.children = (s.children ?? []).map(symbolOf);
  return out;
}

// --- providers ------------------------------------------------------------------------------------------------------

function providers(server) {
  const at = (position) => ({ position: placeOf(position) });
  const { languages } = vscode;
  return [
    languages.registerCompletionItemProvider(LANGUAGES, {
      async provideCompletionItems(document, position, token) {
        const found = await server.about('completion', document, token, at(position));
        return new vscode.CompletionList((found?.items ?? []).map((i) => {
          const item = new vscode.CompletionItem(i.label, i.kind - 1);
          item.detail = i.detail;
          item.sortText = i.sortText;
          item.insertText = i.textEdit.newText;
          item.range = rangeOf(i.textEdit.range);
          return item;
        }), true);
      },
    }, ' ', '(', ',', '.', '%', '#', '@'),
    languages.registerHoverProvider(LANGUAGES, {
      async provideHover(document, position, token) {
        const found = await server.about('hover', document, token, at(position));
        if (!found) return null;
        return new vscode.Hover(new vscode.MarkdownString(found.contents.value), found.range && rangeOf(found.range));
      },
    }),
    languages.registerDefinitionProvider(LANGUAGES, {
      async provideDefinition(document, position, token) {
        const found = await server.about('definition', document, token, at(position));
        return found && locationOf(found);
      },
    }),
    languages.registerReferenceProvider(LANGUAGES, {
      async provideReferences(document, position, context, token) {
        const asked = { ...at(position), context: { includeDeclaration: context.includeDeclaration } };
        return (await server.about('references', document, token, asked) ?? []).map(locationOf);
      },
    }),
    languages.registerDocumentHighlightProvider(LANGUAGES, {
      async provideDocumentHighlights(document, position, token) {
        const found = await server.about('documentHighlight', document, token, at(position)) ?? [];
        return found.map((h) => new vscode.DocumentHighlight(rangeOf(h.range), h.kind - 1));
      },
    }),
    languages.registerRenameProvider(LANGUAGES, {
      async prepareRename(document, position, token) {
        const found = await server.about('prepareRename', document, token, at(position));
        if (!found) throw new Error('There is no name of this sheet here.');
        return { range: rangeOf(found.range), placeholder: found.placeholder };
      },
      async provideRenameEdits(document, position, newName, token) {
        const found = await server.about('rename', document, token, { ...at(position), newName });
        return found && editOf(found);
      },
    }),
    languages.registerDocumentSymbolProvider(LANGUAGES, {
      async provideDocumentSymbols(document, token) {
        return (await server.about('documentSymbol', document, token) ?? []).map(symbolOf);
      },
    }),
    languages.registerFoldingRangeProvider(LANGUAGES, {
      async provideFoldingRanges(document, _context, token) {
        const found = await server.about('foldingRange', document, token) ?? [];
        const kind = (f) => (f.kind === 'comment' ? vscode.FoldingRangeKind.Comment : undefined);
        return found.map((f) => new vscode.FoldingRange(f.startLine, f.endLine, kind(f)));
      },
    }),
    languages.registerInlayHintsProvider(LANGUAGES, {
      async provideInlayHints(document, range, token) {
        const asked = { range: plainRange(range) };
        return (await server.about('inlayHint', document, token, asked) ?? []).map((h) => {
          const hint = new vscode.InlayHint(positionOf(h.position), h.label);
          hint.paddingLeft = h.paddingLeft;
          hint.tooltip = h.tooltip;
          return hint;
        });
      },
    }),
    languages.registerCodeActionsProvider(LANGUAGES, {
      async provideCodeActions(document, range, context, token) {
        const asked = {
          range: plainRange(range),
          context: { diagnostics: [], ...(context.only && { only: [context.only.value] }) },
        };
        return (await server.about('codeAction', document, token, asked) ?? []).map((a) => {
          const kind = a.kind === 'quickfix' ? vscode.CodeActionKind.QuickFix : vscode.CodeActionKind.RefactorRewrite;
          const action = new vscode.CodeAction(a.title, kind);
          action.edit = editOf(a.edit);
          return action;
        });
      },
    }),
  ];
}

// --- pictures -------------------------------------------------------------------------------------------------------

// Draws the sheet as a page (tessera draw SHEET -o PAGE.html) beside the text.
async function draw(server) {
  const document = vscode.window.activeTextEditor?.document;
  if (!document || !isOurs(document)) return;
  if (document.uri.scheme !== 'file' || (document.isDirty && !(await document.save())))
    return void vscode.window.showErrorMessage('Tessera: save the sheet as a file, then draw it.');
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tessera-'));
  const page = path.join(folder, 'page.html');
  const said = await new Promise((resolve) => {
    execFile(server.program, ['draw', document.uri.fsPath, '-o', page],
      (error, _out, complaint) => resolve(complaint || error?.message || ''));
  });
  try {
    const html = fs.readFileSync(page, 'utf8'); // a sheet with errors has a page, too
    const title = path.basename(document.uri.fsPath);
    const { Beside } = vscode.ViewColumn;
    const panel = vscode.window.createWebviewPanel('tessera.page', title, Beside, { enableScripts: true });
    panel.webview.html = html;
  } catch {
    vscode.window.showErrorMessage(`Tessera: ${said}`);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

// --------------------------------------------------------------------------------------------------------------------

let server = null;

function activate(context) {
  server = new Server();
  server.start();
  const { workspace, window, commands } = vscode;
  context.subscriptions.push(
    server.diagnostics, server.status, server.log, ...providers(server),
    workspace.onDidOpenTextDocument((d) => server.open(d)),
    workspace.onDidChangeTextDocument((e) => server.change(e)),
    workspace.onDidCloseTextDocument((d) => server.close(d)),
    window.onDidChangeActiveTextEditor(() => server.showStatus()),
    workspace.onDidChangeConfiguration((e) => e.affectsConfiguration('tessera.path') && server.restart()),
    commands.registerCommand('tessera.restart', () => server.restart()),
    commands.registerCommand('tessera.draw', () => draw(server)));
}

function deactivate() {
  server?.stop();
}

module.exports = { activate, deactivate };
