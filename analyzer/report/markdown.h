// SPDX-License-Identifier: Apache-2.0
// Text from logs and rules as Markdown, so that it stays text: no markup, no
// HTML, no link, no mention of a person. For CommonMark and the dialects of
// GitHub and GitLab. Everything is made printable.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace inquest::report {

// One line. Marks are escaped; "@name", "#1" and addresses are not links.
std::string MarkdownText(std::string_view text);
// `code` in a line, with as many backticks as it needs.
std::string MarkdownCode(std::string_view text);
// A block of lines, fenced, each indented by `indent`. `language` may be empty.
std::string MarkdownBlock(std::string_view lines, std::string_view language,
                          size_t indent);

}  // namespace inquest::report
