// SPDX-License-Identifier: Apache-2.0
#include "driver/ptx.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace simgpu::driver {
namespace {

std::string StripComments(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "//") == 0) {
      while (i < text.size() && text[i] != '\n') ++i;
      out += '\n';
    } else if (text.compare(i, 2, "/*") == 0) {
      const size_t end = text.find("*/", i + 2);
      i = end == std::string_view::npos ? text.size() : end + 1;
      out += ' ';
    } else {
      out += text[i];
    }
  }
  return out;
}

// The word that follows `keyword` at or after `from`; npos when absent.
size_t After(const std::string& text, const char* keyword, size_t from) {
  const size_t at = text.find(keyword, from);
  if (at == std::string::npos) return at;
  return text.find_first_not_of(" \t\r\n",
                                at + std::string_view(keyword).size());
}

size_t SizeOfType(const std::string& type) {
  const size_t digit = type.find_first_of("0123456789");
  if (digit == std::string::npos) return 1;
  return static_cast<size_t>(std::atoi(type.c_str() + digit)) / 8;
}

std::vector<std::string> Words(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  for (char c : text + " ") {
    if (!std::isspace(static_cast<unsigned char>(c))) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(word);
      word.clear();
    }
  }
  return words;
}

// ".param .align 8 .b8 name[24]" or ".param .u64 .ptr .global name".
void AddParam(const std::string& text, std::vector<KernelParam>* params) {
  KernelParam param;
  size_t align = 0;
  const std::vector<std::string> words = Words(text);
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == ".align" && i + 1 < words.size()) {
      align = static_cast<size_t>(std::atoi(words[++i].c_str()));
    } else if (word[0] == '.' && word != ".param" &&
               word.find_first_of("0123456789") != std::string::npos) {
      param.size = SizeOfType(word);
      param.is_pointer = word == ".u64";
    }
  }
  const size_t bracket = text.find('[');
  if (bracket != std::string::npos) {
    param.size *= static_cast<size_t>(std::atoi(text.c_str() + bracket + 1));
    param.is_pointer = false;
  } else {
    align = param.size;
  }
  if (param.size == 0) return;
  if (align == 0) align = 1;
  const size_t end =
      params->empty() ? 0 : params->back().offset + params->back().size;
  param.offset = (end + align - 1) / align * align;
  params->push_back(param);
}

void ParseParams(const std::string& list, std::vector<KernelParam>* params) {
  size_t begin = 0;
  while (begin < list.size()) {
    const size_t end = std::min(list.find(',', begin), list.size());
    AddParam(list.substr(begin, end - begin), params);
    begin = end + 1;
  }
}

}  // namespace

bool ParsePtx(std::string_view raw, PtxModule* module) {
  const std::string text = StripComments(raw);
  const size_t version = After(text, ".version", 0);
  const size_t target = After(text, ".target", 0);
  if (version == std::string::npos || target == std::string::npos) return false;
  char* minor = nullptr;
  const long major = std::strtol(text.c_str() + version, &minor, 10);
  module->version = static_cast<int>(major * 10);
  if (*minor == '.') module->version += std::atoi(minor + 1);
  if (text.compare(target, 3, "sm_") != 0) return false;
  module->target = std::atoi(text.c_str() + target + 3);
  size_t at = After(text, ".entry", 0);
  while (at != std::string::npos) {
    KernelEntry entry;
    const size_t name_end = text.find_first_of(" \t\r\n({", at);
    if (name_end == std::string::npos) return false;
    entry.name = text.substr(at, name_end - at);
    const size_t open = text.find_first_of("({", name_end);
    if (open != std::string::npos && text[open] == '(') {
      const size_t close = text.find(')', open);
      if (close == std::string::npos) return false;
      ParseParams(text.substr(open + 1, close - open - 1), &entry.params);
    }
    module->entries.push_back(std::move(entry));
    at = After(text, ".entry", name_end);
  }
  return true;
}

}  // namespace simgpu::driver
