// A document as records of a journal (app/files/journal_file.h): first the whole of it, then what happened to it.
//
//     wholeRecord(document, Ended::No)     "sheet 0 1 6:a.tess ..." with text, file and history
//     changeRecord(change, document)       "r 15 15 1 15 1:x "     an x typed at 15
//     changeRecord(undo, document)         "u "
//
//     replayed(records)                    the state of the document after all of them
//
// Law: whatever is done to a document, the records of it replayed are its state(), its undo and redo history included.
// Damaged records are never a crash: what cannot be read ends the replay there.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/document.h"

namespace tessera {

// How a journal's sheet was left: not at all (its process died), with its window (it comes back with the next one), or
// because another sheet took its place.
enum class Ended { No, WithWindow, Replaced };

// What a list of sheets says of one; from the beginning of its first record.
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
// Nothing when the first one is no whole record.
[[nodiscard]] std::optional<Document::State> replayed(const std::vector<std::string>& records);

}  // namespace tessera
