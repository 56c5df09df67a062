#include <fmt/format.h>

#include "app/engine/measure/tune_program.h"
#include "app/library/whole/inside.h"
#include "core/graphene/reader/sized.h"
#include "solver/measure/runner.h"

namespace tessera::api {
namespace {

tessera::Result<measure::TuneRequest> searchOf(std::string_view program, const TuneOptions& options) {
  return tuneRequest({options.name, std::string(program), options.architecture, options.settings, options.sizes,
                      options.proveSeconds});
}

measure::TuneEntry internalEntry(const TuneResult& r) {
  measure::TuneEntry out;
  out.candidate = r.candidate;
  out.result = measure::TuneResult::Failed;
  for (const auto one : {measure::TuneResult::Right, measure::TuneResult::Wrong, measure::TuneResult::Refuted,
                         measure::TuneResult::Untimed})
    if (r.result == name(one)) out.result = one;
  out.median = r.median;
  out.registers = r.registers;
  out.spilledBytes = r.spilledBytes;
  out.residentWarps = r.residentWarps;
  return out;
}

}  // namespace

Result<std::vector<TuneCandidate>> tuneCandidates(std::string_view program, const TuneOptions& options) {
  return guarded<std::vector<TuneCandidate>>(
      options.work, program, [&]() -> tessera::Result<std::vector<TuneCandidate>> {
        TESSERA_TRY(const measure::TuneRequest request, searchOf(program, options));
        std::vector<std::string> order;
        TESSERA_TRY(const auto settings, measure::candidatesByKey(request, order));
        std::vector<TuneCandidate> out;
        for (const std::string& key : order) {
          out.push_back({key, {}});
          for (const auto& [parameter, value] : settings.at(key))
            out.back().settings.push_back(fmt::format("{}={}", parameter, value));
        }
        return out;
      });
}

Result<TuneResult> tuneOne(std::string_view program, const TuneCandidate& candidate, const TuneOptions& options) {
  Options whole = options.work;
  whole.seconds = 1e9;  // the proof has its own budget
  return guarded<TuneResult>(whole, program, [&]() -> tessera::Result<TuneResult> {
    measure::TuneRequest request;
    request.name = options.name;
    request.text = std::string(program);
    request.architecture = graphene::architectureOf(request.text, options.architecture);
    request.sizes = options.sizes;
    request.proveSeconds = options.proveSeconds;
    TESSERA_TRY(const graphene::Settings settings, graphene::settingsOf(candidate.settings));
    TESSERA_CHECKED(graphene::withSettings(request.text, settings));
    measure::RunOptions how;
    how.cancel = Access::flagOf(options.work);
    how.seed = options.seed;
    how.runs = options.runs;
    how.seconds = options.launchSeconds;
    how.worker = options.worker;
    const tessera::Result<measure::DeviceInfo> device =
        options.worker.empty() ? tessera::Result<measure::DeviceInfo>(Diag{"no device was asked for"})
                               : measure::findDevice(how);
    TESSERA_TRY(const measure::TuneEntry e, measure::tuneOne(request, candidate.name, settings, how, device));
    return TuneResult{e.candidate,     std::string(name(e.result)),
                      e.median,        e.lower,
                      e.upper,         e.device,
                      e.why,           e.registers,
                      e.spilledBytes,  e.sharedBytes,
                      e.residentWarps, e.mostWarps};
  });
}

std::vector<std::size_t> tuneRanking(const std::vector<TuneResult>& results) {
  std::vector<measure::TuneEntry> entries;
  entries.reserve(results.size());
  for (const TuneResult& r : results) entries.push_back(internalEntry(r));
  return measure::ranked(entries);
}

}  // namespace tessera::api
