// @ts-check
// SPDX-License-Identifier: Apache-2.0
// The page of a run or a job: the verdict first, then what the input has.

showPage(head(), [verdictParts, ranksPart, stacksPart, timelinePart, heapPart,
                  sitesPart, leaksPart, cudnnPart, logsPart, versionsPart,
                  runPart, findingsPart, coveragePart],
         `inquest ${page.tool.version}, ${counted(page.tool.rules)} rules` +
         (page.subject ? ` · ${page.subject}` : '') +
         (page.clock.base ? ` · times count from ${page.clock.base} UTC` : ''));
