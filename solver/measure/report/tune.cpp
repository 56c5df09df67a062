#include "solver/measure/report/tune.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/graphene/reader/sized.h"
#include "solver/graphene/check.h"
#include "solver/measure/report/comparison_rows.h"

namespace tessera::measure {
namespace {

constexpr std::string_view kHead = "# tessera tune ";

std::size_t lineOf(std::string_view text, std::size_t at) {
  return 1 + static_cast<std::size_t>(
                 std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min(at, text.size())), '\n'));
}

// Turns one candidate into an entry.
class Candidate {
 public:
  Candidate(const TuneRequest& request, const RunOptions& options, const Result<DeviceInfo>& device,
            std::function<void(const std::string&)> tell)
      : request_(request), options_(options), device_(device), tell_(std::move(tell)) {}

  // Returns a Diag if cancelled.
  Result<TuneEntry> run(const std::string& key, const graphene::Settings& settings) {
    out_.candidate = key;
    out_.date = options_.date;
    if (device_) {
      out_.device = device_->name;
      out_.driver = device_->driver();
    }
    const auto listing = graphene::readListing(request_.name, request_.text, settings);
    if (!listing) {
      ended(TuneResult::Failed, fmt::format("not read: {}", listing.error().message));
      return out_;
    }
    TESSERA_TRY(options_.sizes, graphene::sizesOf(request_.text, request_.sizes, settings));
    if (refuted(*listing)) return out_;
    TESSERA_CHECKED(options_.checkCancelled());
    const auto source = codegen::emitCuda(*listing->program, {.architecture = request_.architecture});
    if (!source) {
      ended(TuneResult::Failed, source.error().message);
      return out_;
    }
    device_ ? measured(*source, listing->program) : compiled(*source, *listing->program);
    TESSERA_CHECKED(options_.checkCancelled());
    return out_;
  }

 private:
  void ended(TuneResult result, const std::string& why) {
    out_.result = result;
    out_.why = why;
  }

  // Checks at the text's small sizes if it has any, because some obligations are decided only by running, which needs
  // numbers.
  bool refuted(const graphene::Listing& symbolic) {
    if (tell_) tell_("proving");
    graphene::Listing listing = symbolic;
    if (const graphene::Sizes small = graphene::smallSizes(symbolic.text); !small.empty())
      if (auto sized = graphene::readSizedListing(symbolic.name, symbolic.text, small)) listing = *std::move(sized);
    const graphene::CheckResult result = graphene::checkProgram(
        *listing.program,
        {.architecture = request_.architecture, .budgetSeconds = request_.proveSeconds, .cancel = options_.cancel});
    int unknown = 0;
    for (const graphene::SpecVerdict& spec : result.specs)
      for (const graphene::ObligationVerdict& o : spec.obligations) {
        unknown += o.standing == graphene::Standing::Unknown ? 1 : 0;
        if (o.standing != graphene::Standing::Refuted) continue;
        const std::string what = o.finding ? print(*o.finding) : o.reason;
        ended(TuneResult::Refuted, fmt::format("line {}: {} {}: {}", lineOf(listing.text, spec.span.begin),
                                               label(o.obligation), name(o.obligation), what));
        return true;
      }
    if (unknown > 0) out_.why = fmt::format("{} obligation{} not decided", unknown, unknown == 1 ? "" : "s");
    return false;
  }

  void measured(const codegen::CudaSource& source, const std::shared_ptr<const graphene::Program>& program) {
    RunOptions options = options_;
    if (tell_) options.progress = [this](const Stage& s) { tell_(s.what); };
    if (!options.reference)
      options.reference = referenceOf(
          program, {.sizes = options_.sizes, .architecture = request_.architecture, .cancel = options_.cancel});
    const auto m = measure::run(source, *program, options);
    if (!m) return ended(TuneResult::Failed, m.error().message);
    out_.median = m->time.median;
    out_.lower = m->time.lower;
    out_.upper = m->time.upper;
    figures(rowOf(*m, RowKind::Kernel, ""));
    if (!m->wrong.empty()) return ended(TuneResult::Wrong, m->wrong);
    for (const Comparison& c : m->checks)
      if (c.compared == 0) ended(TuneResult::Failed, fmt::format("%{} was not compared: {}", c.output, c.why));
  }

  void compiled(const codegen::CudaSource& source, const graphene::Program& program) {
    if (tell_) tell_("compiling");
    out_.result = TuneResult::Untimed;
    const auto launches = launchesOf(source, program, options_.sizes);
    if (!launches) return ended(TuneResult::Failed, launches.error().message);
    Emulated e;  // compiled only
    e.architecture = source.architecture;
    e.compiled = compiledBy(source);
    for (const LaunchRequest& launch : launches->launches) e.threadsOf[launch.kernel] = launch.threads;
    if (e.compiled.by.empty()) {
      out_.why = fmt::format("{}{}not compiled: {}", out_.why, out_.why.empty() ? "" : "; ", e.compiled.failure);
      return;
    }
    if (!e.compiled.failure.empty()) return ended(TuneResult::Failed, e.compiled.failure);
    figures(rowOf(e, RowKind::Kernel, ""));
  }

  void figures(const ComparisonRow& row) {
    out_.registers = row.registers.value_or(-1);
    out_.spilledBytes = row.spilledBytes.value_or(-1);
    out_.sharedBytes = row.sharedBytes.value_or(-1);
    out_.residentWarps = row.residentWarps.value_or(-1);
    out_.mostWarps = row.mostWarps.value_or(-1);
  }

  const TuneRequest& request_;
  RunOptions options_;
  const Result<DeviceInfo>& device_;
  std::function<void(const std::string&)> tell_;
  TuneEntry out_;
};

std::string figuresOf(const TuneEntry& e) {
  if (e.registers < 0) return "";
  return fmt::format("{} registers, {} bytes spilled, {} bytes of shared memory{}", e.registers, e.spilledBytes,
                     e.sharedBytes,
                     e.mostWarps < 0 ? "" : fmt::format(", {} of {} warps", e.residentWarps, e.mostWarps));
}

}  // namespace

Result<std::map<std::string, graphene::Settings>> candidatesByKey(const TuneRequest& request,
                                                                  std::vector<std::string>& order) {
  TESSERA_TRY(const graphene::Parameters head, graphene::parametersOf(request.text));
  if (graphene::keyOf(head).empty())
    return Diag{"no parameter of this program has a list of values", "param BM = 128 in 64, 128, 256"};
  TESSERA_TRY(const std::vector<graphene::Settings> all, graphene::candidatesOf(request.text, request.fixed));
  std::map<std::string, graphene::Settings> out;
  std::string why;
  for (const graphene::Settings& settings : all) {
    if (const auto sizes = graphene::sizesOf(request.text, request.sizes, settings); !sizes) {
      why = sizes.error().message;
      continue;
    }
    TESSERA_TRY(const graphene::Parameters one, graphene::parametersOf(request.text, settings));
    order.push_back(graphene::keyOf(one));
    out.emplace(order.back(), settings);
  }
  if (out.empty())
    return Diag{why.empty() ? "no combination of the parameters meets the requirements" : why,
                "other lists, requirements or sizes", "", head.broken.empty() ? Span{} : head.broken.front().span};
  return out;
}

std::string headOfLog(const TuneRequest& request) {
  std::string what;
  for (const std::string& size : request.sizes) what += " " + size;
  for (const auto& [parameter, value] : request.fixed) what += fmt::format(" {}={}", parameter, value);
  return fmt::format("{}{} {}{} {:016x}", kHead, request.name, request.architecture, what, textHash(request.text));
}

std::string headIn(std::string_view log) {
  const std::size_t end = log.find('\n');
  return end != std::string_view::npos && log.starts_with(kHead) ? std::string(log.substr(0, end)) : "";
}

Result<void> tune(const TuneRequest& request, const std::map<std::string, graphene::Settings>& candidates,
                  const std::vector<std::string>& todo, const RunOptions& options, const TuneHooks& hooks) {
  if (todo.empty()) return {};
  const auto device = findDevice(options);
  TESSERA_CHECKED(options.checkCancelled());
  for (std::size_t k = 0; k < todo.size(); ++k) {
    const auto tell = [&](const std::string& what) {
      if (hooks.progress) hooks.progress(k, fmt::format("{}: {}", todo[k], what));
    };
    TESSERA_TRY(const TuneEntry entry, tuneOne(request, todo[k], candidates.at(todo[k]), options, device, tell));
    TESSERA_CHECKED(hooks.done(entry));
  }
  return {};
}

Result<TuneEntry> tuneOne(const TuneRequest& request, const std::string& key, const graphene::Settings& settings,
                          const RunOptions& options, const Result<DeviceInfo>& device,
                          const std::function<void(const std::string&)>& tell) {
  return Candidate(request, options, device, tell).run(key, settings);
}

std::string textOf(const TuneLog& log) {
  const TuneLog all = merged(log, {});
  std::size_t width = 0;
  for (const TuneEntry& e : all.entries) width = std::max(width, e.candidate.size());
  std::string out;
  const auto timed = ranking(all), untimed = staticRanking(all);
  for (std::size_t k = 0; k < timed.size(); ++k) {
    const TuneEntry& e = timed[k];
    out += fmt::format("{:>4}  {:<{}}  {:>10.4g} us  ({:.4g} to {:.4g})  {}\n", k + 1, e.candidate, width, e.median,
                       e.lower, e.upper, figuresOf(e));
  }
  if (!untimed.empty())
    out += "Not timed (no device); ranked by the compiler's figures only, which do not predict time:\n";
  for (const TuneEntry& e : untimed)
    out += fmt::format("   -  {:<{}}  {}{}{}\n", e.candidate, width, figuresOf(e),
                       e.why.empty() || figuresOf(e).empty() ? "" : "; ", e.why);
  std::map<TuneResult, std::size_t> counts;
  for (const TuneEntry& e : all.entries) {
    ++counts[e.result];
    if (e.result == TuneResult::Right && e.median <= 0)
      out += fmt::format("   -  {:<{}}  right, not timed\n", e.candidate, width);
    if (e.result == TuneResult::Wrong || e.result == TuneResult::Refuted || e.result == TuneResult::Failed)
      out += fmt::format("      {:<{}}  {}: {}\n", e.candidate, width, name(e.result), e.why);
  }
  std::vector<std::string> some;
  for (const auto& [result, count] : counts) some.push_back(fmt::format("{} {}", count, name(result)));
  return out + fmt::format("{} candidate{}: {}", all.entries.size(), all.entries.size() == 1 ? "" : "s",
                           all.entries.empty() ? "nothing is known" : fmt::format("{}", fmt::join(some, ", ")));
}

}  // namespace tessera::measure
