// tessera check FILE.hlo: counts the instructions whose reads are known, and gives reasons for the others.
//
//     37 instructions in 5 computations: 30 exact, 5 read nothing, 1 over-approximate, 1 unsupported
//       over-approximate  gather %g.1, line 12: ...              x 3
//       unsupported       custom-call %c, line 20: ...
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/cli/io/output.h"
#include "app/cli/io/report.h"
#include "core/hlo/text/module.h"
#include "solver/measure/device/driver.h"

namespace tessera {

// Returns true if the text has no errors and no instruction contradicts itself. Each instruction may take `seconds`,
// beyond which it is unknown; the proofs of all bounds together may take `seconds`, too. If interrupted, returns false
// and reports nothing.
[[nodiscard]] bool printCoverage(const hlo::Module& module, const std::string& file, double seconds, bool json,
                                 Output& out);

// What of this is wrong: errors of the text, instructions that contradict themselves, reads outside their operand.
struct ModuleFinding {
  int line = 1;
  std::string message;
  bool isParseError = false;
};
// nullopt if interrupted.
[[nodiscard]] std::optional<std::vector<ModuleFinding>> moduleFindings(const hlo::Module& module, double seconds);

// The module in a file. nullopt: it could not be read, as was said.
[[nodiscard]] std::optional<hlo::Module> moduleIn(const std::string& file, double budgetSeconds,
                                                  const Complaints& wrong);

// tessera hlo --worst: the kernels of a module by excess memory traffic, worst first (core/hlo/cost/waste.h).

// Returns false if some kernel ran out of time, as its line says, if output is closed, or if interrupted.
bool printWorst(const hlo::Module& module, double secondsEach, bool json, Output& out);

// tessera hlo --roofline: the kernels by minimum time on the device (solver/measure/predict/kernel_roofline.h).
bool printRooflines(const hlo::Module& module, const measure::DeviceInfo& device, double secondsEach, bool json,
                    Output& out);

// tessera hlo --wire: what collectives send between replicas (core/hlo/cost/wire.h).
bool printWire(const hlo::Module& module, bool json, Output& out);

// tessera hlo FILE --against BEFORE: the kernels whose traffic changed (core/hlo/cost/compare.h).
bool printChanges(const hlo::Module& before, const hlo::Module& after, double secondsEach, bool json, Output& out);

}  // namespace tessera
