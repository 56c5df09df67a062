// Findings as a SARIF 2.1.0 log: one run, four rules, a result per finding.
//
//     {"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"tool":{"driver":{
//      "name":"Tessera","rules":[{"id":"refuted",...},...]}},"columnKind":"unicodeCodePoints","results":[
//      {"ruleId":"refuted","ruleIndex":0,"level":"error","message":{"text":...},"locations":[{"physicalLocation":
//      {"artifactLocation":{"uri":"k.cu","uriBaseId":"%SRCROOT%"},"region":{"startLine":19,...}}}],
//      "partialFingerprints":{"tesseraStatement/v1":"16 digits"}}]}]}
//
// Laws (tests/cli/check_source.py): the log is valid by an independent validator of the parts of the schema that it
// uses. A fingerprint does not change when lines are added before the statement.
#pragma once

#include <string>
#include <vector>

#include "app/engine/findings/finding.h"

namespace tessera {

// `succeeded`: all inputs were read.
[[nodiscard]] std::string sarifLog(const std::vector<Finding>& findings, std::string_view version, bool succeeded,
                                   int exitCode);

}  // namespace tessera
