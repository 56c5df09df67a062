#include "solver/prove/thread_claims.h"

#include <fmt/format.h>

#include <algorithm>

#include "solver/prove/rungs.h"

namespace tessera::prover {
namespace {

using Question = claims::ThreadQuestion;
constexpr const char* kMethod = "exhaustive";

Verdict said(std::string detail) { return verdictOf(proved(kMethod, std::move(detail)), std::nullopt); }

Verdict contradicted(Counterexample why) { return verdictOf(refuted(kMethod, {}), std::move(why)); }

// A fault of the access itself: a misaligned address.
Verdict faulty(const Diag& diag) {
  Counterexample why;
  why.text = diag.message;
  return contradicted(std::move(why));
}

Verdict conflicts(const ThreadAccess& access) {
  const auto report = threadReport(access, MemorySpace::Shared);
  if (!report) return faulty(report.error());
  if (!report->worst || !report->conflict) return said(print(*report, access));
  const BankConflict& conflict = *report->conflict;
  Counterexample why;
  why.text = fmt::format("{}, {}; in total {} wavefronts where {} would do, {}-way", placeOf(access, *report->worst),
                         conflict.text, report->wavefronts, report->ideal, report->degree);
  Witness lanes{"lanes", {}}, bytes{"bytes", {}};
  for (const BankLoad::Word& word : conflict.load.words)
    for (const int lane : word.lanes) {
      lanes.values.push_back(lane);
      bytes.values.push_back(report->worst->access.addresses[static_cast<std::size_t>(lane)]);
      why.points.push_back(digitsAt(access, *report->worst, lane));
    }
  why.witnesses = {{"warp", {report->worst->warp}},
                   {"phase", {conflict.phase}},
                   {"bank", {conflict.load.bank}},
                   std::move(lanes),
                   std::move(bytes),
                   {"wavefronts", {report->wavefronts}},
                   {"ideal", {report->ideal}},
                   {"degree", {report->degree}}};
  return contradicted(std::move(why));
}

Verdict sectors(const ThreadAccess& access) {
  const auto report = threadReport(access, MemorySpace::Global);
  if (!report) return faulty(report.error());
  const std::string total = fmt::format("{} sectors of 32 bytes for {} bytes in {} instruction{}", report->sectors,
                                        report->bytes, report->instructions, report->instructions == 1 ? "" : "s");
  if (!report->widest || !report->widestReport) return said(total + ", no more than the bytes fill");
  Counterexample why;
  why.text =
      fmt::format("{}: {} sectors where {} would do; in total {}, {} would do", placeOf(access, *report->widest),
                  report->widestReport->sectors, report->widestReport->idealSectors, total, report->idealSectors);
  why.witnesses = {{"warp", {report->widest->warp}},
                   {"sectors", {report->widestReport->sectors}},
                   {"ideal", {report->widestReport->idealSectors}}};
  for (int lane = 0; lane < kWarpLanes; ++lane)
    if (report->widest->access.addresses[static_cast<std::size_t>(lane)] != kInactive)
      why.points.push_back(digitsAt(access, *report->widest, lane));
  return contradicted(std::move(why));
}

// The accesses of one group.
struct Group {
  std::vector<ThreadAccess> accesses;
  std::vector<bool> stores;
};
std::vector<Group> groupsOf(const Question& question) {
  std::vector<std::string> names;
  std::vector<Group> out;
  for (std::size_t k = 0; k < question.accesses.size(); ++k) {
    const std::string name = question.groups.empty() ? "" : question.groups[k];
    const auto known = std::ranges::find(names, name);
    const auto at = static_cast<std::size_t>(known - names.begin());
    if (known == names.end()) {
      names.push_back(name);
      out.emplace_back();
    }
    out[at].accesses.push_back(question.accesses[k]);
    out[at].stores.push_back(question.stores[k]);
  }
  return out;
}

Verdict races(const Question& question) {
  i64 stores = 0, loads = 0;
  for (const Group& group : groupsOf(question)) {
    const auto report = racesOf(group.accesses, group.stores);
    if (!report) return unknownVerdict(report.error().message);
    stores += report->stores;
    loads += report->loads;
    if (!report->race) continue;
    Counterexample why;
    why.text = report->race->text;
    why.witnesses = {{"element", {report->race->address}}, {"threads", {report->race->store, report->race->other}}};
    return contradicted(std::move(why));
  }
  return said(fmt::format("{} stored and {} loaded elements: none is stored by one thread and touched by another",
                          stores, loads));
}

}  // namespace

Verdict threadVerdict(const Claim& claim) {
  const Question& question = *std::get<claims::Threads>(claim.says).question;
  if (claim.method != Method::Auto && claim.method != Method::Exhaustive)
    return unknownVerdict("accesses of threads are decided exhaustively");
  if (!question.ran.empty()) {
    if (!question.ranHolds) return unknownVerdict(question.ran);
    if (*question.ranHolds) return said(question.ran);
    Counterexample why;
    why.text = question.ran;
    return contradicted(std::move(why));
  }
  switch (question.what) {
    case Question::What::ConflictFree:
      return conflicts(question.accesses[0]);
    case Question::What::Coalesced:
      return sectors(question.accesses[0]);
    case Question::What::RaceFree:
    case Question::What::Computes:
      break;
  }
  return races(question);
}

}  // namespace tessera::prover
