// Ctrl-C (SIGINT), SIGTERM and SIGHUP (but for nohup) end the process within a second, whatever it is doing, and say which
// of them it was.
//
//     tessera check hard.tess          Z3 is thinking; Ctrl-C
//       ? line 1: unknown  ...         the claim was cancelled, which is no time-out
//     exit code 130                    143 after SIGTERM: 128 + the signal's number
//
// The first signal sets a flag. Proofs, searches and loops over statements look at it and stop by themselves, so that what
// is known by then is still printed and a file that is being written is whole. Where nothing looks (a table of 2^24 cells,
// a pipe that nobody reads) a timer ends the process with the same code. A second signal ends it at once, as ever.
#pragma once

#include <atomic>
#include <string_view>

namespace tessera {

// Set by the first signal.
[[nodiscard]] const std::atomic<bool>& interrupted();
// 128 + that signal.
[[nodiscard]] int interruptedExit();
// What standard error says of it, also when the timer ends the process: nothing may have been printed by then.
[[nodiscard]] std::string_view cancelledText();

// Also: a closed pipe is an error that Output reports instead of a signal; and where the caller closed standard input,
// output or error, their numbers are taken, so that no file that is opened later is mistaken for them. Reading from or
// writing to such a one is an error, as it was.
void installSignals();
// How long the process may take to end by itself: a window closes and stores its session. Before this call 0.7 s.
// TESSERA_SECONDS_TO_END says it instead, on a machine so busy that what is to be seen is not said in that time.
void setSecondsToEnd(double seconds);

}  // namespace tessera
