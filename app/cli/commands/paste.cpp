// tessera paste: reads a text in a format of another tool and evaluates expressions over what it declares. Standard
// output holds the results of --eval alone; what the text is, what it binds, what was assumed and what is asked go to
// standard error. With --json every one of them is an object on standard output.
#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/io/report.h"
#include "app/engine/json.h"
#include "app/engine/json_writer.h"
#include "app/engine/paste/pasted.h"
#include "core/base/chars.h"
#include "core/worksheet/value.h"

namespace tessera {
namespace {

class Pasting {
 public:
  Pasting(const PasteOptions& options, std::string text, Output& out)
      : options_(options), text_(std::move(text)), index_(text_), wrong_(options.common.json, out), out_(out) {
    engine_.prove.budgetSeconds = options.common.budgetSeconds;
    engine_.prove.cancel = &interrupted();
    engine_.figures = EngineOptions::Figures::None;
  }

  int run(const paste::Given& given) {
    Result<Pasted> pasted = evaluatePaste(text_, given, engine_);
    if (!pasted) {
      wrong_.at(pasted.error(), text_, index_);
      return kExitFailed;
    }
    sayReading(pasted->reading);
    for (const Outcome& outcome : pasted->outcomes) sayBinding(outcome);
    if (!pasted->reading.questions.empty()) return kExitFailed;
    bool right = pasted->complete();
    if (!options_.common.json) engine_.figures = EngineOptions::Figures::Asked;
    for (const std::string& expression : options_.expressions) {
      if (interrupted().load() || out_.broken()) break;
      right = evaluated(expression, pasted->scope) && right;
    }
    return right ? kExitOk : kExitFailed;
  }

 private:
  void sayReading(const paste::Reading& reading) {
    if (options_.common.json) {
      JsonWriter json;
      json.beginObject().member("ok", reading.questions.empty()).member("kind", "reading");
      json.member("dialect", reading.dialect).member("notes", reading.notes).endObject();
      (void)out_.line(json.take());
    } else {
      complain(fmt::format("dialect: {}", reading.dialect));
      for (const std::string& note : reading.notes) complain("note: " + note);
    }
    for (const paste::Question& question : reading.questions) sayQuestion(question);
  }

  void sayQuestion(const paste::Question& question) {
    const Diag diag{fmt::format("{} is not given: {}", question.name, question.asks), "", question.suggests,
                    question.span};
    if (options_.common.json)
      (void)out_.line(jsonOf(diag, index_, {}));
    else
      complain("asked: " + printDiag(diag, text_, index_));
  }

  // One binding, on standard error; its value in full only with --json.
  void sayBinding(const Outcome& outcome) {
    if (options_.common.json) {
      (void)out_.line(jsonOf(outcome, index_, {}));
      return;
    }
    if (outcome.diag) return wrong_.at(*outcome.diag, text_, index_);
    constexpr std::size_t kMostShown = 200;
    std::string text = textOf(outcome);
    if (text.size() > kMostShown) text = text.substr(0, codePointStart(text, kMostShown)) + " ...";
    if (!text.empty()) complain(text);
    for (const Diag& note : outcome.notes) complain("note: " + printDiag(note, text_, index_));
  }

  // Prints the value of one --eval; false if it has none.
  bool evaluated(const std::string& expression, Scope& scope) {
    const LineIndex index(expression);
    bool right = true;
    for (const Statement& statement : splitArgument(expression)) {
      const Outcome outcome = runStatement(statement, scope, engine_);
      right = right && outcome.holds();
      if (options_.common.json) {
        (void)out_.line(jsonOf(outcome, index, {}));
      } else if (outcome.diag) {
        wrong_.at(*outcome.diag, expression, index);
      } else if (const std::string text = textOf(outcome); !text.empty()) {
        (void)out_.line(text);
      }
    }
    return right;
  }

  const PasteOptions& options_;
  std::string text_;
  LineIndex index_;
  Complaints wrong_;
  Output& out_;
  EngineOptions engine_;
};

Result<paste::Given> givenBy(const PasteOptions& options) {
  paste::Given given;
  given.name = options.name;
  given.dialect = options.dialect;
  for (const std::string& let : options.lets) {
    TESSERA_TRY(auto pair, readLet(let));
    given.lets.push_back(std::move(pair));
  }
  for (const std::string& over : options.over) {
    TESSERA_TRY(auto pair, readOver(over));
    given.over.push_back(std::move(pair));
  }
  return given;
}

}  // namespace

int runPaste(const PasteOptions& options, Output& out) {
  const Complaints wrong(options.common.json, out);
  const Result<paste::Given> given = givenBy(options);
  if (!given) {
    wrong.say(given.error());
    return kExitUnreadable;
  }
  Result<std::string> text = readFile(options.file.empty() ? "-" : options.file);
  if (!text) {
    wrong.say(text.error(), options.file);
    return kExitUnreadable;
  }
  return Pasting(options, *std::move(text), out).run(*given);
}

}  // namespace tessera
