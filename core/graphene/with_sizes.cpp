#include "core/graphene/with_sizes.h"

#include "core/graphene/meaning.h"
#include "core/graphene/walk.h"

namespace tessera::graphene {
namespace {

class Changer {
 public:
  explicit Changer(const std::function<Expr(const Expr&)>& change, const Names* symbols = nullptr)
      : change_(change), symbols_(symbols) {}

  void apply(Program& program) {
    for (Variable& variable : program.variables)
      for (Expr* e : {&variable.lo, &variable.hi, &variable.value}) one(*e);
    tensors(program.operands);
    for (Assumption& a : program.assumptions) conditions(a.condition);
    body(program.specs);
  }

 private:
  void one(Expr& e) { e = change_(e); }
  void tensor(Tensor& t) {
    changeExpressions(t, change_);
    if (symbols_ != nullptr) t.symbols = *symbols_;
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

  const std::function<Expr(const Expr&)>& change_;
  const Names* symbols_;  // may be null: they stay
};

}  // namespace

Program withExpressions(Program program, const std::function<Expr(const Expr&)>& change) {
  Changer(change).apply(program);
  return program;
}

Program withSymbols(Program program) {
  const Names names(namesOf(program.variables));
  Changer([](const Expr& e) { return e; }, &names).apply(program);
  return program;
}

Program withSizes(const Program& program, const Sizes& sizes) {
  std::vector<Expr> values;
  for (std::size_t v = 0; v < program.variables.size(); ++v) {
    const Variable& variable = program.variables[v];
    const auto given = variable.kind == Variable::Kind::Size ? sizes.find(variable.sizeName()) : sizes.end();
    values.push_back(given == sizes.end() ? Expr::param(static_cast<int>(v))
                                          : Expr::constant(given->second / variable.unit));
  }
  Program out = withExpressions(program, [&](const Expr& e) { return substitute(e, {}, values); });
  for (std::size_t v = 0; v < values.size(); ++v) {
    if (out.variables[v].kind != Variable::Kind::Size || !values[v].isConstant()) continue;
    out.variables[v].kind = Variable::Kind::Index;  // of this value, in every thread
    out.variables[v].value = values[v];
  }
  return out;
}

}  // namespace tessera::graphene
