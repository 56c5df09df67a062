#include "core/graphene/with_sizes.h"

#include "core/graphene/meaning.h"
#include "core/graphene/walk.h"

namespace tessera::graphene {
namespace {

class Sizer {
 public:
  Sizer(const Program& program, const Sizes& sizes) {
    for (std::size_t v = 0; v < program.variables.size(); ++v) {
      const Variable& variable = program.variables[v];
      const auto given = variable.kind == Variable::Kind::Size ? sizes.find(variable.name) : sizes.end();
      values_.push_back(given == sizes.end() ? Expr::param(static_cast<int>(v)) : Expr::constant(given->second));
    }
  }

  void apply(Program& program) {
    for (std::size_t v = 0; v < values_.size(); ++v) {
      Variable& variable = program.variables[v];
      for (Expr* e : {&variable.lo, &variable.hi, &variable.value}) one(*e);
      if (variable.kind != Variable::Kind::Size || !values_[v].isConstant()) continue;
      variable.kind = Variable::Kind::Index;  // of this value, in every thread
      variable.value = values_[v];
    }
    tensors(program.operands);
    body(program.specs);
  }

 private:
  void one(Expr& e) { e = substitute(e, {}, values_); }
  void tensor(Tensor& t) {
    changeExpressions(t, [&](const Expr& e) { return substitute(e, {}, values_); });
  }
  void tensors(std::vector<Tensor>& all) {
    for (Tensor& t : all) tensor(t);
  }
  void conditions(std::vector<Comparison>& all) {
    for (Comparison& c : all)
      for (Expr* e : {&c.left, &c.right}) one(*e);
  }
  void meaning(Spec& spec) {
    if (!spec.meaning) return;
    auto changed = std::make_shared<Meaning>(*spec.meaning);
    for (MeaningNode& n : changed->nodes) {
      for (Expr& e : n.at) one(e);
      one(n.lo);
      one(n.hi);
      conditions(n.condition);
    }
    spec.meaning = std::move(changed);
  }
  // Depth is bounded by the reader.
  void body(Body& statements) {
    for (Statement& s : statements) {
      if (auto* define = std::get_if<Define>(&s.what)) tensor(define->tensor);
      if (auto* temporary = std::get_if<Temporary>(&s.what)) tensor(temporary->tensor);
      if (auto* branch = std::get_if<Branch>(&s.what)) conditions(branch->condition);
      if (auto* barrier = std::get_if<Mbarrier>(&s.what)) {
        tensor(barrier->barrier);
        one(barrier->value);
        tensors(barrier->data);
      }
      if (auto* spec = std::get_if<Spec>(&s.what)) {
        for (auto* all : {&spec->outputs, &spec->inputs, &spec->blocks, &spec->threads, &spec->barriers}) tensors(*all);
        meaning(*spec);
      }
      for (Body* inner : bodiesOf(s)) body(*inner);
    }
  }

  std::vector<Expr> values_;
};

}  // namespace

Program withSizes(const Program& program, const Sizes& sizes) {
  Program out = program;
  Sizer(program, sizes).apply(out);
  return out;
}

}  // namespace tessera::graphene
