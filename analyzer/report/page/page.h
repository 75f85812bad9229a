// SPDX-License-Identifier: Apache-2.0
// A diagnosis as one page of HTML that needs nothing else: the verdict in the
// words of the text report, and pictures of what the traces recorded. Called by
// `inquest report` and `inquest diagnose --format html`.
//
// Nothing of a run becomes HTML (analyzer/page/page_text.h). At most about 2
// MB, however long the run was.
#pragma once

#include <string>

#include "analyzer/facts/store/store.h"
#include "analyzer/report/redact/redactor.h"
#include "analyzer/report/report.h"
#include "base/status.h"

namespace inquest::report {

// The store is the one that the diagnosis was made from. With a redactor the
// page has nothing that it replaces.
Expected<std::string> HtmlPage(const ReportInput& input, facts::Store* store,
                               Redactor* redactor = nullptr);

}  // namespace inquest::report
