#include <mutex>

#include "app/engine/module/module_check.h"
#include "app/engine/module/reach_lines.h"
#include "app/engine/module/waste_lines.h"
#include "app/library/whole/inside.h"
#include "core/hlo/compose/fusion.h"
#include "core/hlo/listing.h"
#include "core/notation/xla/shape.h"
#include "solver/prove/structure/same_maps.h"

namespace tessera::api {

struct Module::Impl {
  std::shared_ptr<const hlo::Module> module;
  std::string name;
  std::vector<hlo::Where> places;  // of each instruction
  std::vector<Error> problems;
  // Their names, shapes and lines as text take longer than reading the module: made when first asked for.
  mutable std::vector<Instruction> instructions = {};
  std::unique_ptr<std::once_flag> listed = std::make_unique<std::once_flag>();

  const std::vector<Instruction>& listing() const {
    std::call_once(*listed, [this] {
      const LineIndex index(*module->text);
      std::vector<Instruction> all;
      all.reserve(places.size());
      for (const hlo::Where where : places) {
        const hlo::Instruction& one = module->at(where);
        all.push_back({std::string(one.name), std::string(one.opcode), xla::print(module->shapeOf(one)),
                       std::string(module->computation(where.computation).name), sourceOf(*module, one),
                       index.at(one.span.begin).line});
      }
      instructions = std::move(all);
    });
    return instructions;
  }
};

const std::string& Module::name() const noexcept { return impl_->name; }
const std::vector<Instruction>& Module::instructions() const noexcept { return impl_->listing(); }
const std::vector<Error>& Module::problems() const noexcept { return impl_->problems; }

namespace {

Reach reachOf(const Reported& t, const hlo::Reach& r) {
  Reach out;
  out.operandNumber = t.reads ? r.slot : t.operand;
  out.operand = nameOf(t, out.operandNumber);
  out.output = t.reads ? t.output : r.slot;
  out.reads = t.reads;
  out.sound = tessera::name(r.soundness);
  out.reason = r.why;
  if (r.soundness != hlo::Soundness::Unknown)
    for (const Map& map : r.maps) out.maps.push_back(mapText(map));
  out.json = jsonOf(t, r, usageOf(t, r, kUnaskedUsage));
  return out;
}

void add(std::vector<Reach>& out, const Reported& t, const std::vector<hlo::Reach>& found) {
  const bool tuple = t.instruction.opcode == "tuple";  // a thousand elements would give a million unread pairs
  for (const hlo::Reach& r : found)
    if (!tuple || !r.maps.empty() || r.soundness != hlo::Soundness::Exact) out.push_back(reachOf(t, r));
}

tessera::Result<std::vector<Reach>> reachesOf(const hlo::Module& module, hlo::Where where, int line) {
  const hlo::Computation& computation = module.computation(where.computation);
  const hlo::Instruction& instruction = computation.at(where.instruction);
  const hlo::SameMaps same = sameByProof();
  Reported t{module, computation, instruction, line};
  std::vector<Reach> out;
  const std::size_t outputs = module.outputsOf(instruction);
  for (std::size_t o = 0; o < outputs; ++o) {
    t.output = static_cast<int>(o);
    TESSERA_TRY(const std::vector<hlo::Reach> reads, hlo::readsThrough(module, where, t.output, same));
    add(out, t, reads);
  }
  t.reads = false;
  for (std::size_t k = 0; k < instruction.operands.size(); ++k) {
    t.operand = static_cast<int>(k);
    TESSERA_TRY(const std::vector<hlo::Reach> uses, hlo::usesThrough(module, where, t.operand, same));
    add(out, t, uses);
  }
  return out;
}

Module::Impl read(std::shared_ptr<const hlo::Module> module) {
  Module::Impl out;
  out.module = std::move(module);
  const hlo::Module& m = *out.module;
  out.name = m.name;
  for (std::size_t c = 0; c < m.computations.size(); ++c) {
    for (std::size_t i = 0; i < m.computations[c].instructions.size(); ++i)
      out.places.push_back({static_cast<int>(c), static_cast<int>(i)});
    spend(m.computations[c].instructions.size());
  }
  if (m.problems.empty()) return out;
  const LineIndex index(*m.text);
  for (const hlo::Problem& p : m.problems) out.problems.push_back(errorOf(p.diag, *m.text, index));
  return out;
}

}  // namespace

Result<std::vector<Reach>> Module::reaches(std::size_t k, const Options& options) const {
  return guarded<std::vector<Reach>>(options, *impl_->module->text, [&]() -> tessera::Result<std::vector<Reach>> {
    if (k >= impl_->places.size()) return Diag{"there is no instruction with that number"};
    return reachesOf(*impl_->module, impl_->places[k], impl_->listing()[k].line);
  });
}

Result<std::vector<Waste>> Module::waste(const Options& options) const {
  Options whole = options;
  whole.seconds = 1e9;  // each kernel has its own budget
  return guarded<std::vector<Waste>>(whole, *impl_->module->text, [&]() -> tessera::Result<std::vector<Waste>> {
    const hlo::Module& module = *impl_->module;
    const LineIndex lines(*module.text);
    std::vector<Waste> out;
    for (const hlo::KernelWaste& k : hlo::rankingOf(module, options.seconds).kernels) {
      const hlo::Instruction& i = module.at(k.where);
      const int rank = static_cast<int>(out.size()) + 1;
      out.push_back({std::string(i.name), std::string(i.opcode), sourceOf(module, i), k.plan,
                     lines.at(i.span.begin).line, k.needed(), k.asked(), k.wasted(), k.runs, k.why,
                     wasteText(module, rank, k), wasteJson(module, lines, rank, k)});
    }
    return out;
  });
}

Result<ModuleCheck> Module::check(const Options& options) const {
  Options whole = options;
  whole.seconds = 1e9;  // each instruction has its own budget
  return guarded<ModuleCheck>(whole, *impl_->module->text, [&]() -> tessera::Result<ModuleCheck> {
    const hlo::Module& module = *impl_->module;
    const hlo::Coverage found = hlo::coverageOf(module, options.seconds);
    const ReadBounds bounds = boundsOf(module, options.seconds, Access::flagOf(options));
    ModuleCheck out{found.exact, found.nothing,
                    found.over,  found.unknown,
                    found.wrong, bounds.inside,
                    bounds.open, bounds.outside,
                    {},          boundsText(bounds) + "; " + coverageText(module, found)};
    for (const hlo::Coverage::Gap& gap : found.gaps) out.gaps.push_back(gapText(module, gap));
    out.holds = found.wrong == 0 && bounds.outside.empty() && module.problems.empty();
    return out;
  });
}

Result<Module> readModule(std::string_view text, const Options& options) {
  return guarded<Module>(options, text, [&]() -> tessera::Result<Module> {
    TESSERA_TRY(const hlo::Listing listing, hlo::readListing("module", std::string(text)));
    return Access::made<Module>(read(listing.module));
  });
}

}  // namespace tessera::api
