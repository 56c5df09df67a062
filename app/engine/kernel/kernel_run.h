// The run of a kernel with all that a command or a program can ask about it: a reference, its proof, its barriers.
//
//     KernelRequest request{.launch = {.grid = "2", .block = "256"}, .reference = "C = A + B"};
//     Result<KernelAnswer> answer = runKernelFile(file, request, readFile);
//     answer->report.verdict      of the run, of the comparison and of the proof
//     answer->proofs              only if request.prove is set and the run passed
//
// Law: passed() if and only if the run is clean or benign, every compared buffer is that of the reference, and every
// requested proof is proved.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/files/kernel_file.h"
#include "solver/kernel/launch/prepare.h"
#include "solver/kernel/reference/check.h"
#include "solver/kernel/reference/proof.h"

namespace tessera {

struct KernelRequest {
  kernel::LaunchText launch;
  std::string reference;  // "C = A @ B + bias"; empty: none
  double tolerance = 0;   // 0: by the type of each buffer
  bool prove = false;     // also prove the reference for every value of the buffers
  bool barriers = false;  // also remove each barrier in turn
};

struct KernelAnswer {
  const ptx::Function* entry = nullptr;  // of the file's module
  std::vector<kernel::Given> given;      // by parameter
  kernel::Report report;
  std::vector<kernel::reference::Compared> compared;
  std::vector<kernel::reference::Proof> proofs;
  std::optional<std::vector<kernel::Synchronization>> barriers;

  [[nodiscard]] bool passed() const { return isPass(report.verdict); }
  [[nodiscard]] static bool isPass(kernel::Verdict v) {
    return v == kernel::Verdict::Clean || v == kernel::Verdict::Benign;
  }
};

// The launch, prepared; a Diag also if a proof is requested without a reference.
[[nodiscard]] Result<kernel::Prepared> preparedKernel(const KernelFile& file, const KernelRequest& request,
                                                      const kernel::ReadBytes& read);
// A Diag with a span is about the text of the reference. An exhausted budget is a Diag.
[[nodiscard]] Result<KernelAnswer> runKernelFile(const KernelFile& file, const KernelRequest& request,
                                                 kernel::Prepared prepared);

}  // namespace tessera
