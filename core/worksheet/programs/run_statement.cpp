#include "core/worksheet/programs/run_statement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/base/cursor.h"
#include "core/graphene/program.h"
#include "core/graphene/reader/parameters.h"
#include "core/graphene/reader/sized.h"
#include "core/worksheet/language/comments.h"
#include "core/worksheet/language/syntax.h"
#include "core/worksheet/language/words.h"
#include "core/worksheet/programs/clauses.h"
#include "core/worksheet/statements/evaluator.h"

namespace tessera {
namespace {

constexpr const char* kForm = "run NAME with M=8 compare cublas";

class RunParser {
 public:
  RunParser(std::string_view text, Evaluator& evaluator) : in_(text, {.nameAlso = "."}), evaluator_(evaluator) {}

  Result<RunRequest> parse() {
    (void)in_.acceptWord("run");
    if (in_.atEnd()) return Diag{"run what?", "run NAME of a graphene block", kForm, {0, 3}};
    TESSERA_CHECKED(program());
    while (!in_.atEnd()) TESSERA_CHECKED(clause());
    TESSERA_CHECKED(apply());
    out_.key = runKey(in_.text());
    return std::move(out_);
  }

 private:
  Result<void> program() {
    TESSERA_TRY(const std::string name, word("the name of a program"));
    TESSERA_TRY(out_.listing, block(name, in_.spanFrom(wordBegin_)));
    return {};
  }

  // The next identifier, which begins at wordBegin_.
  Result<std::string> word(std::string_view what) {
    in_.skipBlanks();
    wordBegin_ = in_.position();
    return in_.identifier(what);
  }

  Result<graphene::Listing> block(const std::string& name, Span place) {
    TESSERA_TRY(const NodePtr node, evaluator_.parse(place.begin, place.end));
    TESSERA_TRY(Value value, evaluator_.evaluate(*node));
    auto* listing = std::get_if<graphene::Listing>(&value);
    if (listing == nullptr)
      return Diag{fmt::format("only programs can be run; {} is {}", name, nounOf(value)),
                  "the name of a graphene block", "graphene NAME { ... }", place};
    return std::move(*listing);
  }

  Result<void> clause() {
    TESSERA_TRY(const std::string word, clauses_.next(in_));
    if (word == "with") return values();
    if (word == "compare") return comparisons();
    if (word == "seed") return seed();
    if (word == "spec") return specification();
    if (word == "on") return architecture();
    return word == "by" ? method() : view();
  }

  // M=8, stages=3, order=col: sizes and parameters; commas are optional.
  Result<void> values() {
    do {
      TESSERA_TRY(const GivenValue given, givenValue(in_));
      if (!values_.try_emplace(given.name, given).second)
        return in_.failFrom(given.place.begin, fmt::format("'{}' is given twice", given.name));
    } while (in_.accept(',') || givenValueFollows(in_));
    return {};
  }

  // Assigns given values to the program's sizes, otherwise to its parameters.
  Result<void> apply() {
    const auto& variables = out_.listing.program->variables;
    Span place;
    for (const auto& [name, given] : values_) {
      const bool size = std::ranges::any_of(variables, [&, &word = name](const graphene::Variable& v) {
        return v.kind == graphene::Variable::Kind::Size && v.name == word;
      });
      if (size) {
        Cursor number(given.text);
        const auto value = number.integer();
        if (!value) return Diag{fmt::format("the size {} must be a number", name), name + "=128", "", given.place};
        out_.sizes[name] = *value;
      } else {
        out_.settings[name] = given.text;
        place = given.place;
      }
    }
    if (out_.settings.empty()) return {};
    auto set = graphene::with(out_.listing, out_.settings);
    if (!set) {
      Diag diag = set.error();
      diag.span = place;
      return diag;
    }
    out_.listing = *std::move(set);
    return {};
  }

  Result<void> comparisons() {
    do {
      TESSERA_TRY(const std::string what, word("the target of the comparison"));
      if (what == "cublas" || what == "cublaslt") {
        out_.library = true;
      } else if (what == "variants") {
        out_.variants = true;
      } else if (what == "variant") {
        TESSERA_CHECKED(chosenVariant());
      } else if (what == "unfused") {
        TESSERA_CHECKED(unfused(in_.spanFrom(wordBegin_)));
      } else {
        return in_.failFrom(wordBegin_,
                            fmt::format("a run can be compared with cublas, variants and unfused, not with '{}'", what),
                            "compare cublas, variants, variant(stages=4), unfused");
      }
    } while (in_.accept(',') || in_.acceptWord("and"));
    return {};
  }

  // (stages=4, BM=64)
  Result<void> chosenVariant() {
    TESSERA_CHECKED(in_.expect("(", "after variant, variant(stages=4)"));
    std::map<std::string, GivenValue> before;
    before.swap(values_);
    TESSERA_CHECKED(values());
    std::string chosen;
    for (const auto& [name, given] : values_)
      chosen += fmt::format("{}{}={}", chosen.empty() ? "" : " ", name, given.text);
    out_.chosen.push_back(std::move(chosen));
    values_.swap(before);
    return in_.expect(")", "after the values of the variant");
  }

  // Empty, or (OTHER): that block; by default the one named by the program's comment or name, as a block or as shipped.
  Result<void> unfused(Span place) {
    const auto baseline = graphene::baselineOf(out_.listing.text);
    const std::string usual = baseline ? nameOf(*baseline) : out_.listing.name + "_unfused";
    std::string name = usual;
    if (in_.accept('(')) {
      TESSERA_TRY(name, word("the name of a graphene block"));
      TESSERA_TRY(out_.unfused, block(name, in_.spanFrom(wordBegin_)));
      TESSERA_CHECKED(in_.expect(")", "after the name of the block"));
    } else if (const Value* value = evaluator_.find(name); value && std::holds_alternative<graphene::Listing>(*value)) {
      out_.unfused = std::get<graphene::Listing>(*value);
    } else if (const auto shipped = graphene::shippedBaseline(name)) {
      TESSERA_TRY(out_.unfused, graphene::readListing(name, *shipped));
    } else {
      return Diag{fmt::format("there is no program {}, the unfused form of {}", name, out_.listing.name),
                  fmt::format("graphene {} {{ ... }} above, or compare unfused(OTHER)", name),
                  "to use another program, write // baseline: OTHER.graphene in this one", place};
    }
    if (baseline && name == usual) out_.unfusedSizes = baseline->sizes;
    return {};
  }

  Result<void> seed() {
    TESSERA_TRY(const i64 value, in_.integer("the seed"));
    out_.seed = static_cast<u64>(value);
    return {};
  }

  Result<void> specification() {
    (void)in_.accept('%');
    TESSERA_TRY(out_.spec, in_.identifier("the tensor that the specification writes"));
    return {};
  }

  Result<void> architecture() {
    TESSERA_TRY(out_.architecture, word("an architecture"));
    if (out_.architecture.starts_with("sm_")) return {};
    return in_.failFrom(wordBegin_, fmt::format("'{}' is not an architecture", out_.architecture), "sm_80, sm_90a ...");
  }

  Result<void> method() {
    TESSERA_TRY(const std::string what, word("a method"));
    out_.emulate = what == "emulator";
    if (out_.emulate) return {};
    return in_.failFrom(wordBegin_,
                        fmt::format("a program runs on the GPU (the default) or by emulator, not by '{}'", what),
                        "by emulator");
  }

  Result<void> view() {
    TESSERA_TRY(out_.view, word("a view"));
    if (out_.view == "bars" || out_.view == "table") return {};
    return in_.failFrom(wordBegin_, fmt::format("a run is shown as bars or as table, not as '{}'", out_.view),
                        "as bars, as table");
  }

  Cursor in_;
  Evaluator& evaluator_;
  std::size_t wordBegin_ = 0;
  RunRequest out_;
  std::map<std::string, GivenValue> values_;
  Clauses clauses_{"run",
                   {"with", "on", "spec", "seed", "by", "compare", "as"},
                   "with M=8, on sm_80, spec %C, seed 3, by emulator, compare cublas, as table"};
};

}  // namespace

Result<RunRequest> parseRun(std::string_view text, Evaluator& evaluator) { return RunParser(text, evaluator).parse(); }

std::string runKey(std::string_view statement) {
  const std::string text = withoutComments(statement);
  std::string out;
  bool blank = false;
  for (const char c : text) {
    const bool tight = c == '=' || c == ',';
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      blank = true;
      continue;
    }
    if (blank && !tight && !out.empty() && out.back() != '=' && out.back() != ',') out += ' ';
    blank = false;
    out += c;
  }
  const std::size_t as = out.find(" as ");
  if (as == std::string::npos) return out;
  const std::size_t view = as + 4, end = std::min(out.find(' ', view), out.size());
  return out.substr(0, as) + out.substr(end);
}

}  // namespace tessera
