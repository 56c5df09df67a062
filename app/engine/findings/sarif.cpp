#include "app/engine/findings/sarif.h"

#include <fmt/format.h>

#include "app/engine/json_writer.h"
#include "core/base/chars.h"

namespace tessera {
namespace {

// A path as a URI reference.
std::string uriOf(const std::string& path) {
  std::string out;
  const auto isPlain = [](char c) {
    return isNamePart(c) || std::string_view("-.~/!$&'()*+,;=@").find(c) != std::string_view::npos;
  };
  for (const char c : path)
    out += isPlain(c) ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return path.starts_with('/') ? "file://" + out : out;
}

void addText(JsonWriter& json, std::string_view name, std::string_view text) {
  json.key(name).beginObject().member("text", text).endObject();
}

void addRules(JsonWriter& json) {
  json.key("rules").beginArray();
  for (const FindingRule rule :
       {FindingRule::Refuted, FindingRule::Unknown, FindingRule::Failed, FindingRule::ParseError}) {
    const FindingRuleInfo& info = infoOf(rule);
    json.beginObject().member("id", info.id).member("name", info.name);
    addText(json, "shortDescription", info.what);
    json.key("defaultConfiguration").beginObject().member("level", info.isError ? "error" : "warning").endObject();
    json.endObject();
  }
  json.endArray();
}

void addResult(JsonWriter& json, const Finding& f, const std::string& print) {
  const FindingRuleInfo& info = infoOf(f.rule);
  json.beginObject().member("ruleId", info.id).member("ruleIndex", static_cast<int>(f.rule));
  json.member("level", info.isError ? "error" : "warning");
  addText(json, "message", f.message);
  const std::string uri = uriOf(relativePath(f.file));
  json.key("locations").beginArray().beginObject().key("physicalLocation").beginObject();
  json.key("artifactLocation").beginObject().member("uri", uri);
  if (!uri.starts_with("file:")) json.member("uriBaseId", "%SRCROOT%");
  json.endObject().key("region").beginObject();
  json.member("startLine", f.begin.line).member("startColumn", f.begin.column);
  json.member("endLine", f.end.line).member("endColumn", f.end.column);
  if (!f.marked.empty()) addText(json, "snippet", f.marked);
  json.endObject().endObject().endObject().endArray();
  json.key("partialFingerprints").beginObject().member("tesseraStatement/v1", print).endObject().endObject();
}

}  // namespace

std::string sarifLog(const std::vector<Finding>& findings, std::string_view version, bool succeeded, int exitCode) {
  JsonWriter json;
  Fingerprints prints;
  json.beginObject().member("$schema", "https://json.schemastore.org/sarif-2.1.0.json").member("version", "2.1.0");
  json.key("runs").beginArray().beginObject();
  json.key("tool").beginObject().key("driver").beginObject().member("name", "Tessera").member("version", version);
  addRules(json);
  json.endObject().endObject();
  json.key("invocations").beginArray().beginObject().member("executionSuccessful", succeeded);
  json.member("exitCode", exitCode).endObject().endArray();
  json.member("columnKind", "unicodeCodePoints").key("results").beginArray();
  for (const Finding& f : findings) addResult(json, f, prints.next(f));
  return json.endArray().endObject().endArray().endObject().take();
}

}  // namespace tessera
