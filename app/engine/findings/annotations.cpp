#include "app/engine/findings/annotations.h"

#include <fmt/format.h>

#include "app/engine/json_writer.h"

namespace tessera {
namespace {

// The rules of actions/toolkit (escapeData, escapeProperty).
std::string escapedForGithub(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    if (c == '%') {
      out += "%25";
    } else if (c == '\r') {
      out += "%0D";
    } else if (c == '\n') {
      out += "%0A";
    } else if (property && c == ':') {
      out += "%3A";
    } else if (property && c == ',') {
      out += "%2C";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string githubCommand(const Finding& f) {
  std::string out = fmt::format("::{} file={},line={},endLine={}", infoOf(f.rule).isError ? "error" : "warning",
                                escapedForGithub(relativePath(f.file), true), f.begin.line, f.end.line);
  if (f.begin.line == f.end.line)
    out += fmt::format(",col={},endColumn={}", f.begin.column, std::max(f.begin.column, f.end.column - 1));
  return out + fmt::format(",title={}::{}", escapedForGithub(f.title, true), escapedForGithub(f.message, false));
}

std::string gitlabReport(const std::vector<Finding>& findings) {
  JsonWriter json;
  Fingerprints prints;
  json.beginArray();
  for (const Finding& f : findings) {
    json.beginObject().member("description", f.message).member("check_name", infoOf(f.rule).id);
    json.member("fingerprint", prints.next(f)).member("severity", infoOf(f.rule).isError ? "major" : "minor");
    json.key("location").beginObject().member("path", relativePath(f.file));
    json.key("lines").beginObject().member("begin", f.begin.line).member("end", f.end.line).endObject();
    json.endObject().endObject();
  }
  return json.endArray().take();
}

}  // namespace tessera
