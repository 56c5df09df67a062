#include "core/graphene/spec_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace tessera::graphene {
namespace {

class TreeMaker {
 public:
  TreeMaker(const Program& program, std::string_view architecture)
      : architecture_(architecture), names_(namesOf(program.variables)) {
    scopes_.emplace_back();
    for (const Tensor& t : program.operands) {
      if (!t.threads) declare(t, nullptr);
    }
    body(program.specs);
  }
  SpecTree take() { return std::move(tree_); }

 private:
  void declare(const Tensor& t, const Body* where) {
    scopes_.back()[nameOf(t)] = tree_.named[nameOf(t)] = static_cast<int>(tree_.roots.size());
    tree_.roots.push_back({&t, where});
  }
  [[nodiscard]] int rootOf(const std::string& name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (const auto at = scope->find(name); at != scope->end()) return at->second;
    }
    return -1;
  }

  void body(const Body& statements) {
    scopes_.emplace_back();
    for (const Statement& s : statements) {
      if (const auto* temporary = std::get_if<Temporary>(&s.what)) declare(temporary->tensor, &statements);
      if (const auto* define = std::get_if<Define>(&s.what)) {
        const int root = rootOf(define->source);
        scopes_.back()[nameOf(define->tensor)] = root;
        if (root >= 0) tree_.named[nameOf(define->tensor)] = root;
      }
      if (const auto* spec = std::get_if<Spec>(&s.what)) add(s, *spec);
      if (const auto* loop = std::get_if<Loop>(&s.what))
        within(fmt::format("for {}", names_[static_cast<std::size_t>(loop->variable)]), loop->body);
      if (const auto* branch = std::get_if<Branch>(&s.what)) {
        const std::string condition = print(branch->condition, names_);
        within("if " + condition, branch->then);
        within("else of " + condition, branch->otherwise);
      }
    }
    scopes_.pop_back();
  }
  void within(std::string head, const Body& statements) {
    around_.push_back(std::move(head));
    body(statements);
    around_.pop_back();
  }

  void add(const Statement& s, const Spec& spec) {
    SpecRow row;
    row.depth = static_cast<int>(parents_.size());
    row.parent = parents_.empty() ? -1 : parents_.back();
    const int self = static_cast<int>(tree_.rows.size());
    row.kernel = parents_.empty() ? self : parents_.front();
    row.span = s.span;
    row.spec = &spec;
    row.text = headOf(spec);
    row.around = around_;
    row.leaf = !spec.decomposed;
    for (const auto* list : {&spec.outputs, &spec.inputs}) {
      for (const Tensor& t : *list) row.roots.push_back(rootOf(nameOf(t)));
    }
    if (row.leaf && spec.kind != SpecKind::Allocate) {
      if (auto atom = matchAtom(spec, architecture_)) {
        row.atom = *std::move(atom);
      } else {
        row.fault = atom.error().message;
      }
    }
    tree_.rows.push_back(std::move(row));
    parents_.push_back(self);
    const std::vector<std::string> outer = std::exchange(around_, {});
    body(spec.body);
    around_ = outer;
    parents_.pop_back();
  }

  std::string_view architecture_;
  std::vector<std::string> names_;
  std::vector<std::map<std::string, int>> scopes_;
  std::vector<std::string> around_;
  std::vector<int> parents_;
  SpecTree tree_;
};

}  // namespace

int SpecTree::rowOf(const Spec* spec) const {
  const auto at = std::find_if(rows.begin(), rows.end(), [&](const SpecRow& r) { return r.spec == spec; });
  return at == rows.end() ? -1 : static_cast<int>(at - rows.begin());
}

SpecTree specTree(const Program& program, std::string_view architecture) {
  return TreeMaker(program, architecture).take();
}

}  // namespace tessera::graphene
