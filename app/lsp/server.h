// Server: answers the messages of an editor, LSP 3.17, until `exit` or the end of the input.
//
//     return tessera::lsp::serve(STDIN_FILENO, STDOUT_FILENO);    // tessera lsp
//
// One thread reads, one answers, and each document is evaluated on threads of its own (app/engine/evaluation.h). So a
// claim that takes long delays nothing, and an edit cancels what it changes. A request that needs the answers to a text
// that was just sent waits for them, not for proofs that still run; a further edit ends it with ContentModified.
//
// Laws (tests/lsp): every request has exactly one response, for every input. The exit code is 0 after shutdown and
// exit, else 1.
#pragma once

namespace tessera::lsp {

[[nodiscard]] int serve(int input, int output);

}  // namespace tessera::lsp
