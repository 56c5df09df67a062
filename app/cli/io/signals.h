// Ctrl-C (SIGINT), SIGTERM and SIGHUP (except under nohup) end the process within a second, with a message that names
// the signal.
//
//     tessera check hard.tess          Z3 is running; Ctrl-C
//       ? line 1: unknown  ...         the claim was cancelled, not timed out
//     exit code 130                    143 after SIGTERM: 128 + the signal's number
//
// The first signal sets a flag. Proofs, searches and loops over statements poll it and stop, so that results so far are
// printed and a file being written is complete. Where nothing polls (a table of 2^24 cells, a pipe without a reader) a
// timer ends the process with the same code. A second signal ends it at once.
#pragma once

#include <tessera/layout.h>

#include <atomic>
#include <string_view>

namespace tessera {

// Set by the first signal.
[[nodiscard]] const std::atomic<bool>& interrupted();
// The same for calls of the library.
[[nodiscard]] const api::CancelFlag& interruptFlag();
// 128 + the signal's number.
[[nodiscard]] int interruptedExit();
// The message on standard error, also if the timer ends the process; it may be the only output.
[[nodiscard]] std::string_view cancelledText();

// Also makes a closed pipe an error reported by Output instead of a signal. If the caller closed standard input, output
// or error, occupies their descriptors, so that no file opened later gets them; reading or writing them remains an
// error.
void installSignals();
// Time for the process to end by itself, since a window stores its session; initially 0.7 s. TESSERA_SECONDS_TO_END
// overrides it, for tests on busy machines.
void setSecondsToEnd(double seconds);

}  // namespace tessera
