// Writer: lines of C++ in nested scopes, with names that mean one thing wherever they can be seen.
//
//     open("for (...) {")   line("x = 1;")   close()          names of a closed scope may be used again
//     define(1, "sA_at", "r / 2 % 4")                         const int sA_at = r / 2 % 4; before the statement of scope 1
//                                                             that is being written
//
// A definition that no kept line speaks of is left out, and so is a pragma whose loop did not ask for it.
#pragma once

#include <list>
#include <set>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace tessera::codegen {

class Writer {
 public:
  using Name = int;
  Writer();

  // A name like `wish`, which is made an identifier that no visible scope has and C++ keeps for nothing else. It belongs to scope
  // `depth`; -1: the innermost.
  Name name(const std::string& wish, int depth = -1);
  // Its text, and the line that is added next speaks of it.
  [[nodiscard]] const std::string& use(Name name);

  void statement(Span span);  // of the text: what is written from here on comes from it
  void line(std::string text);
  // A line that is only kept when `name` is spoken of.
  void define(Name name, std::string text);
  // The same, before the current statement of scope `depth`, with the names that it speaks of.
  void hoist(int depth, Name name, std::string text, std::vector<Name> uses);
  [[nodiscard]] std::vector<Name> takeUses();  // of what was made so far, for hoist
  // While it is not negative, lines are only kept when somebody says keep(key).
  void only(int key) { key_ = key; }
  // One such line.
  void optional(std::string text, int key);
  void keep(int key) { kept_.insert(key); }

  void open(std::string head);
  void close(std::string tail = "}");
  void reopen();                            // behind a line that has opened a scope itself: "} else {"
  void release(Name name, int depth = -1);  // of that scope, the innermost one: it may be used again
  [[nodiscard]] int depth() const { return static_cast<int>(scopes_.size()) - 1; }

  struct Line {
    std::string text;
    Span span;
    int indent = 0;
    Name defines = -1;
    int key = -1;
    std::vector<Name> uses;
  };
  // All that are kept.
  [[nodiscard]] std::vector<Line> finish();

 private:
  struct Scope {
    std::set<std::string> taken;
    std::list<Line>::iterator before;  // the last line before the current statement
  };
  Line made(std::string text);

  std::list<Line> lines_;
  std::vector<Scope> scopes_;
  std::vector<std::string> names_;
  std::vector<Name> uses_;
  std::set<int> kept_;
  int key_ = -1;
  Span span_;
};

}  // namespace tessera::codegen
