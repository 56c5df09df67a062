#include "core/graphene/spec_tree.h"

#include <algorithm>

#include "core/graphene/walk.h"

namespace tessera::graphene {
namespace {

// The row of a specification: its atom or fault, and the statements between it and its parent.
SpecRow rowFor(const Statement& s, const Walk& walk, const SpecTree& tree, const std::vector<std::string>& names,
               std::string_view architecture) {
  const auto& spec = std::get<Spec>(s.what);
  SpecRow row;
  const std::vector<const Spec*> above = walk.around<Spec>();
  row.depth = static_cast<int>(above.size());
  row.parent = above.empty() ? -1 : tree.rowOf(above.back());
  row.kernel = above.empty() ? static_cast<int>(tree.rows.size()) : tree.rowOf(above.front());
  row.span = s.span;
  row.spec = &spec;
  row.text = headOf(spec);
  row.leaf = !spec.decomposed;
  for (const Walk::Level& level : walk.open()) {
    if (level.of == nullptr) continue;
    if (std::holds_alternative<Spec>(level.of->what)) row.around.clear();
    if (const auto* loop = std::get_if<Loop>(&level.of->what))
      row.around.push_back("for " + names[static_cast<std::size_t>(loop->variable)]);
    if (const auto* branch = std::get_if<Branch>(&level.of->what))
      row.around.push_back((level.body == &branch->then ? "if " : "else of ") + print(branch->condition, names));
  }
  if (!row.leaf || spec.kind == SpecKind::Allocate) return row;
  if (auto atom = matchAtom(spec, architecture))
    row.atom = *std::move(atom);
  else
    row.fault = atom.error().message;
  return row;
}

}  // namespace

int SpecTree::rowOf(const Spec* spec) const {
  const auto at = std::ranges::find(rows, spec, &SpecRow::spec);
  return at == rows.end() ? -1 : static_cast<int>(at - rows.begin());
}

SpecTree specTree(const Program& program, std::string_view architecture) {
  SpecTree tree;
  const std::vector<std::string> names = namesOf(program.variables);
  // name -> root, for each open body; the caller's first.
  std::vector<std::pair<const Body*, std::map<std::string, int>>> scopes(1);
  const auto rootOf = [&](const std::string& name) {
    for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
      if (const auto at = scope->second.find(name); at != scope->second.end()) return at->second;
    return -1;
  };
  const auto declare = [&](const Tensor& t, const Body* where) {
    scopes.back().second[nameOf(t)] = tree.named[nameOf(t)] = static_cast<int>(tree.roots.size());
    tree.roots.push_back({&t, where});
  };
  for (const Tensor& t : program.operands)
    if (!t.threads) declare(t, nullptr);
  for (Walk walk(program.specs); const Statement* s = walk.next();) {
    const std::vector<Walk::Level>& open = walk.open();
    std::size_t same = 0;
    while (same < open.size() && same + 1 < scopes.size() && scopes[same + 1].first == open[same].body) ++same;
    scopes.resize(same + 1);
    for (; same < open.size(); ++same) scopes.push_back({open[same].body, {}});
    if (const auto* temporary = std::get_if<Temporary>(&s->what)) declare(temporary->tensor, open.back().body);
    if (const auto* define = std::get_if<Define>(&s->what)) {
      const int root = scopes.back().second[nameOf(define->tensor)] = rootOf(define->source);
      if (root >= 0) tree.named[nameOf(define->tensor)] = root;
    }
    const auto* spec = std::get_if<Spec>(&s->what);
    if (spec == nullptr) continue;
    SpecRow row = rowFor(*s, walk, tree, names, architecture);
    for (const auto* list : {&spec->outputs, &spec->inputs})
      for (const Tensor& t : *list) row.roots.push_back(rootOf(nameOf(t)));
    tree.rows.push_back(std::move(row));
  }
  return tree;
}

}  // namespace tessera::graphene
