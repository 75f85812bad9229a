// SPDX-License-Identifier: Apache-2.0
// What a report would say of each sample line of each signature, and of each
// rule test: headline, message, advice. For an author to read all of it and ask
// of each sentence whether it is true of that line. Called by `inquest rules
// phrasebook`; prints nothing itself.
#pragma once

#include <functional>
#include <string>

#include "authoring/ruletests/diagnoser.h"
#include "authoring/ruletests/test_model.h"

namespace inquest::phrasebook {

using Print = std::function<void(const std::string&)>;

// The samples of signatures that name a cause and whose id matches the glob.
Status PrintSamples(ruletests::Diagnoser* diagnoser, const std::string& glob,
                    const Print& print);
// The tests of a file, each with its verdict.
Status PrintTests(const ruletests::TestFile& file,
                  ruletests::Diagnoser* diagnoser, const Print& print);

}  // namespace inquest::phrasebook
