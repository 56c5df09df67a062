// Products of a warpgroup: descriptors of their matrices, and registers that arrive later.
//
//     tessera::wgmma_m64n128k16_f32_f16_f16_ss<0, 0>(
//         acc, tessera::matrix_descriptor<1, 1, 64>(&sA[kt % 3 * 4096 + 16 * k]), ...);
//     tessera::wgmma_commit();
//     tessera::wgmma_wait<0>();
//     tessera::settled<64>(acc);      nothing at run time: the compiler reads acc after the wait, not before it
#include <fmt/format.h>

#include "core/codegen/kernel/kernel_writer.h"
#include "core/graphene/spec_tree.h"

namespace tessera::codegen {

using namespace graphene;

// Which tensors, where they are declared, are the sums and the matrices of products, and what TMA writes.
void KernelWriter::findProducts() {
  if (!runsOn("sm_90", options_.architecture)) return;
  const SpecTree tree = specTree(program_, options_.architecture);
  for (const SpecRow& row : tree.rows) {
    if (row.atom && row.atom->box && row.roots.front() >= 0)
      matrices_.insert(tree.roots[static_cast<std::size_t>(row.roots.front())].tensor);
    if (!row.atom || !row.atom->deferred) continue;
    for (std::size_t k = 0; k < row.roots.size(); ++k) {
      if (row.roots[k] < 0) continue;
      const Tensor* declared = tree.roots[static_cast<std::size_t>(row.roots[k])].tensor;
      // Sums, and A in registers: what is done to them stays on its side of fences and waits.
      (matrixOf(*row.atom, k) != nullptr ? matrices_ : sums_).insert(declared);
    }
  }
}

std::vector<Root*> KernelWriter::visibleSums() const {
  std::vector<Root*> out;
  for (const auto& root : roots_) {
    if (!root->sums) continue;
    bool visible = false;
    for (const Scope& scope : scopes_)
      for (const auto& [name, at] : scope.roots) visible = visible || at == root.get();
    if (visible) out.push_back(root.get());
  }
  return out;
}

// What the compiler may not move past this place: the registers that products are added to.
void KernelWriter::settle() {
  for (Root* root : visibleSums()) {
    fixed("settled");
    out_.line(fmt::format("tessera::settled<{}>({});", root->places.value(), out_.use(root->name)));
  }
}

// Bytes, in shared memory. The swizzle of a descriptor, and of TMA, is of the address: where it repeats is where the
// storage begins.
i64 KernelWriter::alignmentOf(const Root& root) {
  if (!root.matrix) return 16;
  return root.tensor.swizzle.isIdentity() ? 128 : 1024;
}

Result<void> KernelWriter::product(const Atom& atom, const Spec& spec, const std::vector<Place>& places) {
  TESSERA_TRY(const std::string text, deviceFunction(atom, spec));
  const std::string function = functionName(atom.name);
  head_.functions.try_emplace(function, text);
  fixed("shared_address");
  fixed("matrix_descriptor");
  const bool registers = matrixOf(atom, 1) == nullptr;
  if (!places[0].dense || (registers && !places[1].dense))
    return Diag{fmt::format("the {} of {} do not lie in the order that it has them in",
                            places[0].dense ? "factors" : "sums", atom.name),
                "registers side by side",
                "",
                {}};
  std::string arguments = pointer(places[0], 0), majors;
  if (registers) arguments += ", " + pointer(places[1], 0);
  for (const AtomMatrix& m : atom.matrices) {
    Place start = places[static_cast<std::size_t>(m.operand)];
    start.swizzle = {};  // nothing is moved where a matrix begins; the rest is the instruction's
    arguments += fmt::format(", tessera::matrix_descriptor<{}, {}, {}>({})", m.descriptor.sm90LayoutType(),
                             m.descriptor.leading, m.descriptor.stride, pointer(start, 0));
    majors += fmt::format("{}{}", majors.empty() ? "" : ", ", m.major == Major::K ? 0 : 1);
  }
  for (const Place& p : places) (void)out_.use(p.root->name);
  out_.line(fmt::format("tessera::{}<{}>({});", function, majors, arguments));
  return {};
}

}  // namespace tessera::codegen
