// sheet_compare: this window's sheet beside another one, over the whole window, with lines aligned and differences
// marked.
//
//     compareWith(session, state, "b.tess", text);
//
//     A  a.tess                          B  b.tess
//     1 A = (4,8):(8,1)       changed    1 A = (4,8):(9,2)
//     2 size(A)                          2 size(A)
//                             only B     3 cosize(A)
//     3 A(1,0)                           4 A(1,0)
//         = 8                 answer         = 9
//
// N and P go to the next and the previous difference, Space alternates between the sheets in the same place (blink),
// the arrows and page keys scroll, Esc closes. Each difference has a word beside it, so that it can be read without
// colours. The other sheet is read-only: it is evaluated in a separate Session that writes nothing.
//
// Not the dialog for a file changed by another program (file_dialogs.h), which requires an answer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/files/sheet_diff.h"
#include "app/session/session.h"

namespace tessera {

struct WindowState;

// What differs, in rows. Do not copy: rows and marks point into the texts.
struct SheetDifferences {
  std::string textA, textB;
  SheetSide a, b;
  std::vector<SheetRow> rows;
  std::vector<std::size_t> places;              // first row of each difference
  std::string sentence;                         // summary of the differences
  bool answered = false;                        // all answers are known on both sides
  std::vector<std::optional<WordMarks>> marks;  // by row, computed when first visible
  std::uint64_t version = 0;                    // of rows

  std::uint64_t revisionA = ~std::uint64_t{0};
  bool madeOnlyDifferences = false;

  // Rebuilds the rows if a text, an answer or the option has changed.
  void follow(const Session& mine, const Session& other, bool onlyDifferences);
  [[nodiscard]] const WordMarks& marksOf(std::size_t row);
};

// The state of the comparison, updated each frame.
struct SheetCompare {
  std::string nameA, nameB;
  std::shared_ptr<Session> other;  // null: no comparison
  SheetDifferences diff;
  bool onlyDifferences = false;
  bool blink = false, second = false;  // show one at a time; which
  std::size_t at = 0;                  // index into `diff.places`: the current difference for N and P
  bool reveal = false;                 // scroll to that difference

  // Start of each row, in rows of text, for columns of `columns` characters; plus the end of the last one.
  std::vector<double> tops = {0};
  std::size_t columns = 0;
  std::uint64_t laidOut = 0;  // diff.version of the tops
  double scroll = 0;          // rows of text above the visible part

  [[nodiscard]] bool open() const { return other != nullptr; }
  void go(int direction);
};

// Compares the session's sheet with the given text.
void compareWith(const Session& session, WindowState& state, std::string name, std::string text);
void closeComparison(WindowState& state);
// Compares with a file; returns why it cannot be read, else "".
[[nodiscard]] std::string compareWithFile(const Session& session, WindowState& state, const std::string& path);
// Lets the user choose a sheet.
void askComparison(Session& session, WindowState& state);

namespace panes {
void sheetCompare(const Session& session, WindowState& state);
}  // namespace panes

}  // namespace tessera
