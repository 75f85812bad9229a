// One signature as lines are matched with it, and what it finds there.
#pragma once

#include <re2/re2.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/rules/model/rule_model.h"

namespace inquest::rules {

struct SignatureHit {
  size_t signature = 0;    // index into the vector given to Compile
  nlohmann::json figures;  // an object: captures, typed, and the constants
  int bad_captures = 0;    // texts that did not fit their type
};

constexpr int64_t kMostRepeats = 64;  // occurrences in one line

// Where a match begins RE2 finds with the expression reversed, which it
// compiles for the purpose. For a few lines, trying place after place costs
// less.
enum class Lines { kMany, kFew };

// Takes the expression that the signature brings, or compiles it when it is
// first needed. Const members may be called from many threads at once.
class SignatureMatcher {
 public:
  explicit SignatureMatcher(const Signature& signature,
                            Lines lines = Lines::kMany);

  const re2::RE2& expression() const;
  // Without the figures, which cost more than the rest.
  bool Matches(std::string_view text) const;
  // Appends a hit with the number `index` for each occurrence: the first one,
  // or up to `most` where the signature says `repeat`.
  void AddHits(size_t index, std::string_view text,
               std::vector<SignatureHit>* hits,
               int64_t most = kMostRepeats) const;

  const nlohmann::json constants;
  const bool repeat;
  const bool app_only;
  const bool part_of_many;
  const Role role;

 private:
  struct Capture {
    int group;
    std::string name;
    CaptureType type;
  };

  void Compile() const;
  bool Find(re2::StringPiece text, size_t from,
            std::vector<re2::StringPiece>* groups) const;
  void AddFigures(const std::vector<re2::StringPiece>& groups,
                  SignatureHit* hit) const;

  const Lines lines_;
  const std::string text_;
  const std::map<std::string, CaptureType> types_;
  mutable std::once_flag once_;
  mutable std::shared_ptr<const re2::RE2> expression_;
  mutable std::vector<Capture> captures_;
  mutable int groups_ = 0;  // submatches that must be asked for
};

}  // namespace inquest::rules
