#include "app/engine/measure/measure_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/graphene/assumptions.h"
#include "core/graphene/reader/sized.h"
#include "solver/measure/reference/reference.h"

namespace tessera {
namespace {

// "25.2 MB", "2.15 G operations"
std::string scaled(double value, const char* unit) {
  constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T", "P"};
  std::size_t k = 0;
  for (; value >= 1000 && k + 1 < std::size(kPrefixes); ++k) value /= 1000;
  return fmt::format("{:.3g} {}{}{}", value, kPrefixes[k], k > 0 && unit[1] != 0 ? " " : "", unit);
}

}  // namespace

std::vector<std::string> sizeNames(const graphene::Program& program) {
  std::vector<std::string> names;
  for (const graphene::Variable& v : program.variables)
    if (v.kind == graphene::Variable::Kind::Size) names.push_back(v.name);
  return names;
}

Result<void> knownSizes(const graphene::Program& program, const std::map<std::string, i64>& given) {
  const std::vector<std::string> names = sizeNames(program);
  for (const auto& [name, value] : given)
    if (std::ranges::find(names, name) == names.end())
      return Diag{fmt::format("the program has no size {}", name),
                  names.empty() ? "none: all of its sizes are numbers" : fmt::format("{}", fmt::join(names, ", "))};
  return {};
}

std::map<std::string, i64> completeSizes(const graphene::Program& program, std::map<std::string, i64> given,
                                         std::vector<std::string>& chosen) {
  for (const std::string& name : sizeNames(program))
    if (given.try_emplace(name, kDefaultSize).second) chosen.push_back(name);
  return given;
}

Result<graphene::Program> onlySpecifications(const graphene::Program& program, const std::string& name) {
  if (name.empty()) return program;
  graphene::Program out = program;
  std::vector<std::string> heads;
  bool some = false;
  std::erase_if(out.specs, [&](const graphene::Statement& s) {
    const auto* spec = std::get_if<graphene::Spec>(&s.what);
    if (spec == nullptr) return false;
    heads.push_back(graphene::headOf(*spec));
    const bool wanted = spec->attribute == name || std::ranges::any_of(spec->outputs, [&](const auto& t) {
                          return t.name == name || graphene::nameOf(t) == name;
                        });
    some = some || wanted;
    return !wanted;
  });
  if (some) return out;
  return Diag{fmt::format("no specification writes '{}' or has this name", name),
              fmt::format("{}", fmt::join(heads, "; "))};
}

Result<MeasuredProgram> measuredProgram(const MeasureRequest& request, const measure::RunOptions& given) {
  TESSERA_CHECKED(knownSizes(*request.listing.program, request.sizes));
  TESSERA_CHECKED(graphene::holdAt(*request.listing.program, request.sizes));
  TESSERA_TRY(graphene::Program part, onlySpecifications(*request.listing.program, request.spec));
  const auto program = std::make_shared<const graphene::Program>(std::move(part));
  codegen::CodegenOptions how;
  how.architecture = graphene::architectureOf(request.listing.text, request.architecture);
  MeasuredProgram out;
  TESSERA_TRY(out.source, codegen::emitCuda(*program, how));
  measure::RunOptions options = given;
  options.sizes = completeSizes(*program, request.sizes, out.chosen);
  if (!options.reference) {
    measure::ReferenceOptions reference;
    reference.sizes = options.sizes;
    reference.architecture = how.architecture;
    reference.cancel = options.cancel;
    reference.maxSteps = std::max(reference.maxSteps, request.maxSteps);
    options.reference = measure::referenceOf(program, reference);
  }
  const auto device =
      request.emulateOnly ? Result<measure::DeviceInfo>(Diag{"not requested"}) : measure::findDevice(options);
  if (options.cancel != nullptr && options.cancel->load()) return Diag{"cancelled"};
  if (device) {
    TESSERA_TRY(out.device, measure::run(out.source, *program, options));
  } else {
    out.noDevice = device.error().message;
    TESSERA_TRY(out.emulated, measure::emulated(out.source, *program, options, request.maxSteps));
  }
  return out;
}

std::string textOf(const measure::Comparison& check) {
  if (check.compared == 0) return fmt::format("not compared: {}", check.why);
  if (!check.good) return check.complaint;
  const std::string some = check.compared == check.elements ? fmt::format("{}", check.elements)
                                                            : fmt::format("{} of {}", check.compared, check.elements);
  const std::string worst = check.relativeError == 0
                                ? ""
                                : fmt::format("; worst %{}[{}]: {:.6g} instead of {:.6g}", check.output,
                                              fmt::join(check.coordinate, ","), check.actual, check.expected);
  return fmt::format("relative error {:.2g} over {} elements{}", check.relativeError, some, worst);
}

std::string timeText(const measure::Measurement& m) {
  if (m.time.count == 0) return "not timed";
  return fmt::format("{:.4g} us (quartiles {:.4g} to {:.4g}; {} runs of {} launch{}, {} cop{} of the buffers)",
                     m.time.median, m.time.lower, m.time.upper, m.time.count, m.time.launchesPerRun,
                     m.time.launchesPerRun == 1 ? "" : "es", m.time.copies, m.time.copies == 1 ? "y" : "ies");
}

std::string timingText(const measure::Measurement& m) {
  if (m.time.count == 0) return "";
  const std::string busy =
      m.time.busyMicroseconds > 0 ? fmt::format(" after a busy kernel of {:.4g} us", m.time.busyMicroseconds) : "";
  return fmt::format("{}{}; {}{}{}", measure::methodText(m.time), busy,
                     measure::inputsText(m.time, m.device.cacheBytes), m.time.note.empty() ? "" : "; ", m.time.note);
}

std::string textOf(const measure::Work& work) {
  return fmt::format("{} of memory, {}{}", scaled(work.bytesRead + work.bytesWritten, "B"),
                     scaled(work.products + work.others, "operations"), work.conditional ? " at most" : "");
}

std::string rooflineText(const measure::Measurement& m) {
  const double least = m.roofline.microseconds();
  if (least <= 0) return fmt::format("unknown for this device ({})", textOf(m.work));
  const std::string share =
      m.time.count == 0 || m.time.median <= 0 ? "" : fmt::format(": {:.0f} % reached", 100 * least / m.time.median);
  return fmt::format("at least {:.4g} us, bound by {} ({}){}; {}", least, m.roofline.bound(), textOf(m.work), share,
                     m.roofline.peak);
}

}  // namespace tessera
