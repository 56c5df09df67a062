// Writer: collects lines of C++ in nested scopes, and the prelude functions that they call. A name is unique wherever
// it is visible.
//
//     open("for (...) {")   line("x = 1;")   close()          the names of a closed scope are free again
//     hoist(1, sA_at, "const int sA_at = r / 2 % 4;")         a line before the current statement of scope 1
//
// Definitions that no kept line uses are dropped, and so are pragmas that their loop did not request.
#pragma once

#include <iterator>
#include <list>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/codegen/kernel/prelude.h"

namespace tessera::codegen {

class Writer {
 public:
  using Name = int;
  explicit Writer(Used& prelude);

  // The text calls a function of the prelude. `text`: its definition, if it is made for an instruction.
  void calls(const std::string& function) { calls(function, fixedFunction(function)); }
  void calls(const std::string& function, const std::string& text) { prelude_.functions.try_emplace(function, text); }
  void includes(std::string_view header) {  // a CUDA header, "cuda_fp16.h"; empty: none
    if (!header.empty()) prelude_.headers.insert(std::string(header));
  }

  // A new name similar to `wish`: an identifier that no visible scope uses and C++ does not reserve. It belongs to
  // scope `depth`; -1: the innermost. In a scope further out it differs from the counters of loops before, because nvcc
  // warns of a name that is used after a loop that counts by it.
  Name name(const std::string& wish, int depth = -1);
  // The text of the name. Marks it as used by the next line.
  [[nodiscard]] const std::string& use(Name name);
  void use(const std::vector<Name>& names) { uses_.insert(uses_.end(), names.begin(), names.end()); }

  void statement(Span span);  // lines from here on come from this span
  void line(std::string text) { lines_.push_back(made(std::move(text))); }
  // A line that is kept only if `name` is used.
  void define(Name name, std::string text) {
    line(std::move(text));
    lines_.back().defines = name;
  }
  // The same, before the current statement of scope `depth`. `uses`: the names in its text.
  void hoist(int depth, Name name, std::string text, std::vector<Name> uses);
  [[nodiscard]] std::vector<Name> takeUses() { return std::exchange(uses_, {}); }  // of the text so far, for hoist
  // While key >= 0, lines are kept only if keep(key) is called.
  void only(int key) { key_ = key; }
  // One line with a key.
  void optional(std::string text, int key) {
    line(std::move(text));
    lines_.back().key = key;
  }
  void keep(int key) { kept_.insert(key); }

  void open(std::string head) {
    line(std::move(head));
    reopen();
  }
  void close(std::string tail = "}") {
    scopes_.pop_back();
    line(std::move(tail));
  }
  // After a line that itself opened a scope: "} else {".
  void reopen() { scopes_.push_back({{}, std::prev(lines_.end())}); }
  void release(Name name, int depth = -1);  // frees a name of scope `depth` (-1: the innermost)
  [[nodiscard]] int depth() const { return static_cast<int>(scopes_.size()) - 1; }

  struct Line {
    std::string text;
    Span span;
    int indent = 0;
    Name defines = -1;
    int key = -1;
    std::vector<Name> uses;
  };
  // All lines that are kept.
  [[nodiscard]] std::vector<Line> finish();

 private:
  struct Scope {
    std::set<std::string> taken;
    std::list<Line>::iterator before;  // last line before the current statement
  };
  Line made(std::string text);

  Used& prelude_;
  std::list<Line> lines_;
  std::vector<Scope> scopes_;
  std::vector<std::string> names_;
  std::set<std::string> released_;
  std::vector<Name> uses_;
  std::set<int> kept_;
  int key_ = -1;
  Span span_;
};

}  // namespace tessera::codegen
