// Names: what --let gives, what the text declares, structs and helper functions with their template arguments.
#include <algorithm>

#include "core/base/chars.h"
#include "core/base/cursor.h"
#include "core/base/words.h"
#include "core/paste/bindings.h"
#include "core/paste/cute_cpp/reader.h"

namespace tessera::paste::cute_cpp {

namespace {

using Kind = Meaning::Kind;
using code::Language;
using code::Tree;

// Puts a frame in the place of another until the end of the block.
template <typename T>
class Instead {
 public:
  Instead(T& place, T value) : place_(place), before_(std::exchange(place, std::move(value))) {}
  ~Instead() { place_ = std::move(before_); }
  Instead(const Instead&) = delete;
  Instead& operator=(const Instead&) = delete;

 private:
  T& place_;
  T before_;
};

// What is left for a parameter pack.
Meaning pack(const std::vector<Meaning>& arguments, std::size_t from) {
  Meaning out =
      tuple({arguments.begin() + static_cast<std::ptrdiff_t>(std::min(from, arguments.size())), arguments.end()});
  out.kind = Kind::Pack;
  return out;
}

// The template parameters of a function from `given` on, by its arguments: S of (S const& s), N of (Int<N> n), A and B
// of (Layout<A, B> l). Those that do not follow from an argument keep their default, or are asked for.
std::map<std::string, Meaning> deduced(Reader& reader, const Tree& function, std::size_t given,
                                       const std::vector<Meaning>& arguments) {
  std::map<std::string, Meaning> out;
  for (std::size_t k = given; k < function.templateParameters.size(); ++k) {
    const Tree::Parameter& wanted = function.templateParameters[k];
    if (wanted.name.empty()) continue;
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      std::string type = function.parameters[i].type;
      const bool several = type.ends_with("...");
      std::erase_if(type, [](char c) { return c == ' ' || c == '&'; });
      if (several) type.resize(type.size() - 3);
      if (type.starts_with("const")) type = type.substr(5);
      if (type.ends_with("const")) type.resize(type.size() - 5);
      if (several && type == wanted.name) out[wanted.name] = pack(arguments, i);
      if (several || i >= arguments.size()) continue;
      const std::size_t open = type.find('<');
      const std::string head = type.substr(0, open);
      if (type == wanted.name) {
        out[wanted.name] = arguments[i];
      } else if (open != std::string::npos && arguments[i].is(Kind::Number) && type == head + "<" + wanted.name + ">") {
        out[wanted.name] = arguments[i];
      } else if (head.ends_with("Layout") && arguments[i].is(Kind::Layout)) {
        const bool shape = type.starts_with(head + "<" + wanted.name + ",");
        if (!shape && !type.ends_with("," + wanted.name + ">")) continue;
        auto part = reader.evaluated((shape ? "shape(" : "stride(") + arguments[i].text + ")");
        if (part) out[wanted.name] = *std::move(part);
      }
    }
  }
  return out;
}

std::string edit(std::string_view name, std::string_view value) {
  return "--let " + std::string(name) + "=" + std::string(value);
}

// sA, gB, mC, tCrA: tensors, in CuTe's manner.
bool isTensorName(std::string_view name) {
  return name.size() > 1 && std::string_view("sgmrt").find(name[0]) != std::string_view::npos && name[1] >= 'A' &&
         name[1] <= 'Z';
}

bool looksLikeType(std::string_view name) {
  const std::string last(name.substr(name.rfind(':') == std::string_view::npos ? 0 : name.rfind(':') + 1));
  const std::string lower = lowerCase(last);
  const bool brief = last.size() <= 2 && last.starts_with('T') && last.find_first_of("0123456789") == std::string::npos;
  return brief || lower.find("type") != std::string::npos || lower.find("element") != std::string::npos ||
         lower.find("dtype") != std::string::npos || (last.ends_with("_t") && last.size() > 2);
}

}  // namespace

std::optional<Meaning> Reader::found(std::string_view name) const {
  for (const Frame* frame = frame_.get(); frame != nullptr; frame = frame->outer.get())
    if (const auto at = frame->names.find(name); at != frame->names.end()) return at->second;
  return std::nullopt;
}

const Tree* Reader::templateOf(std::string_view name) const {
  for (const Frame* frame = frame_.get(); frame != nullptr; frame = frame->outer.get())
    if (const auto at = frame->templates.find(name); at != frame->templates.end()) return at->second;
  return nullptr;
}

std::optional<Meaning> Reader::given(std::string_view name) {
  const std::string* let = given_.let(name);
  if (let == nullptr) return std::nullopt;
  std::string text = *let;
  if (text.starts_with('[') && text.ends_with(']')) text = "(" + text.substr(1, text.size() - 2) + ")";
  const Instead<std::shared_ptr<Frame>> outside(frame_, frames_.make());
  if (auto tree = code::readCppExpression(text)) {
    // The value of a name is no longer asked for by that name.
    const bool itself = tree->kind == Tree::Kind::Name && given_.let(tree->text) != nullptr;
    if (!itself)
      if (auto value = meaning(*tree); value && !value->is(Kind::Unknown))
        return sheet_.named(name, *std::move(value), given_.bound);
  }
  if (auto value = evaluated(text)) return *std::move(value);
  return textual(Kind::Word, text);
}

Evaluated Sheet::evaluate(const std::string& expression) {
  const std::vector<tessera::Statement> parsed = splitStatements(expression);
  Evaluated out;
  if (parsed.size() == 1) return tessera::evaluate(parsed[0], scope_);
  out.diag = Diag{"this is no single expression: " + expression};
  return out;
}

Evaluated Sheet::bind(const std::string& name, const std::string& text) {
  Evaluated out = evaluate(name + " = " + text);
  if (out.diag) return out;
  if (isDependent(text)) {
    dependent_.insert(name);
  } else {
    dependent_.erase(name);
  }
  return out;
}

Meaning Sheet::named(std::string_view name, Meaning value, const std::vector<std::string>& bound) {
  if (!value.is(Kind::Number) || std::find(bound.begin(), bound.end(), name) == bound.end()) return value;
  const std::string ours = worksheetName(name);
  if (!dependent_.contains(ours)) {
    if (evaluate(ours + " = " + std::to_string(value.number)).diag) return value;
    dependent_.insert(ours);
  }
  value.formula = ours;
  return value;
}

bool Sheet::isDependent(std::string_view text) const {
  if (dependent_.empty()) return false;
  const std::vector<std::string_view> names = namePartsIn(text);
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return dependent_.contains(name); });
}

Result<Meaning> Reader::choice(const Meaning& condition, const Tree& a, const Tree& b) {
  const bool first = condition.number != 0;
  TESSERA_TRY(Meaning chosen, meaning(first ? a : b));
  if (condition.formula.empty() || chosen.is(Kind::Unknown)) return chosen;
  const Instead<bool> silent(silent_, true);  // the other branch binds nothing
  const Result<Meaning> other = meaning(first ? b : a);
  if (!other || other->is(Kind::Unknown)) return chosen;
  Meaning copy = chosen;
  return first ? chosenBy(condition, std::move(copy), chosen, *other)
               : chosenBy(condition, std::move(copy), *other, chosen);
}

Meaning question(std::string_view name, Span span, std::string_view asks) {
  Meaning out;
  const std::string lower = lowerCase(name);
  const auto has = [&](std::string_view word) { return lower.find(word) != std::string::npos; };
  const bool type = looksLikeType(name), constant = name.starts_with('k');
  std::string_view value = "64";
  if (type) {
    value = "half_t";
  } else if (has("major")) {
    value = "GMMA::Major::K";
  } else if (has("mma")) {
    value = "'make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1))'";
  } else if (!constant && (has("layout") || has("atom") || isTensorName(name))) {
    value = "'(8,64):(64,1)'";
  } else if (!constant && (has("shape") || has("tile") || has("coord"))) {
    value = "'(128,64)'";
  }
  out.asks.push_back({std::string(name), std::string(type ? "a type" : asks), edit(name, value), span});
  return out;
}

void Reader::parameters(const Tree& tree, const std::vector<Meaning>& arguments, bool ask) {
  for (std::size_t i = 0; i < tree.templateParameters.size(); ++i) {
    const Tree::Parameter& parameter = tree.templateParameters[i];
    if (parameter.name.empty()) continue;
    Meaning value;
    if (parameter.type.ends_with(" ...")) {
      frame_->names[parameter.name] = pack(arguments, i);
      continue;
    }
    if (auto let = given(parameter.name); let && ask) {
      value = *std::move(let);
    } else if (i < arguments.size()) {
      value = arguments[i];
    } else if (!parameter.byDefault.empty()) {
      auto byDefault = meaning(parameter.byDefault[0]);
      if (byDefault) value = *std::move(byDefault);
      if (!byDefault) value.refused = byDefault.error();
      if (ask && byDefault && !value.is(Kind::Unknown) && !value.is(Kind::Scope))
        note(parameter.name + " = " + print(parameter.byDefault[0], Language::Cpp) + ", its default");
    } else {
      const bool type = parameter.type.starts_with("typename");
      value = question(parameter.name, parameter.span, type ? "a type, a template argument" : "a template argument");
      if (type && value.asks[0].suggests.ends_with("=64")) value.asks[0].suggests = edit(parameter.name, "half_t");
      if (!type) value.asks[0].suggests = edit(parameter.name, "64");
    }
    frame_->names[parameter.name] = std::move(value);
  }
}

Result<std::optional<Meaning>> Reader::instantiated(const Tree& name) {
  using Nothing = std::optional<Meaning>;
  const Tree* tree = templateOf(lastName(name));
  if (tree == nullptr || tree->kind == Tree::Kind::Function) return Nothing();
  TESSERA_TRY(std::vector<Meaning> arguments, templateArguments(name));
  if (std::any_of(arguments.begin(), arguments.end(), [](const Meaning& m) { return m.is(Kind::Unknown); }))
    return Nothing(unknown(arguments));
  const Nesting level;
  if (level.tooDeep()) return Diag{"the templates nest too deep", {}, {}, name.span};
  std::string key = std::string(lastName(name)) + "<";
  for (const Meaning& argument : arguments) key += written(argument, false) + ",";
  auto inner = frames_.make();
  inner->outer = frame_;
  if (tree->kind == Tree::Kind::Alias || tree->kind == Tree::Kind::Declare) {
    const Instead<std::shared_ptr<Frame>> inside(frame_, inner);
    parameters(*tree, arguments, false);
    TESSERA_TRY(Meaning value, meaning(tree->children[tree->kind == Tree::Kind::Alias ? 0 : 1]));
    return Nothing(std::move(value));
  }
  Meaning out = textual(Kind::Scope, std::string(lastName(name)));
  if (const auto known = frames_.instances.find(key); known != frames_.instances.end()) {
    out.scope = known->second;
    return Nothing(std::move(out));
  }
  frames_.instances[key] = inner;
  out.scope = inner;
  const Instead<std::shared_ptr<Frame>> inside(frame_, inner);
  parameters(*tree, arguments, arguments.empty());
  inherit(*tree);
  statements(tree->children);
  return Nothing(std::move(out));
}

// The members of the base classes of the struct that is being read; a base that has no meaning here has none.
void Reader::inherit(const Tree& tree) {
  for (const Tree& base : tree.extents) {
    const auto of = meaning(base);
    if (!of || !of->is(Kind::Scope) || of->scope == nullptr || of->scope == frame_) continue;
    for (const auto& [name, member] : of->scope->names) frame_->names.try_emplace(name, member);
    for (const auto& [name, made] : of->scope->templates) frame_->templates.try_emplace(name, made);
  }
}

Result<std::optional<Meaning>> Reader::called(std::string_view name, const Tree& callee,
                                              std::vector<Meaning> arguments) {
  using Nothing = std::optional<Meaning>;
  const Tree* tree = templateOf(name);
  if (tree == nullptr) return Nothing();
  TESSERA_TRY(std::vector<Meaning> templates, templateArguments(callee));
  if (tree->kind != Tree::Kind::Function) {
    TESSERA_TRY(auto made, instantiated(callee));
    return made;
  }
  const Nesting level;
  if (level.tooDeep()) return Diag{"the functions nest too deep", {}, {}, callee.span};
  auto inner = frames_.make();
  inner->outer = frame_;
  const Instead<std::shared_ptr<Frame>> inside(frame_, inner);
  const Instead<bool> silent(silent_, true);
  parameters(*tree, templates, false);
  for (auto& [of, value] : deduced(*this, *tree, templates.size(), arguments)) frame_->names[of] = value;
  for (std::size_t i = 0; i < tree->parameters.size(); ++i) {
    const Tree::Parameter& parameter = tree->parameters[i];
    if (parameter.type.ends_with("...")) {
      frame_->names[parameter.name] = pack(arguments, i);
    } else if (i < arguments.size()) {
      frame_->names[parameter.name] = arguments[i];
    } else if (!parameter.byDefault.empty()) {
      TESSERA_TRY(frame_->names[parameter.name], meaning(parameter.byDefault[0]));
    }
  }
  return run(tree->children[0].children);
}

Result<std::optional<Meaning>> Reader::run(const std::vector<Tree>& body) {
  using Nothing = std::optional<Meaning>;
  for (const Tree& one : body) {
    spend();
    if (one.kind == Tree::Kind::Return) {
      if (one.children.empty()) return Nothing();
      TESSERA_TRY(Meaning value, meaning(one.children[0]));
      return Nothing(std::move(value));
    }
    if (one.kind == Tree::Kind::Block) {
      TESSERA_TRY(Nothing value, run(one.children));
      if (value) return value;
    } else if (one.kind == Tree::Kind::If) {
      TESSERA_TRY(Meaning condition, meaning(one.children[0]));
      if (condition.is(Kind::Unknown)) return Nothing(std::move(condition));
      const Tree& chosen = one.children[condition.number != 0 ? 1 : 2];
      TESSERA_TRY(Nothing value, run(chosen.kind == Tree::Kind::Block ? chosen.children : std::vector<Tree>{chosen}));
      if (value) return value;
    } else {
      statement(one);
    }
  }
  return Nothing();
}

}  // namespace tessera::paste::cute_cpp
