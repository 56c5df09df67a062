#include "core/code/tree.h"

#include <algorithm>

#include "core/code/cpp/print_cpp.h"
#include "core/code/python/print_python.h"

namespace tessera::code {

namespace {

bool sameTrees(const std::vector<Tree>& a, const std::vector<Tree>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), sameTree);
}

bool sameParameters(const std::vector<Tree::Parameter>& a, const std::vector<Tree::Parameter>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.name == y.name && x.type == y.type && sameTrees(x.byDefault, y.byDefault);
  });
}

}  // namespace

bool sameTree(const Tree& a, const Tree& b) {
  return a.kind == b.kind && a.text == b.text && a.value == b.value && a.isTemplate == b.isTemplate &&
         a.qualifiers == b.qualifiers && sameTrees(a.children, b.children) &&
         sameTrees(a.templateArguments, b.templateArguments) && sameTrees(a.extents, b.extents) &&
         sameParameters(a.parameters, b.parameters) && sameParameters(a.templateParameters, b.templateParameters);
}

std::string print(const Tree& tree, Language language) {
  return language == Language::Cpp ? printCpp(tree) : printPython(tree);
}

std::string_view lastName(const Tree& tree) {
  if (tree.kind != Tree::Kind::Name && tree.kind != Tree::Kind::Member) return {};
  const std::string_view text = tree.text;
  const std::size_t at = text.rfind("::");
  return at == std::string_view::npos ? text : text.substr(at + 2);
}

std::string_view calledName(const Tree& tree) {
  if (tree.kind != Tree::Kind::Call || tree.children.empty()) return {};
  return lastName(tree.children[0]);
}

}  // namespace tessera::code
