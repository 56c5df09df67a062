// Programs as text: types with strides, one statement per line, two blanks per level. The printer visits statements
// recursively, not by Walk, because each kind has its own text, some of it after the statements inside.
#include "core/graphene/program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/mapped.h"
#include "core/graphene/meaning.h"
#include "core/graphene/walk.h"

namespace tessera::graphene {
namespace {

std::string listOf(const std::vector<Tensor>& tensors) {
  return fmt::format("{}", fmt::join(mapped<std::string>(tensors, [](const Tensor& t) { return nameOf(t); }), ", "));
}

// A single text as it is, several in brackets.
std::string grouped(const std::vector<std::string>& all) {
  return all.size() == 1 ? all[0] : fmt::format("({})", fmt::join(all, ", "));
}

class Printer {
 public:
  explicit Printer(const Program& program) : program_(program), names_(namesOf(program.variables)) {}

  std::string run() {
    for (const Tensor& t : program_.operands) line(print(t));
    for (const Assumption& a : program_.assumptions) line("assume " + print(a.condition, names_));
    body(program_.specs);
    return std::move(out_);
  }

 private:
  void line(std::string_view text) { out_ += std::string(depth_ * 2, ' ') + std::string(text) + "\n"; }
  [[nodiscard]] std::string text(const Expr& e) const { return print(e, names_); }
  void body(const Body& statements) {
    for (const Statement& s : statements) std::visit([this](const auto& what) { print1(what); }, s.what);
  }
  void nested(const std::string& head, const Body& statements) {
    line(head + " {");
    ++depth_;
    body(statements);
    --depth_;
    line("}");
  }

  // `holds` is printed only in the declaration.
  void print1(const Define& d) {
    Tensor shown = d.tensor;
    shown.holds = {};
    line(fmt::format("{} = {}{}", print(shown), d.source, d.operations));
  }
  void print1(const Temporary& t) { line(print(t.tensor)); }
  template <typename Keyword>
  void print1(const Keyword& k) {
    line(wordsOf({{}, k}));
  }
  void print1(const Indices& indices) {
    std::vector<std::string> levels;
    for (const auto& level : indices.variables) {
      std::vector<std::string> dims;
      for (const auto& dim : level) {
        dims.push_back(grouped(mapped<std::string>(dim, [&](int v) { return names_[static_cast<std::size_t>(v)]; })));
      }
      levels.push_back(grouped(dims));
    }
    line(fmt::format("{} = {}.indices()", fmt::join(levels, ", "), indices.source));
  }
  void print1(const Loop& loop) {
    const Variable& v = program_.variables[static_cast<std::size_t>(loop.variable)];
    nested(fmt::format("for ({0} = {1}; {0} < {2}; {0} += {3})", v.name, text(v.lo), text(v.hi), v.step), loop.body);
  }
  void print1(const Branch& branch) {
    nested(fmt::format("if ({})", print(branch.condition, names_)), branch.then);
    if (!branch.otherwise.empty()) nested("else", branch.otherwise);
  }
  void print1(const Spec& spec) {
    std::string head = headOf(spec, /*expanded=*/true);
    if (spec.meaning) {
      line(head + " means {");
      for (const std::string& equation : print(*spec.meaning, spec, names_)) line("  " + equation);
      head = "}";
    }
    if (spec.decomposed) return nested(head, spec.body);
    line(head);
  }

  const Program& program_;
  std::vector<std::string> names_;
  std::string out_;
  std::size_t depth_ = 0;
};

std::string wordsOf(const Mbarrier& m) {
  const std::string name = "%" + m.barrier.name;
  if (m.op == Mbarrier::Op::Init) return fmt::format("mbarrier.init {}, {}", name, m.value.value());
  if (m.op == Mbarrier::Op::Arrive) return "mbarrier.arrive " + name;
  if (m.op == Mbarrier::Op::Wait) {
    const std::string phase = print(m.value, m.barrier.symbols);
    return fmt::format("mbarrier.wait {}, {}", name, m.value.isConstant() ? phase : "(" + phase + ")");
  }
  std::string out = "mbarrier.expect " + name;
  for (const Tensor& t : m.data) out += ", %" + t.name;
  return out;
}

}  // namespace

std::string nameOf(const Tensor& t) { return (t.threads ? "#" : "%") + t.name; }

std::vector<std::string> namesOf(const std::vector<Variable>& variables) {
  return mapped<std::string>(variables, &Variable::name);
}

std::string headOf(const Spec& spec, bool expanded) {
  const bool call = !spec.called.empty() && !expanded;
  std::string head =
      fmt::format("{} <- {}", listOf(spec.outputs), call ? std::string_view(spec.called) : name(spec.kind));
  if (!spec.barriers.empty())
    head += fmt::format("<{} {}>", spec.attribute, listOf(spec.barriers));
  else if (!spec.attribute.empty() && !call)
    head += fmt::format("<{}>", spec.attribute);
  if (!spec.blocks.empty()) head += fmt::format("<<<{}, {}>>>", listOf(spec.blocks), listOf(spec.threads));
  return head + fmt::format("({})", listOf(spec.inputs));
}

std::string print(const std::vector<Comparison>& condition, const std::vector<std::string>& names) {
  std::vector<std::string> parts;
  for (const Comparison& c : condition)
    parts.push_back(fmt::format("{} {} {}", print(c.left, names), c.op, print(c.right, names)));
  return fmt::format("{}", fmt::join(parts, " && "));
}

std::string print(const Program& program) { return Printer(program).run(); }

std::string wordsOf(const Statement& s) {
  if (const auto* sync = std::get_if<Sync>(&s.what)) return sync->warp ? "syncwarp" : "sync";
  if (const auto* commit = std::get_if<Commit>(&s.what)) return commit->product ? "wgmma.commit" : "commit";
  if (const auto* wait = std::get_if<Wait>(&s.what))
    return fmt::format("{}wait {}", wait->product ? "wgmma." : "", wait->pending);
  if (const auto* barrier = std::get_if<Mbarrier>(&s.what)) return wordsOf(*barrier);
  if (const auto* fence = std::get_if<Fence>(&s.what)) return fence->async ? "fence.async" : "wgmma.fence";
  return "";
}

const Statement* Walk::next() {
  if (last_ != nullptr)
    if (const auto inside = bodiesOf(*last_); inside.count > 0)
      open_.push_back({last_, inside.all[0], inside.all[1], 0});
  while (!open_.empty()) {
    Level& level = open_.back();
    if (level.next < level.body->size()) return last_ = &(*level.body)[level.next++];
    if (level.another != nullptr) {
      level = {level.of, level.another, nullptr, 0};
    } else {
      open_.pop_back();
    }
  }
  return last_ = nullptr;
}

std::vector<const Spec*> leavesOf(const Program& program) {
  std::vector<const Spec*> out;
  for (Walk walk(program.specs); const Statement* s = walk.next();)
    if (const auto* spec = std::get_if<Spec>(&s->what); spec != nullptr && !spec->decomposed) out.push_back(spec);
  return out;
}

std::vector<const Spec*> outermostOf(const Program& program) {
  std::vector<const Spec*> out;
  for (const Statement& s : program.specs)
    if (const auto* spec = std::get_if<Spec>(&s.what)) out.push_back(spec);
  return out;
}

}  // namespace tessera::graphene
