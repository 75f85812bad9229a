// SPDX-License-Identifier: Apache-2.0
// What to type, by command; shown by --help and in the man pages. A test parses
// each of them.
#include <map>

#include "cli/manual/pages.h"

namespace inquest::cli {

std::vector<std::string> ExamplesOf(const std::string& path) {
  static const auto* examples =
      new std::map<std::string, std::vector<std::string>>{
          {"",
           {"inquest record -- python3 train.py",
            "inquest diagnose runs/train-20261120-101502"}},
          {"record",
           {"inquest record -- python3 train.py --epochs 3",
            "inquest record -o runs/try-7 -- torchrun --nproc-per-node 8 "
            "train.py",
            "LD_PRELOAD=$(inquest record --print-preload) python3 train.py"}},
          {"diagnose",
           {"inquest diagnose runs/train-20261120-101502",
            "inquest diagnose --log slurm-123.out --log dmesg.txt",
            "inquest diagnose --format json --fail-on error run",
            "kubectl logs job/train | inquest diagnose -"}},
          {"report",
           {"inquest report runs/train-20261120-101502 -o page.html"}},
          {"fleet diagnose", {"inquest fleet diagnose -o results runs/*"}},
          {"fleet load",
           {"inquest fleet load results",
            "inquest fleet load --database postgresql:///fleet results"}},
          {"fleet report", {"inquest fleet report"}},
          {"fleet metrics",
           {"inquest fleet metrics -o "
            "/var/lib/node_exporter/textfile/inquest.prom"}},
          {"fleet slurm", {"inquest fleet slurm -o array runs/*"}},
          {"ingest", {"inquest ingest JOBDIR -o facts/0.facts --shard 0/8"}},
          {"merge", {"inquest merge facts"}},
          {"attempts", {"inquest attempts runs/try-1 runs/try-2"}},
          {"diff", {"inquest diff runs/good runs/bad"}},
          {"explain",
           {"inquest explain run", "inquest explain run F2",
            "inquest explain run memory/fragmentation"}},
          {"query",
           {"inquest query run \"SELECT chain, live_bytes FROM "
            "allocation_site ORDER BY live_bytes DESC LIMIT 5\"",
            "inquest query --format csv run < statement.sql"}},
          {"facts list", {"inquest facts list"}},
          {"facts show", {"inquest facts show oom"}},
          {"facts markdown", {"inquest facts markdown > facts.md"}},
          {"whatif",
           {"inquest whatif run", "inquest whatif --device-memory 40GiB run"}},
          {"import",
           {"inquest import snapshot.pickle -o runs/snapshot",
            "inquest import report.sqlite --add -o runs/snapshot"}},
          {"export",
           {"inquest export runs/train-20261120-101502 -o train.pftrace"}},
          {"doctor",
           {"inquest doctor && sbatch job.sh",
            "inquest doctor --json -o /scratch/runs"}},
          {"mcp", {"inquest mcp"}},
          {"manual", {"inquest manual -o ~/.local/share"}},
          {"rules list", {"inquest rules list --causes"}},
          {"rules show", {"inquest rules show trace.oom.fragmentation"}},
          {"rules lint", {"inquest rules lint --strict my-rules/"}},
          {"rules fmt", {"inquest rules fmt my-rules/"}},
          {"rules test",
           {"inquest rules test my-rules/",
            "inquest rules test --junit results.xml my-rules/"}},
          {"rules new",
           {"inquest rules new site.disk.full --log train.log:812"}},
          {"rules schema", {"inquest rules schema > rules.schema.json"}},
          {"rules profile", {"inquest rules profile run"}},
          {"rules score", {"inquest rules score --min-right 95 corpus/"}},
          {"rules docs", {"inquest rules docs -o pages"}},
          {"rules phrasebook", {"inquest rules phrasebook codes.csv"}},
      };
  const auto found = examples->find(path);
  return found == examples->end() ? std::vector<std::string>() : found->second;
}

}  // namespace inquest::cli
