#include "solver/graphene/sizes/own_inputs.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "core/base/work_budget.h"
#include "core/expr/walk.h"
#include "core/graphene/meaning.h"
#include "core/graphene/walk.h"
#include "solver/graphene/sizes/kernel_alone.h"

namespace tessera::graphene {
namespace {

bool isIn(const Site& s, int loop) { return std::ranges::find(s.loops, loop) != s.loops.end(); }

// The equations with readings of operand `of` outside of sums over the size as readings of operand `by`.
class OuterReadings {
 public:
  OuterReadings(const Meaning& meaning, int size, int of, int by)
      : out_(std::make_shared<Meaning>(meaning)), size_(size), of_(of), by_(by) {}

  std::shared_ptr<const Meaning> run() {
    const std::size_t count = out_->equations.size();
    for (std::size_t e = 0; e < count; ++e)
      if (out_->equations[e].output >= 0) {
        const int node = copied(out_->equations[e].node);
        out_->equations[e].node = node;
      }
    return out_;
  }

 private:
  int copied(int k) {
    spend(4);
    MeaningNode n = out_->nodes[k];
    if (n.kind == MeaningNode::Kind::Reduce && (mentionsParam(n.lo, size_) || mentionsParam(n.hi, size_))) return k;
    if (n.kind == MeaningNode::Kind::Operand && n.what == of_) n.what = by_;
    if (n.kind == MeaningNode::Kind::Named) n.what = equation(n.what);
    for (int& part : n.parts) part = copied(part);
    out_->nodes.push_back(std::move(n));
    return static_cast<int>(out_->nodes.size()) - 1;
  }
  int equation(int k) {
    if (out_->equations[k].output >= 0) return k;
    const auto next = static_cast<int>(out_->equations.size());
    if (const auto [at, first] = copies_.try_emplace(k, next); !first) return at->second;
    out_->equations.push_back(out_->equations[k]);
    out_->equations[next].name += "'";
    const int node = copied(out_->equations[k].node);
    out_->equations[next].node = node;
    return next;
  }

  std::shared_ptr<Meaning> out_;
  const int size_, of_, by_;
  std::map<int, int> copies_;  // of equations
};

class OwnInputs {
 public:
  OwnInputs(const Sites& sites, int size, std::string_view architecture)
      : sites_(sites), size_(size), architecture_(architecture), out_(*sites.program) {}

  std::optional<Program> run() {
    const std::vector<int> loops = loopsTo(sites_, 0, size_);
    for (const int loop : loops) {
      if (loops.size() < 2 || !writesOutputs(sites_, 0, loop)) continue;
      for (int storage = 0; storage < std::ssize(sites_.program->operands); ++storage)
        if (isOnlyRead(sites_, 0, storage) && isReadOnBothSides(storage, loop)) give(storage, loop);
    }
    if (given_.empty() || failed_ || !isOnlyRenamed()) return std::nullopt;
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool isReadOnBothSides(int storage, int loop) const {
    bool inside = false, outside = false;
    for (const Site& s : sites_.sites)
      for (const Access& a : s.accesses)
        if (a.storage == storage) (isIn(s, loop) ? inside : outside) = true;
    return inside && outside;
  }

  void give(int storage, int loop) {
    const Tensor& declared = sites_.of(storage).declared;
    const SpecNode& node = sites_.specs[0];
    const auto input =
        std::ranges::find_if(node.inputs, [&](int n) { return sites_.storageOf(n) == storage; }) - node.inputs.begin();
    Spec& kernel = *kernelOf(out_);
    if (input == std::ssize(node.inputs) || !kernel.meaning) {
      failed_ = true;
      return;
    }
    std::string name = declared.name;
    do name += "'";
    while (std::ranges::find(out_.operands, name, &Tensor::name) != out_.operands.end());
    given_[{storage, loop}] = static_cast<int>(out_.operands.size());
    out_.operands.push_back(declared);
    out_.operands.back().name = name;
    const int of = static_cast<int>(kernel.outputs.size()) + static_cast<int>(input),
              by = static_cast<int>(kernel.outputs.size() + kernel.inputs.size());
    kernel.inputs.push_back(kernel.inputs[input]);
    kernel.inputs.back().name = name;
    kernel.meaning = OuterReadings(*kernel.meaning, size_, of, by).run();
    redefine(storage, loop, out_.operands.back());
  }

  static Spec* kernelOf(Program& program) {
    for (Statement& s : program.specs)
      if (auto* spec = std::get_if<Spec>(&s.what)) return spec;
    return nullptr;
  }

  // In the loop, all names of the storage are names of the new one.
  void redefine(int storage, int loop, const Tensor& by) {
    std::vector<Tensor> names{sites_.of(storage).declared};
    for (Walk walk(sites_.program->specs); const Statement* s = walk.next();)
      if (const auto* d = std::get_if<Define>(&s->what))
        if (std::ranges::any_of(names, [&](const Tensor& t) { return nameOf(t) == d->source; }))
          names.push_back(d->tensor);
    for (Statement& s : kernelOf(out_)->body) {
      auto* l = std::get_if<Loop>(&s.what);
      if (l == nullptr || l->variable != loop) continue;
      Body defines;
      for (const Tensor& t : names) defines.push_back({s.span, Define{t, nameOf(by), ""}});
      l->body.insert(l->body.begin(), defines.begin(), defines.end());
    }
  }

  // Each access is to the storage it was to, or to the new one in the loop that has it.
  [[nodiscard]] bool isOnlyRenamed() const {
    const Sites now = sitesOf(out_, architecture_);
    const int operands = static_cast<int>(sites_.program->operands.size()),
              added = static_cast<int>(out_.operands.size()) - operands;
    if (now.sites.size() != sites_.sites.size()) return false;
    for (std::size_t k = 0; k < now.sites.size(); ++k) {
      const Site &a = sites_.sites[k], &b = now.sites[k];
      if (a.accesses.size() != b.accesses.size()) return false;
      for (std::size_t n = 0; n < a.accesses.size(); ++n) {
        const int from = a.accesses[n].storage, to = b.accesses[n].storage;
        const bool isGiven = std::ranges::any_of(given_, [&](const auto& g) {
          return g.first.first == from && g.second == to && isIn(a, g.first.second) && a.accesses[n].read &&
                 !a.accesses[n].write;
        });
        if (!isGiven && to != (from < operands ? from : from + added)) return false;
      }
    }
    return true;
  }

  const Sites& sites_;
  const int size_;
  const std::string_view architecture_;
  Program out_;
  std::map<std::pair<int, int>, int> given_;  // the new operand, by storage and loop
  bool failed_ = false;
};

}  // namespace

std::vector<int> loopsTo(const Sites& sites, int kernel, int size) {
  std::vector<int> out;
  for (const Statement& s : sites.specs[kernel].spec->body)
    if (const auto* loop = std::get_if<Loop>(&s.what))
      if (mentionsParam(sites.program->variables[loop->variable].hi, size)) out.push_back(loop->variable);
  return out;
}

bool writesOutputs(const Sites& sites, int kernel, int loop) {
  return std::ranges::any_of(sites.sites, [&](const Site& s) {
    return s.specs.front() == kernel && isIn(s, loop) && std::ranges::any_of(s.accesses, [&](const Access& a) {
             return a.write && a.storage >= 0 && sites.of(a).declared.memory == Memory::Global;
           });
  });
}

std::optional<Program> withOwnInputs(const Sites& sites, int size, std::string_view architecture) {
  return OwnInputs(sites, size, architecture).run();
}

}  // namespace tessera::graphene
