// sheet_compare: this window's sheet beside another one, over the whole window: lines aligned, what differs marked.
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
// N and P go to the next and the previous difference, Space shows one sheet at a time in the same place (blinks), the arrows
// and pages scroll, Esc leaves. What differs has a word beside it, so that no colour is needed to read it.
// The other sheet is only looked at: it is evaluated in a Session of its own, which writes nothing.
//
// Not the question of a file that somebody else changed (disk_dialogs.h): that one wants an answer.
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

// What is compared, brought up to date in each frame.
struct SheetCompare {
  std::string nameA, nameB;
  std::string textA, textB;        // rows and marks point into these
  std::shared_ptr<Session> other;  // null: nothing is compared
  bool onlyDifferences = false;
  bool blink = false, second = false;  // one at a time; which

  SheetSide a, b;
  std::vector<SheetRow> rows;
  std::vector<std::size_t> places;              // rows at which a difference begins
  std::string sentence;                         // what differs, in words
  bool answered = false;                        // both sides know all their answers
  std::vector<std::optional<WordMarks>> marks;  // by row, once it was seen
  std::size_t at = 0;                           // of `places`: where N and P count from
  bool reveal = false;                          // bring that difference into view

  // Where each row begins, in rows of text, when `columns` characters fit beside each other; the end of the last, too.
  std::vector<double> tops = {0};
  std::size_t columns = 0;
  std::uint64_t version = 0, laidOut = 0;  // of rows; of tops
  double scroll = 0;                       // rows of text above what is seen

  std::uint64_t revisionA = ~std::uint64_t{0};
  bool madeOnlyDifferences = false;

  [[nodiscard]] bool open() const { return other != nullptr; }
  // Rows anew when a text, an answer or a choice has changed.
  void follow(const Session& mine);
  void go(int direction);
  [[nodiscard]] const WordMarks& marksOf(std::size_t row);
};

// Opens the comparison of the session's sheet with that text.
void compareWith(const Session& session, WindowState& state, std::string name, std::string text);
void closeComparison(WindowState& state);
// The same with a file's text; why it cannot be read, else "".
[[nodiscard]] std::string compareWithFile(const Session& session, WindowState& state, const std::string& path);
// Asks which sheet (sheet_picker.cpp).
void askComparison(Session& session, WindowState& state);

namespace panes {
void sheetCompare(const Session& session, WindowState& state);
}  // namespace panes

}  // namespace tessera
