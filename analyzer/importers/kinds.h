// SPDX-License-Identifier: Apache-2.0
// The functions of each kind of file, for the table in import.cc; see Importer
// for what each pair does.
#pragma once

#include <string>

#include "analyzer/importers/import.h"
#include "analyzer/logs/reader/log_input.h"
#include "base/status.h"

namespace inquest::importers {

// Opens a file of another tool, plain or compressed. Its decompressed size is
// unknown, so the limits of each reader bound the reading.
Expected<ingest::LogInput> OpenForeign(const std::string& path);

// The beginning, as far as it can be read.
FileStart StartOf(const std::string& path);

// The status for a file that could not be read to its end.
Status Incomplete(const std::string& path, const Status& why);

bool KnowsTorchSnapshot(const FileStart& start);
Status ImportTorchSnapshot(const std::string& path,
                           const std::string& trace_path);

bool KnowsKineto(const FileStart& start);
Status ImportKineto(const std::string& path, const std::string& trace_path);

bool KnowsMemoryTimeline(const FileStart& start);
Status ImportMemoryTimeline(const std::string& path,
                            const std::string& trace_path);

bool KnowsNsys(const FileStart& start);
Status ImportNsys(std::span<const std::string> paths, ImportOutput* output);
// `path` may be a folder of dumps or the common prefix of their names: one
// trace of all ranks.
bool KnowsFlightRecorder(const FileStart& start);
Status ImportFlightRecorders(std::span<const std::string> paths,
                             ImportOutput* output);

bool KnowsPprof(const FileStart& start);
Status ImportPprof(const std::string& path, const std::string& trace_path);

bool KnowsBfcDump(const FileStart& start);
Status ImportBfcDump(const std::string& path, const std::string& trace_path);

}  // namespace inquest::importers
