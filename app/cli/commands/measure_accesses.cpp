// tessera measure FILE --accesses: predicts and measures every shared-memory access; --access for a layout; --nsight
// for both.
//
//     ? gemm_warps_64: 4 accesses: 4 are not measured
//         not measured: the CUDA driver was not found: ...
//         where    instruction   operand  layout                    times  predicted  ideal  verdict
//         line 31  st.shared.v4  %sa      Sw<3,3,3> o [64,64:64,1]  512    4          4      not measured
#include "app/cli/commands.h"
#include "app/cli/commands/measure.h"
#include "app/cli/io/report.h"
#include "app/engine/json_writer.h"
#include "app/engine/measure/predict_accesses.h"

namespace tessera {
namespace {

void optional(JsonWriter& json, const char* name, const std::optional<double>& value) {
  if (value) json.member(name, *value);
}

void addRow(JsonWriter& json, const PredictionRow& r) {
  json.beginObject().member("line", r.line).member("kernel", r.kernel).member("instruction", r.instruction);
  json.member("operand", r.operand).member("layout", r.layout).member("times", r.times).member("patterns", r.patterns);
  json.member("predicted", r.wavefronts).member("ideal", r.ideal);
  if (r.merged) json.member("merged", *r.merged);
  optional(json, "cycles", r.cycles);
  optional(json, "idealCycles", r.idealCycles);
  optional(json, "latency", r.latency);
  optional(json, "measured", r.measured);
  json.member("verdict", name(r.agreement)).member("why", r.why).endObject();
}

std::string jsonOf(const PredictionTable& table, const std::string& file) {
  JsonWriter json;
  json.beginObject().member("ok", true).member("kind", "predictions").member("text", summaryOf(table));
  json.member("file", file).member("device", table.device).member("notMeasured", table.notMeasured);
  json.member("date", table.date).member("remark", table.remark).key("accesses").beginArray();
  for (const PredictionRow& r : table.rows) addRow(json, r);
  json.endArray().key("kernels").beginArray();
  for (const ProfiledKernel& k : table.profiled) {
    json.beginObject().member("kernel", k.kernel).member("launches", k.launches).member("predicted", k.wavefronts);
    json.member("ideal", k.ideal).member("verdict", name(k.agreement)).member("why", k.why);
    json.key("counters").beginArray();
    for (const auto& [metric, value] : k.counters)
      json.beginObject().member("metric", metric).member("value", value).endObject();
    json.endArray().endObject();
  }
  json.endArray().endObject();
  return json.take();
}

class MeasureAccesses {
 public:
  MeasureAccesses(const MeasureCommandOptions& options, Output& out) : options_(options), out_(out) {}

  int run() {
    if (options_.json && options_.csv)
      return refuse({"--json and --csv exclude each other", "one of them", "", {}}, options_.file);
    if (!options_.shared.type.empty() && options_.shared.instruction.empty())
      return refuse({"--type needs --access", "--access ldmatrix.x4 --type fp16", "", {}}, options_.file);
    if (!options_.shared.nsight.empty()) {
      if (!options_.shared.instruction.empty())
        return refuse({"a profiler's report is about a program, not a layout", "FILE.graphene --nsight CSV", "", {}},
                      options_.file);
      auto text = readFile(options_.shared.nsight);
      if (!text) return refuse(text.error(), options_.shared.nsight);
      auto report = measure::readNsight(*text);
      if (!report)
        return refuse({report.error().message, report.error().expected, report.error().hint, {}},
                      options_.shared.nsight);
      predict_.report = *std::move(report);
    }
    predict_.measure = !options_.emulate;
    predict_.notAsked = "--emulate: not measured on a device";
    return options_.shared.instruction.empty() ? program() : layout();
  }

 private:
  measure::RunOptions how() {
    measure::RunOptions out = runOptions(options_.seconds, &progress_);
    out.date.resize(std::string_view("2026-11-22").size());
    return out;
  }

  int program() {
    const auto request = measureRequest(options_, text_);
    return request ? printResult(predictAccesses(*request, how(), predict_)) : refuse(request.error(), options_.file);
  }

  int layout() {
    text_ = options_.file;
    return printResult(
        predictAccess(options_.file, options_.shared.instruction, options_.shared.type, how(), predict_));
  }

  int printResult(const Result<PredictionTable>& table) {
    progress_.clear();
    if (!table) return refuse(table.error(), options_.file, kExitFailed);
    const bool good = table->count(Agreement::Disagrees) == 0;
    if (options_.json) {
      (void)out_.line(jsonOf(*table, options_.file));
    } else if (options_.csv) {
      std::string text = csvOf(*table);
      std::erase(text, '\r');
      (void)out_.line(std::string_view(text).substr(0, text.find_last_not_of('\n') + 1));
    } else {
      const bool some = table->count(Agreement::Agrees) > 0;
      (void)out_.line(textOf(*table), !good ? "  \u2717 " : some ? "  \u2713 " : "  ? ");
    }
    return good ? kExitOk : kExitFailed;
  }

  int refuse(const Diag& diag, const std::string& file, int exit = kExitUnreadable) {
    Complaints(options_.json, out_).in(file, diag, text_);
    return exit;
  }

  const MeasureCommandOptions& options_;
  Output& out_;
  Progress progress_;
  PredictOptions predict_;
  std::string text_;
};

}  // namespace

int runMeasureAccesses(const MeasureCommandOptions& options, Output& out) {
  return MeasureAccesses(options, out).run();
}

}  // namespace tessera
