// SPDX-License-Identifier: Apache-2.0
// The members of rule_model.h, world.h and taxonomy.h that the image (image.h)
// keeps, named once for both directions. Each list of names is complete: a new
// member does not compile until it is added here. Samples and compiled
// expressions are named and not kept; a set's signatures are in a part of their
// own. Internal to image.cc and image_write.cc.
#pragma once

#include <type_traits>

#include "analyzer/rules/model/codes.h"
#include "analyzer/rules/model/rule_model.h"
#include "analyzer/rules/model/taxonomy.h"
#include "analyzer/rules/model/world.h"

namespace inquest::rules {

template <typename T>
constexpr bool kImageNumber = std::is_integral_v<T> || std::is_enum_v<T>;

template <class Archive>
void Members(Archive& io, Place& one) {
  auto& [file, line, column] = one;
  io(file, line, column);
}

template <class Archive>
void Members(Archive& io, Condition& one) {
  auto& [figure, values] = one;
  io(figure, values);
}

template <class Archive>
void Members(Archive& io, Fix& one) {
  auto& [text, command, when, action, url, applies_if, unless] = one;
  io(text, command, when, action, url, applies_if, unless);
}

template <class Archive>
void Members(Archive& io, Literals& one) {
  auto& [any, also] = one;
  io(any, also);
}

template <class Archive>
void Members(Archive& io, Pattern& one) {
  auto& [text, re2, length, sample, place, compiled, literals] = one;
  io(text, re2, length, place, literals);
}

template <class Archive>
void Members(Archive& io, Code& one) {
  auto& [number, names, texts, cause] = one;
  io(number, names, texts, cause);
}

template <class Archive>
void Members(Archive& io, Signature& one) {
  auto& [id, aliases, source, patterns, types, unless, set, codes, code, repeat,
         role, cause, fact, severity, status, title, message, fix, references,
         falsepositives, match, no_match, pack, disabled, overridden, place] =
      one;
  io(id, aliases, source, patterns, types, unless, set, codes, code, repeat,
     role, cause, fact, severity, status, title, message, fix, references,
     falsepositives, pack, disabled, overridden, place);
}

template <class Archive>
void Members(Archive& io, Exception& one) {
  auto& [name, tuples] = one;
  io(name, tuples);
}

template <class Archive>
void Members(Archive& io, Rule& one) {
  auto& [id, aliases, title, cause, role, severity, status, confidence, needs,
         needs_any, sql, confirm, refute, message, fix, references,
         falsepositives, exceptions, max_rows, max_milliseconds, pack, disabled,
         overridden, place, sql_place] = one;
  io(id, aliases, title, cause, role, severity, status, confidence, needs,
     needs_any, sql, confirm, refute, message, fix, references, falsepositives,
     exceptions, max_rows, max_milliseconds, pack, disabled, overridden, place,
     sql_place);
}

template <class Archive>
void Members(Archive& io, Relation& one) {
  auto& [from, to, kind, scope, any_order, within_ns, same, why, place] = one;
  io(from, to, kind, scope, any_order, within_ns, same, why, place);
}

template <class Archive>
void Members(Archive& io, Pack& one) {
  auto& [name, version, facts, place] = one;
  io(name, version, facts, place);
}

template <class Archive>
void Members(Archive& io, World& one) {
  auto& [id, device, rules, libraries, commands, texts, alike, lacks, strange,
         instead, said, words] = one;
  io(id, device, rules, libraries, commands, texts, alike, lacks, strange,
     instead, said, words);
}

template <class Archive>
void Members(Archive& io, Phase& one) {
  auto& [id, words, frames] = one;
  io(id, words, frames);
}

template <class Archive>
void Members(Archive& io, Worlds& one) {
  auto& [vendors, platforms, settings, phases] = one;
  io(vendors, platforms, settings, phases);
}

template <class Archive>
void Members(Archive& io, Cause& one) {
  auto& [id, meaning, layer] = one;
  io(id, meaning, layer);
}

template <class Archive>
void Members(Archive& io, Taxonomy& one) {
  auto& [layers, areas, causes] = one;
  io(layers, areas, causes);
}

template <class Archive>
void Members(Archive& io, RuleSet& one) {
  auto& [signatures, rules, relations, disabled_signatures, disabled_rules,
         aliases, packs] = one;
  io(rules, relations, disabled_signatures, disabled_rules, aliases, packs);
}

}  // namespace inquest::rules
