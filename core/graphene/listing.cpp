#include "core/graphene/listing.h"

#include <algorithm>

#include "core/base/cursor.h"
#include "core/graphene/walk.h"

namespace tessera::graphene {

Result<Listing> readListing(std::string name, std::string_view text) {
  TESSERA_TRY(Program program, readProgram(text));
  return Listing{std::move(name), std::string(text), std::make_shared<const Program>(std::move(program))};
}

Result<Listing> readBlock(std::string_view statement) {
  TESSERA_TRY(NamedBlock block, namedBlock(statement, "graphene", "graphene kernel {"));
  TESSERA_TRY(Program program, readProgram(block.inside));
  return Listing{std::move(block.name), std::string(statement), std::make_shared<const Program>(std::move(program))};
}

std::string print(const Listing& listing) {
  std::string out = print(*listing.program);
  while (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

namespace {

// The value of every variable in block 0, thread 0 and the first iteration of its loop; a size stays symbolic.
std::vector<Expr> firstValues(const Program& program) {
  std::vector<Expr> out;
  for (const Variable& v : program.variables) {
    Expr value = Expr::constant(0);
    if (v.kind == Variable::Kind::Size) value = Expr::param(static_cast<int>(out.size()));
    if (v.kind == Variable::Kind::Loop) value = substitute(v.lo, {}, out);
    if (v.kind == Variable::Kind::Index) value = substitute(v.value, {}, out);
    out.push_back(value);
  }
  return out;
}

Tensor atFirst(Tensor tensor, const Program& program) {
  const std::vector<Expr> values = firstValues(program);
  const auto set = [&](Expr& e) { e = substitute(e, {}, values); };
  set(tensor.offset);
  for (Expr& e : tensor.origin) set(e);
  const bool sized =
      std::ranges::any_of(program.variables, [](const Variable& v) { return v.kind == Variable::Kind::Size; });
  if (!sized) tensor.symbols.clear();
  return tensor;
}

}  // namespace

std::optional<Tensor> findTensor(const Program& program, std::string_view name) {
  if (name.size() < 2 || (name[0] != '%' && name[0] != '#')) return std::nullopt;
  const bool threads = name[0] == '#';
  const std::string_view bare = name.substr(1);
  for (const Tensor& t : program.operands)
    if (t.threads == threads && t.name == bare) return atFirst(t, program);
  for (Walk walk(program.specs); const Statement* s = walk.next();) {
    const auto* define = std::get_if<Define>(&s->what);
    const auto* temporary = std::get_if<Temporary>(&s->what);
    const Tensor* const t = define != nullptr ? &define->tensor : temporary != nullptr ? &temporary->tensor : nullptr;
    if (t != nullptr && t->threads == threads && t->name == bare) return atFirst(*t, program);
  }
  return std::nullopt;
}

}  // namespace tessera::graphene
