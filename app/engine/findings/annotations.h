// Findings as annotations of pull requests.
//
//     githubCommand(f)     ::error file=k.cu,line=19,endLine=19,col=45,endColumn=87,title=refuted%3A injective(A)::...
//     gitlabReport(fs)     [{"description":...,"check_name":"refuted","fingerprint":...,"severity":"major",...}]
//
// Law: the parts that GitHub's runner splits a command into are those of the finding: in a message %, CR and LF are
// escaped, in a property also `:` and `,`.
#pragma once

#include <string>
#include <vector>

#include "app/engine/findings/finding.h"

namespace tessera {

// One line. Columns are left out if the region has several lines, as GitHub requires.
[[nodiscard]] std::string githubCommand(const Finding& finding);
// Code Quality, one document.
[[nodiscard]] std::string gitlabReport(const std::vector<Finding>& findings);

}  // namespace tessera
