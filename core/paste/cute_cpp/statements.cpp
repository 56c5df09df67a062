// Declarations and other statements.
#include <algorithm>

#include "core/base/chars.h"
#include "core/base/cursor.h"
#include "core/paste/cute_cpp/reader.h"
#include "core/worksheet/value.h"

namespace tessera::paste::cute_cpp {

namespace {

using Kind = Meaning::Kind;
using code::Language;
using code::Tree;

// Whether CuTe's names occur in it: its unknown names must be asked for.
bool mentionsCute(const Tree& tree) {
  spend();
  const std::string_view name = lastName(tree);
  if (!name.empty() && (tree.isTemplate ? typeNamed(name) != nullptr || atomNamed(name) != nullptr : false))
    return true;
  if (tree.kind == Tree::Kind::Call) {
    const std::string_view called = calledName(tree);
    if (isTmaMaker(called)) return true;
    if (functionNamed(called) != nullptr && called != "min" && called != "max" && called != "int") return true;
    if (atomNamed(called) != nullptr) return true;
  }
  for (const auto* list : {&tree.children, &tree.templateArguments})
    if (std::any_of(list->begin(), list->end(), mentionsCute)) return true;
  return false;
}

// using A = Copy_Atom<I, T>: it has no layout of its own, so T is asked for where A is used.
bool isCopyAtom(const Tree& declaration) {
  return std::ranges::any_of(declaration.children, [](const Tree& t) { return lastName(t) == "Copy_Atom"; });
}

// Whether `name<...>` or name:: or name{} occurs.
bool uses(const Tree& tree, std::string_view name) {
  spend();
  if (tree.kind == Tree::Kind::Name && ((lastName(tree) == name && (tree.isTemplate || !tree.children.empty())) ||
                                        tree.text.starts_with(std::string(name) + "::")))
    return true;
  for (const auto* list : {&tree.children, &tree.templateArguments})
    for (const Tree& part : *list)
      if (uses(part, name)) return true;
  for (const Tree::Parameter& parameter : tree.templateParameters)
    for (const Tree& value : parameter.byDefault)
      if (uses(value, name)) return true;
  return false;
}

// Shape<_8, Int<4>> has one value; Shape<int, _8> has many.
bool isConstant(const Meaning& meaning) {
  if (meaning.is(Kind::Tuple)) return std::all_of(meaning.parts.begin(), meaning.parts.end(), isConstant);
  return meaning.is(Kind::Number) && meaning.isStatic;
}

// Whether `name(...)` occurs.
bool calls(const Tree& tree, std::string_view name) {
  spend();
  if (tree.kind == Tree::Kind::Call && calledName(tree) == name) return true;
  for (const auto* list : {&tree.children, &tree.templateArguments})
    if (std::any_of(list->begin(), list->end(), [&](const Tree& part) { return calls(part, name); })) return true;
  return false;
}

// Whether a statement `return x;` is in it.
bool returnsValue(const Tree& tree) {
  if (tree.kind == Tree::Kind::Return) return !tree.children.empty();
  return std::any_of(tree.children.begin(), tree.children.end(), returnsValue);
}

bool isPrint(std::string_view name) { return name == "print" || name.starts_with("print_"); }

// #if and its kin: +1 opens, -1 closes, 2 the other branch, 0 no condition.
int branching(std::string_view directive) {
  std::string_view word = stripped(directive.substr(1));
  if (word.starts_with("if")) return 1;
  if (word.starts_with("endif")) return -1;
  return word.starts_with("el") ? 2 : 0;
}

}  // namespace

void Reader::note(std::string text) {
  if (std::find(reading_.notes.begin(), reading_.notes.end(), text) == reading_.notes.end())
    reading_.notes.push_back(std::move(text));
}

void Reader::ask(const Meaning& meaning) {
  for (const Question& question : meaning.asks) {
    const auto same = [&](const Question& other) { return other.name == question.name; };
    if (std::none_of(reading_.questions.begin(), reading_.questions.end(), same))
      reading_.questions.push_back(question);
  }
}

void Reader::refuse(const std::string& name, Diag diag, bool tell) {
  if (diag.hint.empty() && !name.empty() && name != "X")
    diag.hint = "--let " + name + "='(8,64):(64,1)' gives it a layout";
  if (!silent_ && tell)
    note((name.empty() ? "an expression" : "`" + name + "`") + " is left out: " + diag.message +
         (diag.hint.empty() ? "" : "; " + diag.hint));
  Meaning out;
  out.refused = diag;
  if (!name.empty()) frame_->names[name] = std::move(out);
  if (!silent_) (tell ? refused_ : passedOver_).push_back(std::move(diag));
}

bool Reader::bindText(const std::string& name, const std::string& text, const Tree& at) {
  std::string bound = name;
  if (text == bound && !sheet_.isDependent(bound)) return true;
  for (int attempt = 0; attempt < 2; ++attempt) {
    const std::string whole = bound + " = " + text;
    if (splitStatements(whole).size() != 1) break;
    const Evaluated outcome = sheet_.bind(bound, text);
    if (!outcome.diag) {
      reading_.statements.push_back({bound, whole, at.span});
      frame_->names[name].text = bound;
      return true;
    }
    // A word of the worksheet is no name there.
    if (outcome.diag->message.find("is a word of the language") == std::string::npos) {
      refuse(name, {outcome.diag->message, outcome.diag->expected, outcome.diag->hint, at.span});
      return false;
    }
    bound += "_";
    note("`" + name + "` is a word of the worksheet: it is bound as " + bound);
  }
  refuse(name, {"the worksheet cannot read " + text, {}, {}, at.span});
  return false;
}

void Reader::bind(const std::string& name, Result<Meaning> read, const Tree& at) {
  // What has nothing to do with layouts is passed over: dim3 grid(...).
  if (!read) {
    return refuse(name, read.error(), mentionsCute(at));
  }
  Meaning meaning = *std::move(read);
  if (meaning.is(Kind::Unknown) && meaning.refused) return refuse(name, *meaning.refused, mentionsCute(at));
  frame_->names[name] = meaning;
  if (meaning.is(Kind::Unknown)) {
    if (silent_) return;
    if (mentionsCute(at) && !optional_ && !isCopyAtom(at)) {
      ask(meaning);
    } else {
      if ((mentionsCute(at) || at.kind == Tree::Kind::Alias) && !meaning.asks.empty())
        note("`" + name + "` needs " + meaning.asks[0].name + ": " + meaning.asks[0].suggests);
      asksLater_.asks.insert(asksLater_.asks.end(), meaning.asks.begin(), meaning.asks.end());
    }
    return;
  }
  if (silent_) return;
  switch (meaning.kind) {
    case Kind::Number:
      (void)bindText(name, written(meaning, false), at);
      break;
    case Kind::Tuple:
      (void)bindText(name, written(meaning), at);
      break;
    case Kind::Layout:
    case Kind::Tiled:
      (void)bindText(name, meaning.text, at);
      break;
    case Kind::Operation:
    case Kind::CopyAtom: {
      // An instruction that the atlas lacks is still of use to later lines.
      const std::string text = "atlas(" + meaning.text + ")";
      if (evaluated(text)) (void)bindText(name, text, at);
      frame_->names[name] = std::move(meaning);
      return;
    }
    default:
      return;
  }
  // What the later lines say is the name, and for integers and tuples still the value.
  if (frame_->names[name].refused) return;
  const std::string bound = frame_->names[name].text;
  const bool named = meaning.is(Kind::Layout) || meaning.is(Kind::Tiled);
  if (named && !bound.empty()) meaning.text = bound;
  if (meaning.is(Kind::Number) && !meaning.formula.empty() && !bound.empty()) meaning.formula = bound;
  frame_->names[name] = std::move(meaning);
}

void Reader::declare(const Tree& tree, const Tree& value) {
  const std::string& name = tree.text;
  if (!silent_) {
    if (auto let = given(name)) return bind(name, *std::move(let), tree);
  }
  // Layout a(x): a call of the type; Layout a{x} its braces.
  bind(name, meaning(value), tree);
}

// A struct whose template is used later is read then, with its arguments.
void Reader::structure(const Tree& tree) {
  if (tree.text.empty() || tree.qualifiers == "enum") return statements(tree.children);
  if (tree.isTemplate) return specialisation(tree);
  frame_->templates[tree.text] = &tree;
  if (tree.children.empty()) return;
  const bool waits = !tree.templateParameters.empty() && all_ != nullptr && [&] {
    for (const Tree& one : all_->children)
      if (&one != &tree && uses(one, tree.text)) return true;
    return false;
  }();
  if (waits) {
    waiting_.push_back(&tree);
    return;
  }
  open(tree);
}

// The members of a struct, whose parameters are asked for.
void Reader::open(const Tree& tree) {
  Tree name;
  name.kind = Tree::Kind::Name;
  name.text = tree.text;
  name.span = tree.span;
  auto made = instantiated(name);
  if (made && *made) frame_->names[tree.text] = **std::move(made);
}

// template <> struct Copy_Traits<...> { members }: no other line can mean it by its name.
void Reader::specialisation(const Tree& tree) {
  auto outer = frame_;
  frame_ = frames_.make();
  frame_->outer = outer;
  parameters(tree, {}, true);
  statements(tree.children);
  frame_ = outer;
}

// template <int N> using A = ...: its layout is meant if no line uses it. Without values for its parameters it waits.
void Reader::aliasTemplate(const Tree& tree) {
  frame_->templates[tree.text] = &tree;
  if (silent_ || frame_->outer != nullptr || (all_ != nullptr && uses(*all_, tree.text))) return;
  const bool known = std::ranges::all_of(tree.templateParameters, [&](const Tree::Parameter& parameter) {
    return !parameter.byDefault.empty() || given_.let(parameter.name) != nullptr;
  });
  if (known) {
    openAlias(tree);
  } else {
    waitingAliases_.push_back(&tree);
  }
}

void Reader::openAlias(const Tree& tree) {
  auto outer = frame_;
  frame_ = frames_.make();
  frame_->outer = outer;
  parameters(tree, {}, true);
  declare(tree, tree.children[0]);
  frame_ = outer;
}

void Reader::conditional(const Tree& tree) {
  auto condition = meaning(tree.children[0]);
  const bool known = condition && condition->is(Kind::Number);
  const Tree& chosen = tree.children[known && condition->number == 0 ? 2 : 1];
  if (!known && tree.children[2].kind != Tree::Kind::Empty && mentionsCute(tree))
    note("`" + print(tree.children[0], Language::Cpp) + "` is taken as true");
  if (chosen.kind != Tree::Kind::Empty) statement(chosen);
}

void Reader::lone(const Tree& expression) {
  if (silent_) return;
  if (expression.kind == Tree::Kind::Call && isPrint(calledName(expression)) && expression.children.size() > 1) {
    const Tree& printed = expression.children.back();
    if (printed.kind == Tree::Kind::String) return;
    return lone(printed);
  }
  if (calledName(expression) == "static_assert") {
    if (expression.children.size() < 2) return;
    const auto holds = meaning(expression.children[1]);
    if (holds && holds->is(Kind::Number) && holds->number == 0)
      note("the text forbids these constants: " + print(expression.children[1], Language::Cpp) + " is false");
    return;
  }
  auto value = meaning(expression);
  if (value && value->is(Kind::Unknown) && value->refused) value = *value->refused;
  if (!value) {
    // copy(a, b), gemm(...): statements of a kernel that denote nothing.
    if (expression.kind == Tree::Kind::Call || mentionsCute(expression)) refused_.push_back(value.error());
    return;
  }
  if (value->is(Kind::Unknown)) {
    if (mentionsCute(expression) && !optional_) ask(*value);
    asksLater_.asks.insert(asksLater_.asks.end(), value->asks.begin(), value->asks.end());
    return;
  }
  const bool again = expression.kind == Tree::Kind::Name && !reading_.statements.empty() &&
                     reading_.statements.back().name == value->text;
  if (!again) bind("X", std::move(value), expression);
}

void Reader::statement(const Tree& tree) {
  const Nesting level;
  if (level.tooDeep()) return;
  spend();
  switch (tree.kind) {
    case Tree::Kind::Declare: {
      const Tree& value = tree.children[1];
      if (!tree.templateParameters.empty()) {  // template <int N> constexpr int kTwice = N * 2;
        if (value.kind != Tree::Kind::Empty) frame_->templates[tree.text] = &tree;
        break;
      }
      // Config<128, 64> config;
      if (value.kind == Tree::Kind::Empty && templateOf(lastName(tree.children[0])) != nullptr) {
        auto made = meaning(tree.children[0]);
        if (made && made->is(Kind::Scope)) {
          frame_->names[tree.text] = *std::move(made);
        } else if (made && (made->is(Kind::Layout) || made->is(Kind::Tiled) || made->is(Kind::Tuple))) {
          bind(tree.text, std::move(made), tree);  // Rows<half_t> a; of an alias template
        }
        break;
      }
      if (value.kind != Tree::Kind::Empty) {
        if (!tree.text.empty() && tree.text[0] != '[') declare(tree, value);
      } else if (given_.let(tree.text) != nullptr || found(tree.children[0].text) || mentionsCute(tree.children[0])) {
        // Layout<...> a; or a member of storage, which has no layout of its own.
        auto read = meaning(tree.children[0]);
        const bool constant = read && read->is(Kind::Tuple) && isConstant(*read);
        if (read && (read->is(Kind::Layout) || read->is(Kind::Tiled) || constant || given_.let(tree.text) != nullptr))
          declare(tree, tree.children[0]);
      }
      break;
    }
    case Tree::Kind::Alias:
      if (!tree.templateParameters.empty()) {
        aliasTemplate(tree);
      } else {
        declare(tree, tree.children[0]);
      }
      break;
    case Tree::Kind::Function:
      frame_->templates[tree.text] = &tree;
      // A fragment may be a kernel or its host function, whose layouts are meant.
      // A helper that another line calls is not: its names are its own.
      if (!silent_ && frame_->outer == nullptr && !(all_ != nullptr && uses(*all_, tree.text)) &&
          !(all_ != nullptr && returnsValue(tree.children[0]) && calls(*all_, tree.text)) &&
          mentionsCute(tree.children[0])) {
        const bool before = std::exchange(optional_, true);
        parameters(tree, {}, false);
        statements(tree.children[0].children);
        optional_ = before;
      }
      break;
    case Tree::Kind::Struct:
      structure(tree);
      break;
    case Tree::Kind::Namespace:
    case Tree::Kind::Block:
      statements(tree.children);
      break;
    case Tree::Kind::If:
      conditional(tree);
      break;
    case Tree::Kind::Expression:
      lone(tree.children[0]);
      break;
    case Tree::Kind::Return:
      if (!tree.children.empty() && mentionsCute(tree)) lone(tree.children[0]);
      break;
    case Tree::Kind::Macro:
      if (tree.parameters.empty() && tree.children[0].kind != Tree::Kind::Empty)
        if (auto value = meaning(tree.children[0]); value && value->is(Kind::Number)) bind(tree.text, value, tree);
      break;
    default:
      break;
  }
}

void Reader::statements(const std::vector<Tree>& trees) {
  // Of #if ... #else ... #endif the first branch is read.
  int skipped = 0;
  for (const Tree& tree : trees) {
    if (tree.kind == Tree::Kind::Directive && tree.text.starts_with('#')) {
      const int kind = branching(tree.text);
      if (skipped > 0) {
        skipped += kind == 1 ? 1 : kind == -1 ? -1 : 0;
      } else if (kind == 2) {
        skipped = 1;
        note("of a #if, the first branch is read");
      } else if (kind == 1 && stripped(std::string_view(tree.text).substr(1)).starts_with("if 0")) {
        skipped = 1;
      }
      continue;
    }
    if (skipped == 0) statement(tree);
  }
}

Result<Reading> Reader::read(const std::vector<Tree>& trees) {
  Tree all;
  all.kind = Tree::Kind::Block;
  all.children = trees;
  all_ = &all;
  reading_.dialect = "CuTe C++";
  statements(all.children);
  for (const Tree* tree : std::exchange(waiting_, {})) {
    const auto made = [&](const auto& instance) { return instance.first.starts_with(tree->text + "<"); };
    if (std::none_of(frames_.instances.begin(), frames_.instances.end(), made)) open(*tree);
  }
  if (reading_.statements.empty() && reading_.questions.empty())
    for (const Tree* tree : std::exchange(waitingAliases_, {})) openAlias(*tree);
  if (reading_.statements.empty() && reading_.questions.empty()) {
    ask(asksLater_);
    if (!reading_.questions.empty() && refused_.empty()) return std::move(reading_);
    for (const auto* list : {&refused_, &passedOver_})
      if (!list->empty()) return list->back();
    return Diag{"this text of CuTe C++ declares no layout", "a layout, a tiled mma or copy, or a constant"};
  }
  if (!given_.name.empty() && !reading_.statements.empty()) {
    Statement& last = reading_.statements.back();
    last.text = given_.name + last.text.substr(last.name.size());
    last.name = given_.name;
  }
  return std::move(reading_);
}

}  // namespace tessera::paste::cute_cpp
