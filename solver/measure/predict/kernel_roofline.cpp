#include "solver/measure/predict/kernel_roofline.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "core/hlo/compose/structure.h"

namespace tessera::measure {
namespace {

// The name of an element type of HLO among those of numberFormat.
std::string formatOf(const std::string& type) {
  if (type == "f16") return "fp16";
  if (type == "f32") return "tf32";
  if (type.starts_with("f8e4m3")) return "fp8e4m3";
  if (type.starts_with("f8e5m2")) return "fp8e5m2";
  if (type == "s8" || type == "u8") return "i8";
  return type;
}

bool onMatrixUnits(const std::string& type) { return type != "f64" && !type.starts_with("c") && type != "s32"; }

}  // namespace

std::vector<KernelRoofline> rooflinesOf(const hlo::Module& module, const hlo::Ranking& ranking,
                                        const DeviceInfo& device) {
  std::vector<KernelRoofline> all;
  hlo::Structures structures(module);
  std::unordered_map<int, KernelRoofline> known;
  for (const hlo::KernelWaste& k : ranking.kernels) {
    const auto found = known.try_emplace(structures.of(k.where));
    KernelRoofline& one = found.first->second;
    if (found.second) {
      const hlo::Operations operations = hlo::operationsOf(module, k.where);
      Work work;
      work.bytesRead = static_cast<double>(k.needed());
      work.bytesWritten = hlo::bytesWritten(module, k.where);
      (onMatrixUnits(operations.type) ? work.products : work.others) += operations.products;
      work.others += operations.others;
      work.products16 = formatOf(operations.type);
      one.bytes = work.bytesRead + work.bytesWritten;
      one.operations = operations.products + operations.others;
      one.roofline = rooflineOf(work, device);
      one.plan = k.plan;
      one.why = operations.why;
      for (const hlo::OperandWaste& w : k.operands)
        if (!w.needed && one.why.empty()) one.why = "what is read of " + w.name + " is not known";
    }
    all.push_back(one);
    all.back().where = k.where;
    all.back().runs = k.runs;
  }
  std::ranges::stable_sort(all, std::greater(), &KernelRoofline::microseconds);
  return all;
}

}  // namespace tessera::measure
