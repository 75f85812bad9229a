// SPDX-License-Identifier: Apache-2.0
#include "authoring/ruletests/labels.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/figures_json.h"
#include "base/input_file.h"
#include "base/json_text.h"

namespace inquest::ruletests {
namespace {

using nlohmann::json;

constexpr size_t kMaxLabelBytes = 64 << 20;  // of labels.jsonl

// The id names a file of the corpus, so it must stay inside.
bool IsName(const std::string& id) {
  return !id.empty() && id.front() != '.' &&
         std::all_of(id.begin(), id.end(), [](unsigned char c) {
           return isalnum(c) || c == '-' || c == '_' || c == '.';
         });
}

bool Read(const json& line, Label* label) {
  if (!line.is_object()) return false;
  const auto text = [&](const char* key) {
    const auto found = line.find(key);
    return found != line.end() && found->is_string() ? found->get<std::string>()
                                                     : std::string();
  };
  label->id = text("id");
  label->cause = text("cause");
  const auto also = line.find("also");
  if (also != line.end() && also->is_array()) {
    for (const json& one : *also) {
      if (one.is_string()) label->also.push_back(one.get<std::string>());
    }
  }
  const auto hard = line.find("hard");
  label->hard = hard != line.end() && hard->is_boolean() && hard->get<bool>();
  const auto facts = line.find("facts");
  if (facts != line.end()) label->facts = ToFigures(*facts);
  return IsName(label->id) && !label->cause.empty();
}

}  // namespace

Expected<std::vector<Label>> ReadLabels(const std::string& folder) {
  const std::string path = folder + "/labels.jsonl";
  auto text = ReadInput("the labels", path, Links::kFollow, kMaxLabelBytes);
  if (!text.ok()) {
    return Status(text.status())
        .WithHint("a corpus is a folder with NAME.log files and labels.jsonl");
  }
  std::istringstream file(text.Take());
  std::vector<Label> labels;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    Label label;
    if (!Read(ParseJson(line), &label)) {
      return Unreadable(path + ":" + std::to_string(number) + ": not a label")
          .WithHint("an object with at least id and cause, in one line");
    }
    label.log = folder + "/" + label.id + ".log";
    if (!std::filesystem::is_regular_file(label.log)) {
      return Unreadable(path + ":" + std::to_string(number) + ": there is no " +
                        label.log);
    }
    labels.push_back(std::move(label));
  }
  if (labels.empty()) return Unreadable(path + " has no label");
  return labels;
}

}  // namespace inquest::ruletests
