// SPDX-License-Identifier: Apache-2.0
// What a terminal can show: colours, columns, characters.
#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <clocale>
#include <cstdlib>
#include <string_view>

#include "cli/command.h"

namespace inquest::cli {
namespace {

// Empty counts as unset.
std::string_view Variable(const char* name) {
  const char* value = getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

}  // namespace

// no-color.org and bixense.com/clicolors.
bool WantsColour(int fd) {
  if (!Variable("NO_COLOR").empty()) return false;
  const std::string_view force = Variable("CLICOLOR_FORCE");
  if (!force.empty() && force != "0") return true;
  if (Variable("CLICOLOR") == "0" || Variable("TERM") == "dumb") return false;
  return isatty(fd) == 1;
}

size_t WidthOf(int fd) {
  if (isatty(fd) != 1) return 0;
  const std::string_view columns = Variable("COLUMNS");
  size_t width = 0;
  std::from_chars(columns.data(), columns.data() + columns.size(), width);
  if (width > 0) return width;
  struct winsize size = {};
  return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool ShowsUnicode(int fd) {
  if (isatty(fd) != 1) return true;
  const locale_t users =
      newlocale(LC_CTYPE_MASK, "", static_cast<locale_t>(nullptr));
  if (users == nullptr) return false;
  const bool utf8 = std::string_view(nl_langinfo_l(CODESET, users)) == "UTF-8";
  freelocale(users);
  return utf8;
}

}  // namespace inquest::cli
