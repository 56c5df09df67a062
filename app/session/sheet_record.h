// A document as records of a journal (app/files/journal_file.h): first the complete document, then its changes.
//
//     wholeRecord(document, Ended::No)     "sheet 0 1 6:a.tess ..." with text, file and history
//     changeRecord(change, document)       "r 15 15 1 15 1:x "     an x typed at 15
//     changeRecord(undo, document)         "u "
//
//     replayed(records)                    the state of the document after all of them
//
// Law: replaying the records of any sequence of operations gives the document's state(), including its undo and redo
// history. Damaged records do not crash: replay stops at the first unreadable one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/document.h"

namespace tessera {

// How a journal's sheet ended: not at all (its process died), with its window (restored by the next one), or replaced
// by another sheet.
enum class Ended { No, WithWindow, Replaced };

// Entry of a list of sheets, from the beginning of the sheet's first record.
struct SheetSummary {
  Ended ended = Ended::No;
  bool modified = false;
  std::string path, firstLine;
  std::size_t lines = 0;
};

[[nodiscard]] std::string wholeRecord(const Document& document, Ended ended);
[[nodiscard]] std::string changeRecord(const Change& change, const Document& document);
[[nodiscard]] std::optional<SheetSummary> summaryOf(std::string_view wholeRecord);
[[nodiscard]] SheetSummary summaryOf(const Document::State& state, Ended ended);
// nullopt if the first record is not a complete document.
[[nodiscard]] std::optional<Document::State> replayed(const std::vector<std::string>& records);

}  // namespace tessera
