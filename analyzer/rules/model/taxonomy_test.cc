// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/model/taxonomy.h"

#include <set>

#include "analyzer/rules/load/yaml.h"
#include "tests/catch_compat.h"

using namespace inquest;
using namespace inquest::rules;

namespace {

nlohmann::json File() {
  YamlDocument document;
  Diagnostics said;
  REQUIRE(ParseYaml("taxonomy.yaml", TaxonomyText(), {}, &document, &said));
  return document.root;
}

}  // namespace

TEST_CASE("the taxonomy names each cause once, and only layers it has") {
  const auto file = File();
  const std::set<std::string> layers(file["layers"].begin(),
                                     file["layers"].end());
  CHECK(layers.size() == file["layers"].size());
  for (const auto& [area, layer] : file["areas"].items()) {
    CHECK(layers.contains(layer.get<std::string>()));
  }
  std::set<std::string> ids;
  for (const auto& cause : file["causes"]) {
    const std::string id = cause["id"];
    CAPTURE(id);
    CHECK(ids.insert(id).second);
    CHECK(LooksLikeCause(id));
    CHECK_FALSE(cause["meaning"].get<std::string>().empty());
    if (cause.contains("layer")) {
      CHECK(layers.contains(cause["layer"].get<std::string>()));
    }
    const std::string area = id.substr(0, id.find('/'));
    CHECK((area == id || file["areas"].contains(area)));
  }
  CHECK(Causes().size() == ids.size());
}

TEST_CASE("deeper causes stand before shallower ones") {
  const std::vector<std::string> order = {"hardware/ecc",
                                          "version/driver-mismatch",
                                          "memory/capacity",
                                          "cudnn/bad-param",
                                          "distributed/nccl-system",
                                          "distributed/desync",
                                          "distributed/peer-lost",
                                          "process/segfault",
                                          "process/exception",
                                          "unknown"};
  for (size_t i = 0; i < order.size(); ++i) {
    CAPTURE(order[i]);
    CHECK(LayerOf(order[i]) == static_cast<int>(i));
  }
  CHECK(LayerOf("memory/host") == 0);
  CHECK(LayerOf("process/preempted") == 3);
  CHECK(LayerOf("hardware/a-site's-own") == 0);
  CHECK(LayerOf("power/brownout") == 9);
  CHECK(LayerName(0) == "hardware and host");
  CHECK(LayerName(99) == "outside the taxonomy");
}
