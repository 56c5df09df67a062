// Evaluator: pasted Python -> statements of the worksheet. A dialect derives from it and says what its calls mean.
//
//     BM = 64                                       constant: BM = 64
//     layout = cute.make_layout((BM, 8))            emitted: layout = make_layout((64, 8))
//     tile = cute.zipped_divide(layout, tiler)      asks: tiler
//     def f(n=4): return cute.make_layout(n)        emitted: make_layout(4); parameters without a default are asked,
//                                                   unless the text calls f and defines the argument before
//
// Constants are computed here, in Python's arithmetic; layouts stay expressions of the worksheet, which refer to one
// another by name. A name that nothing defines is looked up in --let by its text, or asked for where a layout needs it.
// Laws: a statement that cannot be read is a note, but if a layout does not follow it, an error. Only what an emitted
// statement uses is asked for.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/code/tree.h"
#include "core/paste/paste.h"
#include "core/paste/python/item.h"

namespace tessera::paste::python {

// A call with evaluated arguments.
struct Invocation {
  std::string name;       // "make_layout"
  std::string qualified;  // "cute.make_layout", without blanks
  const code::Tree* tree = nullptr;
  const code::Tree* receiver = nullptr;  // `cute` of cute.make_layout
  std::vector<Item> arguments;
  std::vector<std::pair<std::string, Item>> keywords;

  // By position or name; nullptr: neither.
  [[nodiscard]] const Item* argument(std::size_t index, std::string_view name) const;
  [[nodiscard]] const Item* keyword(std::string_view name) const;
};

class Evaluator {
 public:
  Evaluator(std::string_view text, const Given& given) : text_(text), given_(given) {}
  virtual ~Evaluator() = default;
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  // Of all statements of the text.
  [[nodiscard]] Result<Reading> read(std::string_view dialect);

 protected:
  // What a call, a name, a member or a subscript means; nullopt: it has no meaning in the dialect. By default a name is
  // that of a type: tl.float16.
  [[nodiscard]] virtual Result<std::optional<Item>> call(const Invocation& made) = 0;
  [[nodiscard]] virtual std::optional<Item> name(std::string_view dotted) const;
  [[nodiscard]] virtual Result<std::optional<Item>> member(const Item& object, const std::string& name);
  [[nodiscard]] virtual Result<std::optional<Item>> subscript(const Item& object, const code::Tree& tree);
  // The worksheet's text of a value that a statement binds; nullopt: it binds nothing.
  [[nodiscard]] virtual Result<std::optional<std::string>> bound(const Item& item);
  // The bare name of a declaration with a type: A: T.Buffer((16, 16)).
  [[nodiscard]] virtual Result<std::optional<Item>> declared(const code::Tree& type);

  // A value that --let may give a name, by which the user sees what is asked for.
  [[nodiscard]] virtual std::string example(std::string_view name) const;
  // Whether a later statement may use the name of a value instead of its text.
  [[nodiscard]] virtual bool refersByName() const { return true; }

  [[nodiscard]] Result<Item> evaluate(const code::Tree& tree);
  // The text says that the name under `target` has this value.
  void bind(const code::Tree& target, const Item& item);
  [[nodiscard]] Item missing(const code::Tree& tree, std::string_view asks) const;
  [[nodiscard]] bool isBound(const code::Tree& tree) const;        // its first name is a value of the text or of --let
  [[nodiscard]] std::string textOf(const code::Tree& tree) const;  // without blanks
  void note(std::string text);

 private:
  using Trees = std::vector<code::Tree>;

  void statements(const Trees& trees);
  void statement(const code::Tree& tree);
  void assign(const code::Tree& target, const code::Tree& value, const std::string& sign);
  void bindTuple(const code::Tree& target, const Item& item);
  void bindName(const code::Tree& target, Item item);
  void declaration(const code::Tree& tree);
  void bare(const code::Tree& tree);
  void function(const code::Tree& tree);
  void branch(const code::Tree& tree);
  void ask(const Item& item);
  void emit(const std::string& name, const std::string& text, const Item& item, Span span);
  void refuse(Diag diag, Span span);
  [[nodiscard]] Reading finished(std::string_view dialect) const;

  [[nodiscard]] Result<Item> evaluateName(const code::Tree& tree);
  [[nodiscard]] Result<Item> evaluateMember(const code::Tree& tree);
  [[nodiscard]] Result<Item> evaluateCall(const code::Tree& tree);
  [[nodiscard]] Result<Item> evaluateTuple(const code::Tree& tree);
  [[nodiscard]] Result<Item> evaluateSubscript(const code::Tree& tree);
  [[nodiscard]] Result<Item> evaluateCondition(const code::Tree& tree);
  [[nodiscard]] std::optional<Item> known(const code::Tree& tree) const;
  [[nodiscard]] Result<std::optional<Item>> builtin(const Invocation& made);

  std::string_view text_;
  const Given& given_;
  const Trees* all_ = nullptr;  // the statements of the text
  std::map<std::string, Item, std::less<>> names_;
  Reading reading_;
  std::vector<Statement> constants_;
  std::optional<Diag> refused_;   // the last statement that could not be read
  std::size_t refusedAfter_ = 0;  // statements before it
};

// An item of a --let: 64, (4, 8), [4, 8], half, (4,8):(8,1).
[[nodiscard]] Item givenItem(const std::string& text);
// Whether NAME = ... is a statement that binds a worksheet's name, and no function of the worksheet has the name.
[[nodiscard]] bool isFreeName(const std::string& name);

}  // namespace tessera::paste::python
