#include "app/engine/kernel/kernel_run.h"

#include "core/base/work_budget.h"
#include "solver/kernel/prove/prove_kernel.h"

namespace tessera {

Result<kernel::Prepared> preparedKernel(const KernelFile& file, const KernelRequest& request,
                                        const kernel::ReadBytes& read) {
  TESSERA_TRY(kernel::Prepared made, kernel::prepare(file.module, request.launch, read));
  if (request.prove && request.reference.empty())
    return Diag{"--prove needs a reference to prove", "--reference 'C = A @ B'"};
  return made;
}

Result<KernelAnswer> runKernelFile(const KernelFile& file, const KernelRequest& request, kernel::Prepared prepared) {
  KernelAnswer out;
  out.entry = prepared.entry;
  out.given = std::move(prepared.given);
  const kernel::Launch& launch = prepared.launch;
  try {
    TESSERA_TRY(out.report, kernel::proveForAll(file.module, launch));
    if (!request.reference.empty()) {
      TESSERA_TRY(out.compared, kernel::reference::check(request.reference, out.given, request.tolerance, out.report));
    }
    const bool passed = out.passed();
    if (request.prove && passed) {
      TESSERA_TRY(out.proofs, kernel::reference::prove(file.module, launch, request.reference, out.given));
      kernel::reference::judge(out.proofs, out.report);
    }
    if (request.barriers && passed) {
      TESSERA_TRY(out.barriers, kernel::withoutEach(file.module, launch));
    }
  } catch (const OutOfBudget& end) {
    return Diag{end.what()};
  }
  return out;
}

}  // namespace tessera
