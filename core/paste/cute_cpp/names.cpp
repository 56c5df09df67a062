// Names, template types and their members.
#include <algorithm>

#include "core/base/chars.h"
#include "core/paste/cute_cpp/reader.h"

namespace tessera::paste::cute_cpp {

namespace {

using Kind = Meaning::Kind;
using code::Language;
using code::Tree;

}  // namespace

Diag unreadable(const Tree& tree, std::string message) {
  return {std::move(message), "a layout, a tuple, a constant or an element type", {}, tree.span};
}

std::string spelled(const Tree& tree) {
  std::string out = print(tree, Language::Cpp);
  constexpr std::size_t kMost = 60;
  if (out.size() > kMost) out = out.substr(0, kMost) + "...";
  return out;
}

bool anyUnknown(const std::vector<Meaning>& list) {
  return std::any_of(list.begin(), list.end(), [](const Meaning& m) { return m.is(Kind::Unknown); });
}

Result<Meaning> Reader::conditionalType(const Tree& tree) {
  if (tree.templateArguments.size() != 3) return unreadable(tree, "conditional takes a condition and two types");
  TESSERA_TRY(Meaning condition, meaning(tree.templateArguments[0]));
  if (condition.is(Kind::Unknown)) return condition;
  if (!condition.is(Kind::Number)) return unreadable(tree.templateArguments[0], "this condition has no value");
  return choice(condition, tree.templateArguments[1], tree.templateArguments[2]);
}

Result<Meaning> Reader::templated(const Tree& tree) {
  const std::string_view name = lastName(tree);
  if (name == "conditional_t" || name == "conditional") return conditionalType(tree);
  TESSERA_TRY(auto user, instantiated(tree));
  if (user) return *std::move(user);
  Handler handler = typeNamed(name);
  if (handler == nullptr) handler = atomNamed(name);
  if (handler == nullptr) return unreadable(tree, "the template `" + std::string(name) + "` is not known");
  TESSERA_TRY(std::vector<Meaning> arguments, templateArguments(tree));
  if (anyUnknown(arguments)) return unknown(arguments);
  return handler(Use{*this, name, std::move(arguments), {}, tree.span});
}

// The member types of atoms, tiled mmas and copies: Shape_MNK, CLayout, TiledLayout_TV.
Result<Meaning> Reader::memberOf(const Meaning& of, std::string_view member, const Tree& tree) {
  const std::string name(member);
  if (of.is(Kind::Operation) || of.is(Kind::CopyAtom)) {
    if (name == "Shape_MNK") return evaluated("AtomShape_MNK(make_tiled_mma(" + of.text + "))");
    for (const std::string_view operand : {"A", "B", "C", "Src", "Dst", "Ref"})
      if (name == std::string(operand) + "Layout" || name == "Layout" + std::string(operand) + "_TV" ||
          name == "ValLayout" + std::string(operand))
        return textual(Kind::Layout, "atlas(" + of.text + ", " +
                                         (operand.size() == 1 ? std::string(operand) : lowerCase(operand)) + ")");
    if (name == "ThrID") return textual(Kind::Layout, "AtomThrID(make_tiled_mma(" + of.text + "))");
    if (name == "ValType" && !of.element.empty()) return textual(Kind::Type, of.element);
  }
  if (of.is(Kind::Tiled) && (name == "TiledShape_MNK" || name == "TileShape_MNK"))
    return evaluated("tile_shape(" + of.text + ")");
  if (of.is(Kind::Tiled) || of.is(Kind::Layout))
    if (auto value = evaluated(name + "(" + of.text + ")")) return value;
  return unreadable(tree, "`" + name + "` is no member that is known of `" + written(of, false) + "`");
}

Result<Meaning> Reader::nameMeaning(const Tree& tree) {
  if (auto value = given(tree.text); value && tree.children.empty()) return *std::move(value);
  if (!tree.children.empty()) {
    // Traits<T>::N, conditional<..>::type, Int<8>::value
    TESSERA_TRY(Meaning of, meaning(tree.children[0]));
    if (of.is(Kind::Unknown)) {
      // Unless the scope itself lacks something, its member does.
      if (auto whole = given(print(tree, Language::Cpp))) return *std::move(whole);
      return of;
    }
    if (tree.text == "value" || tree.text == "type") return of;
    if (of.is(Kind::Scope)) {
      if (const auto at = of.scope->names.find(tree.text); at != of.scope->names.end()) {
        if (at->second.refused) return *at->second.refused;
        return at->second;
      }
    }
    return memberOf(of, tree.text, tree);
  }
  if (tree.isTemplate) return templated(tree);
  if (auto known = found(tree.text)) {
    if (known->refused) return *known->refused;
    return *std::move(known);
  }
  // A struct, or a template whose arguments follow from the call.
  TESSERA_TRY(auto user, instantiated(tree));
  if (user) return *std::move(user);
  const std::size_t scope = tree.text.rfind("::");
  if (scope != std::string::npos && scope > 0) {
    Tree outer = tree;
    outer.text = tree.text.substr(0, scope);
    const auto known = found(outer.text);
    std::optional<Meaning> of = known;
    if (!of && templateOf(outer.text) != nullptr) {
      TESSERA_TRY(of, instantiated(outer));
    }
    if (of && of->refused) return *of->refused;
    if (of && of->is(Kind::Scope)) {
      const auto at = of->scope->names.find(std::string_view(tree.text).substr(scope + 2));
      if (at != of->scope->names.end()) {
        if (at->second.refused) return *at->second.refused;
        return at->second;
      }
    } else if (of && (tree.text.ends_with("::value") || tree.text.ends_with("::type"))) {
      return *std::move(of);
    } else if (of && !of->is(Kind::Unknown) && !of->is(Kind::Word)) {
      return memberOf(*of, std::string_view(tree.text).substr(scope + 2), tree);
    } else if (of) {
      return question(tree.text, tree.span, "a member");
    }
  }
  if (auto known = builtin(tree.text)) return *std::move(known);
  return question(tree.text, tree.span, "a constant, a type or a layout");
}

}  // namespace tessera::paste::cute_cpp
