#include "core/codegen/address/rotation.h"

#include "core/expr/walk.h"
#include "core/graphene/walk.h"

namespace tessera::codegen {
namespace {

using namespace graphene;

constexpr i64 kMostStages = 8;

class Finder {
 public:
  explicit Finder(const Program& program) : program_(program) {}
  void body(const Body& statements) {
    for (Walk walk(statements); const Statement* s = walk.next();) {
      const auto* spec = std::get_if<Spec>(&s->what);
      if (spec == nullptr) continue;
      open_ = walk.around<Loop>();
      for (const auto* tensors : {&spec->outputs, &spec->inputs})
        for (const Tensor& t : *tensors) look(t.offset);
    }
  }
  std::vector<std::pair<int, i64>> found;

 private:
  // (kt + c) mod n of a loop around.
  void look(const Expr& e) {
    childrenFirst(e, [&](const Expr& x) {
      if (x.op() != Op::Mod || !x.rhs().isConstant()) return;
      const i64 n = x.rhs().value();
      Expr left = x.lhs();
      if (left.op() == Op::Add && left.rhs().isConstant()) left = left.lhs();
      if (n < 2 || n > kMostStages || left.op() != Op::Param) return;
      for (const Loop* loop : open_)
        if (loop->variable == left.index()) note(loop->variable, n);
    });
  }
  void note(int variable, i64 n) {
    const Variable& v = program_.variables[static_cast<std::size_t>(variable)];
    if (v.step != 1 || !v.lo.isConstant()) return;
    for (const auto& [other, stages] : found)
      if (other == variable) return;  // the first number of stages counts
    found.emplace_back(variable, n);
  }

  const Program& program_;
  std::vector<const Loop*> open_;
};

}  // namespace

std::vector<std::pair<int, i64>> stagedLoops(const Program& program, const Body& body) {
  Finder finder(program);
  finder.body(body);
  return std::move(finder.found);
}

}  // namespace tessera::codegen
