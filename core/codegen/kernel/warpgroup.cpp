#include "core/codegen/kernel/warpgroup.h"

#include <fmt/format.h>

#include "core/codegen/operand/addresses.h"
#include "core/graphene/spec_tree.h"

namespace tessera::codegen {

using namespace graphene;

Products productsOf(const Program& program, const std::string& architecture) {
  Products out;
  if (!runsOn("sm_90", architecture)) return out;
  const SpecTree tree = specTree(program, architecture);
  for (const SpecRow& row : tree.rows) {
    if (row.atom && row.atom->box && row.roots.front() >= 0)
      out.matrices.insert(tree.roots[static_cast<std::size_t>(row.roots.front())].tensor);
    if (!row.atom || !row.atom->deferred) continue;
    for (std::size_t k = 0; k < row.roots.size(); ++k) {
      if (row.roots[k] < 0) continue;
      const Tensor* declared = tree.roots[static_cast<std::size_t>(row.roots[k])].tensor;
      // Sums, and A in registers: what is done to them stays on its side of fences and waits.
      (matrixOf(*row.atom, k) != nullptr ? out.matrices : out.sums).insert(declared);
    }
  }
  return out;
}

Result<void> writeProduct(const Atom& atom, const Spec& spec, const std::vector<Place>& places, Addresses& addresses,
                          Writer& out) {
  TESSERA_TRY(const std::string text, deviceFunction(atom, spec));
  const std::string function = functionName(atom.name);
  out.calls(function, text);
  out.calls("shared_address");
  out.calls("matrix_descriptor");
  const bool registers = matrixOf(atom, 1) == nullptr;
  if (!places[0].dense || (registers && !places[1].dense))
    return Diag{fmt::format("the {} of {} do not lie in the order that it has them in",
                            places[0].dense ? "factors" : "sums", atom.name),
                "registers side by side"};
  std::string arguments = addresses.pointer(places[0], 0), majors;
  if (registers) arguments += ", " + addresses.pointer(places[1], 0);
  for (const AtomMatrix& m : atom.matrices) {
    Place start = places[static_cast<std::size_t>(m.operand)];
    start.swizzle = {};  // nothing is moved where a matrix begins; the rest is the instruction's
    arguments += fmt::format(", tessera::matrix_descriptor<{}, {}, {}>({})", m.descriptor.sm90LayoutType(),
                             m.descriptor.leading, m.descriptor.stride, addresses.pointer(start, 0));
    majors += fmt::format("{}{}", majors.empty() ? "" : ", ", m.major == Major::K ? 0 : 1);
  }
  for (const Place& p : places) (void)out.use(p.root->name);
  out.line(fmt::format("tessera::{}<{}>({});", function, majors, arguments));
  return {};
}

}  // namespace tessera::codegen
