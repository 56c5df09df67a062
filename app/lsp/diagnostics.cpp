#include "app/lsp/diagnostics.h"

#include <fmt/format.h>

#include <climits>
#include <nlohmann/json.hpp>

#include "app/engine/measure/run_program.h"
#include "app/engine/program/check_program.h"
#include "core/base/work_budget.h"
#include "core/worksheet/statements/task.h"
#include "core/worksheet/value.h"

namespace tessera::lsp {
namespace {

using graphene::Standing;

enum class Severity : int { Error = 1, Warning = 2, Information = 3 };

std::string diagText(const Diag& diag) {
  std::string text = diag.message;
  if (!diag.expected.empty()) text += "\nexpected: " + diag.expected;
  if (!diag.hint.empty()) text += "\nhint: " + diag.hint;
  return text;
}

class DiagnosticWriter {
 public:
  explicit DiagnosticWriter(const Known& known) : known_(known) {}

  // span: of the sheet.
  Json& add(Span span, Severity severity, std::string_view code, std::string message) {
    const Span shown = known_.cutToText(span);
    list_.push_back({{"range", rangeOf(shown, *known_.text)},
                     {"severity", static_cast<int>(severity)},
                     {"code", code},
                     {"source", "tessera"},
                     {"message", std::move(message)}});
    return list_.back();
  }
  void relate(Json& to, Span span, std::string message) {
    to["relatedInformation"].push_back(
        {{"location", {{"uri", known_.uri}, {"range", rangeOf(known_.cutToText(span), *known_.text)}}},
         {"message", std::move(message)}});
  }
  Json take() { return std::move(list_); }

 private:
  const Known& known_;
  Json list_ = Json::array();
};

// Where the block of a program begins in the sheet: the last one above with this text.
std::optional<std::size_t> blockOf(const graphene::Listing& listing, const Outcome& asked, Outcomes outcomes) {
  std::optional<std::size_t> found;
  for (const auto& o : outcomes) {
    if (o.get() == &asked) break;
    if (o->statement.kind == StatementKind::Block && o->statement.text == listing.text) found = o->statement.span.begin;
  }
  return found;
}

// The first line of a specification.
Span headSpan(const graphene::Listing& listing, Span span) {
  return {span.begin, span.begin + excerptOf(listing.text, span).size()};
}

std::string obligationTitle(const graphene::ObligationVerdict& o) {
  return fmt::format("{} {}", label(o.obligation), name(o.obligation));
}

void addFinding(DiagnosticWriter& out, const graphene::ObligationVerdict& o, Span head,
                const graphene::Listing& listing, std::size_t block) {
  const graphene::Finding& finding = *o.finding;
  const Span place = finding.span.empty() ? head : headSpan(listing, finding.span);
  Json& added = out.add(place.shifted(block), Severity::Error, "refuted",
                        fmt::format("{}: {}", obligationTitle(o), findingText(finding)));
  for (const graphene::Instance& i : finding.instances)
    if (!i.span.empty() && i.span != finding.span)
      out.relate(added, headSpan(listing, i.span).shifted(block), excerptOf(listing.text, i.span));
}

// "O6 races, O8 value: unknown: N is not known ..."; "": nothing is unknown.
std::string unknownOf(const graphene::SpecVerdict& spec) {
  std::string titles, reason;
  for (const graphene::ObligationVerdict& o : spec.obligations) {
    if (o.standing != Standing::Unknown) continue;
    if (titles.empty()) reason = o.reason;
    titles += (titles.empty() ? "" : ", ") + obligationTitle(o);
  }
  return titles.empty() ? "" : fmt::format("{}: unknown: {}", titles, reason);
}

// The findings of a program, at their lines, and what is unknown of its outermost specifications: what is unknown
// inside one mostly has the same reason. `prove not NAME` wants findings.
void addChecked(DiagnosticWriter& out, const Outcome& o, Outcomes outcomes) {
  if (!o.program.checked || !o.program.listing || o.verdict->truth == Truth::Proved) return;
  const graphene::Listing& listing = *o.program.listing;
  const auto block = blockOf(listing, o, outcomes);
  if (!block) return;
  int within = INT_MAX;  // the depth of the last one with something unknown
  for (const graphene::SpecVerdict& spec : o.program.checked->specs) {
    const Span head = headSpan(listing, spec.span);
    for (const graphene::ObligationVerdict& obligation : spec.obligations)
      if (obligation.standing == Standing::Refuted && obligation.finding)
        addFinding(out, obligation, head, listing, *block);
    if (spec.depth > within) continue;
    std::string unknown = unknownOf(spec);
    within = unknown.empty() ? INT_MAX : spec.depth;
    if (!unknown.empty()) out.add(head.shifted(*block), Severity::Warning, "unknown", std::move(unknown));
  }
}

void addVerdict(DiagnosticWriter& out, const Outcome& o) {
  const Verdict& v = *o.verdict;
  if (v.truth == Truth::Proved) return;
  const Span span = o.statement.span;
  if (!o.learner.blank.empty()) {
    out.add(span, Severity::Information, "blank", blankText(o));
  } else if (v.truth == Truth::Refuted) {
    const std::string& why = v.counterexample ? v.counterexample->text : v.detail;
    out.add(span, Severity::Error, "refuted", why.empty() ? "refuted" : "refuted: " + why);
  } else {
    out.add(span, Severity::Warning, "unknown", "unknown: " + v.detail);
  }
}

void addOutcome(DiagnosticWriter& out, const Outcome& o, const Known& known) {
  const StatementKind kind = o.statement.kind;
  const bool claims = kind == StatementKind::Prove || kind == StatementKind::Assert;
  if (o.diag) {
    out.add(o.diag->span.empty() ? o.statement.span : o.diag->span, Severity::Error, "error", diagText(*o.diag));
  } else if (o.learner.task) {
    if (!o.solved() && !o.pending) out.add(o.statement.span, Severity::Information, "task", taskText(o));
  } else if (claims && o.verdict) {
    if (known.language == Language::Sheet) addVerdict(out, o);
    addChecked(out, o, known.outcomes());
  } else if (o.ran && !o.ran->right()) {
    const bool wrong = o.ran->wrong();
    out.add(o.statement.span, wrong ? Severity::Error : Severity::Information, wrong ? "wrong" : "run",
            summaryOf(*o.ran));
  }
  for (const Diag& note : o.notes)
    out.add(note.span.empty() ? o.statement.span : note.span, Severity::Information, "note", diagText(note));
}

// What is wrong with a program whose text ends the block that it is put in, or leaves it open: as the reader of files
// says it.
std::optional<Diag> brokenProgram(const Known& known) {
  const Outcomes all = known.outcomes();
  if (known.language != Language::Program) return std::nullopt;
  if (all.size() == 2 && all[0]->statement.kind == StatementKind::Block) return std::nullopt;
  try {
    const WorkBudget limit({.seconds = 1});
    const auto listing = graphene::readListing("program", known.text->bytes());
    return listing ? std::nullopt : std::optional(listing.error());
  } catch (const OutOfBudget& end) {
    return Diag{end.what()};
  }
}

}  // namespace

Json diagnosticsOf(const Known& known) {
  DiagnosticWriter out(known);
  if (known.tooLarge) {
    out.add({known.shift, known.shift}, Severity::Error, "error",
            fmt::format("a worksheet holds at most {} MiB", OpenDocument::kMaxBytes >> 20));
  } else if (const auto broken = brokenProgram(known)) {
    out.add(broken->span.shifted(known.shift), Severity::Error, "error", diagText(*broken));
  } else {
    for (const auto& o : known.outcomes()) {
      addOutcome(out, *o, known);
      if (known.language == Language::Program && o->diag) break;  // the claim that follows is not of the text
    }
  }
  return out.take();
}

}  // namespace tessera::lsp
