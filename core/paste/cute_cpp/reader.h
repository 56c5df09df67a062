// Reader: trees of CuTe C++ -> statements of the worksheet. Private to this folder.
//
//     constexpr int kN = 64;                        kN = 64
//     using Atom = Layout<Shape<_8, Int<kN>>>;      Atom = (_8,_64):(_1,_8)
//
// It evaluates what a compiler knows: constants, template arguments, conditional types, helper functions, members of
// structs. Layouts are not computed here: they become text of the worksheet, which is evaluated when it is bound, so
// that `size<0>(Atom)` is a number in later lines.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/code/tree.h"
#include "core/paste/cute_cpp/meaning.h"
#include "core/worksheet/worksheet.h"

namespace tessera::paste::cute_cpp {

// A scope of C++ names.
struct Frame {
  std::map<std::string, Meaning, std::less<>> names;
  std::map<std::string, const code::Tree*, std::less<>> templates;  // structs, functions, alias templates
  std::shared_ptr<Frame> outer;
};

// The scopes of a text. A struct's meaning refers to the scope that holds it, so they are emptied at the end.
class Frames {
 public:
  Frames() = default;
  Frames(const Frames&) = delete;
  Frames& operator=(const Frames&) = delete;
  ~Frames() {
    for (const std::shared_ptr<Frame>& frame : made_) frame->names.clear();
  }
  [[nodiscard]] std::shared_ptr<Frame> make() { return made_.emplace_back(std::make_shared<Frame>()); }

  std::map<std::string, std::shared_ptr<Frame>> instances;  // of templates, by their name and arguments

 private:
  std::vector<std::shared_ptr<Frame>> made_;
};

// The statements so far, as the worksheet evaluates them, and which of their names depend on a constant that is bound
// before them (Given::bound).
class Sheet {
 public:
  // NAME = TEXT. Bound only without a Diag.
  [[nodiscard]] Evaluated bind(const std::string& name, const std::string& text);
  [[nodiscard]] Evaluated evaluate(const std::string& expression);
  // The value of a constant, with its name as its formula if it is one of `bound`.
  [[nodiscard]] Meaning named(std::string_view name, Meaning value, const std::vector<std::string>& bound);
  // Whether a text depends on such a constant.
  [[nodiscard]] bool isDependent(std::string_view text) const;

 private:
  Scope scope_;
  std::set<std::string, std::less<>> dependent_;
};

class Reader {
 public:
  Reader(std::string_view text, const Given& given) : text_(text), given_(given) {}

  [[nodiscard]] Result<Reading> read(const std::vector<code::Tree>& trees);

  // The meaning of an expression or a type. Unknown if a name in it has no value; a Diag if it has no meaning here.
  [[nodiscard]] Result<Meaning> meaning(const code::Tree& tree);
  // As template argument: a name without a meaning is a Word.
  [[nodiscard]] Result<std::vector<Meaning>> meanings(const std::vector<code::Tree>& trees, std::size_t from);
  [[nodiscard]] Result<std::vector<Meaning>> templateArguments(const code::Tree& name);
  // The value of an expression of the worksheet, among the statements so far.
  [[nodiscard]] Result<Meaning> evaluated(const std::string& expression);
  // A user's function, struct or alias template; nullopt: no such name.
  [[nodiscard]] Result<std::optional<Meaning>> called(std::string_view name, const code::Tree& callee,
                                                      std::vector<Meaning> arguments);
  [[nodiscard]] Result<std::optional<Meaning>> instantiated(const code::Tree& name);
  void note(std::string text);

 private:
  [[nodiscard]] Result<Meaning> nameMeaning(const code::Tree& tree);
  [[nodiscard]] Result<Meaning> memberOf(const Meaning& of, std::string_view member, const code::Tree& tree);
  [[nodiscard]] Result<Meaning> templated(const code::Tree& tree);
  [[nodiscard]] Result<Meaning> call(const code::Tree& tree);
  [[nodiscard]] Result<Meaning> memberCall(const code::Tree& tree);
  [[nodiscard]] Result<Meaning> braces(const code::Tree& tree);
  [[nodiscard]] Result<Meaning> operatorMeaning(const code::Tree& tree);
  [[nodiscard]] Result<Meaning> folded(const code::Tree& tree);
  [[nodiscard]] Result<std::vector<Meaning>> expanded(const code::Tree& pattern);
  void inherit(const code::Tree& tree);
  [[nodiscard]] Result<Meaning> conditionalType(const code::Tree& tree);
  [[nodiscard]] std::optional<Meaning> found(std::string_view name) const;
  [[nodiscard]] const code::Tree* templateOf(std::string_view name) const;
  [[nodiscard]] std::optional<Meaning> given(std::string_view name);
  // c ? a : b, with both branches if the condition depends on such a constant.
  [[nodiscard]] Result<Meaning> choice(const Meaning& condition, const code::Tree& a, const code::Tree& b);

  void statements(const std::vector<code::Tree>& trees);
  void statement(const code::Tree& tree);
  void declare(const code::Tree& tree, const code::Tree& value);
  void structure(const code::Tree& tree);
  void open(const code::Tree& tree);
  void specialisation(const code::Tree& tree);
  void aliasTemplate(const code::Tree& tree);
  void openAlias(const code::Tree& tree);
  void conditional(const code::Tree& tree);
  void lone(const code::Tree& expression);
  void bind(const std::string& name, Result<Meaning> meaning, const code::Tree& at);
  [[nodiscard]] bool bindText(const std::string& name, const std::string& text, const code::Tree& at);
  void parameters(const code::Tree& tree, const std::vector<Meaning>& arguments, bool ask);
  void refuse(const std::string& name, Diag diag, bool tell = true);
  void ask(const Meaning& meaning);
  [[nodiscard]] Result<std::optional<Meaning>> run(const std::vector<code::Tree>& body);

  std::string_view text_;
  const Given& given_;
  Sheet sheet_;
  Reading reading_;
  Frames frames_;
  std::shared_ptr<Frame> frame_ = frames_.make();
  std::vector<const code::Tree*> waiting_;         // structs that are read when they are used
  std::vector<const code::Tree*> waitingAliases_;  // alias templates that no line uses and --let does not give
  std::vector<Diag> refused_, passedOver_;         // of lines with CuTe's names, of other lines
  Meaning asksLater_;                              // of constants that no layout has used
  bool optional_ = false;  // inside a kernel: its parameters are asked for only if nothing else is bound
  bool silent_ = false;    // inside a helper function: nothing is bound
  const code::Tree* all_ = nullptr;
};

// What the tables of calls.cpp, types.cpp and atoms.cpp take.
struct Use {
  Reader& reader;
  std::string_view name;             // of the function or template
  std::vector<Meaning> template_{};  // its template arguments
  std::vector<Meaning> arguments{};
  Span span{};

  [[nodiscard]] Diag wrong(std::string_view expected) const;
};
using Handler = Result<Meaning> (*)(const Use& use);
struct Row {
  std::string_view name;
  Handler handler;
};

// Asks for the value of a name.
[[nodiscard]] Meaning question(std::string_view name, Span span, std::string_view asks);
// A Diag at the tree.
[[nodiscard]] Diag unreadable(const code::Tree& tree, std::string message);
// Its text, shortened.
[[nodiscard]] std::string spelled(const code::Tree& tree);
// make_tma_copy, make_tma_atom_A_sm100: a descriptor that is made at run time. expressions.cpp
[[nodiscard]] bool isTmaMaker(std::string_view function);
[[nodiscard]] bool anyUnknown(const std::vector<Meaning>& list);

// nullptr: no such function or type.
[[nodiscard]] Handler functionNamed(std::string_view name);  // calls.cpp
[[nodiscard]] Handler typeNamed(std::string_view name);      // types.cpp
[[nodiscard]] Handler atomNamed(std::string_view name);      // atoms.cpp: of both kinds

// A name without template arguments that CuTe defines: _8, _, half_t, LayoutRight, SM80_CP_ASYNC_...
[[nodiscard]] std::optional<Meaning> builtin(std::string_view name);
// "shape:stride" or make_layout(...); `stride` may be LayoutLeft, LayoutRight.
[[nodiscard]] Result<Meaning> layoutOf(const Use& use, const Meaning& shape, const Meaning* stride);
[[nodiscard]] Result<Meaning> integerOperation(std::string_view op, const Meaning& a, const Meaning& b);
// The worksheet function with these arguments, then the template arguments.
[[nodiscard]] Meaning applied(std::string_view function, const Use& use);

}  // namespace tessera::paste::cute_cpp
