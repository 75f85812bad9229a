// @ts-check
// SPDX-License-Identifier: Apache-2.0
// The verdict, its evidence, figures and fixes, and the other findings. The
// words are those of the text report.

/** "none" is a proof of a clean end; "unknown" claims nothing. */
function verdictKind() {
  if (page.verdict.cause === 'none') return 'good';
  return page.verdict.finding ? 'bad' : 'open';
}

function head() {
  const verdict = page.verdict;
  document.title = `${verdict.cause}: ${verdict.title}`;
  return el('div', {class: `verdict ${verdictKind()}`, id: 'verdict'},
            el('p', {class: 'cause'}, verdict.cause),
            el('h1', {}, verdict.title),
            verdict.summary !== verdict.title &&
                el('p', {class: 'summary'}, verdict.summary),
            verdict.place && el('p', {class: 'place'}, verdict.place),
            verdict.standing && dim(verdict.standing),
            ...verdict.lost.map((one) => el('p', {class: 'lost'}, one)));
}

/** @param {any} piece with a place in a log, to which it leads */
function evidenceItem(piece) {
  const id = piece.line ? lineId(piece.source, piece.line) : '';
  if (!id || !linesShown.has(id)) {
    return el('li', {}, el('code', {}, piece.text));
  }
  return el('li', {}, el('a', {href: '#' + id}, el('code', {}, piece.text)));
}

/** @param {any[]} evidence @param {number} all how many pieces there are */
function evidenceList(evidence, all) {
  const shown = evidence.slice(0, page.verdict.shown).map(evidenceItem);
  const rest = evidence.slice(page.verdict.shown);
  const more = all - shown.length;
  return el('div', {}, el('ul', {class: 'evidence'}, ...shown),
            rest.length > 0
                ? folded(`… and ${more} more`, () => el(
                    'ul', {class: 'evidence'}, ...rest.map(evidenceItem)))
                : andMore(more));
}

/** @param {any[]} fixes */
function fixList(fixes) {
  return el('ol', {class: 'fixes'}, ...fixes.map((fix) => el(
      'li', {}, fix.text, fix.command && command(fix.command),
      fix.url && dim('see ', webLink(fix.url)))));
}

/** A command to copy. @param {string} text */
function command(text) {
  const copy = button('Copy', `Copy ${text}`, () => {
    navigator.clipboard?.writeText(text).then(() => {
      copy.textContent = 'Copied';
    }, () => {
      copy.textContent = 'Select and copy';
    });
  });
  return el('div', {class: 'command'}, el('code', {}, text), copy);
}

/** Only an address of the web becomes a link. @param {string} url */
function webLink(url) {
  if (!/^https?:\/\//.test(url)) return url;
  return el('a', {href: url, rel: 'noreferrer noopener'}, url);
}

/** What the text report says below its title, line by line.
 * @param {[number, string][]} lines */
function textLines(lines) {
  return el('div', {class: 'lines'}, ...lines.map(([indent, text]) => el(
      'p', {class: `indent-${Math.min(indent, 3)}`}, text)));
}

/** Others that differ in their rank, device or process alone.
 * @param {any} finding */
function familyMembers(finding) {
  const left = finding.alike - finding.members.length;
  return folded(`The other ${counted(finding.alike)}`, () => el(
      'div', {},
      ...finding.members.map((/** @type {any} */ one) => el(
          'div', {}, dim(one.id),
          el('ul', {class: 'evidence'}, ...one.evidence.map(evidenceItem)))),
      andMore(left)));
}

/** A finding in full. @param {any} finding */
function findingDetails(finding) {
  const links = finding.links.map((/** @type {string[]} */ link) => dim(
      `${link[1]} — ${link[0]}: ${link[2]}`));
  const title = el('span', {}, el('span', {class: 'finding-id'}, finding.id),
                   el('code', {}, finding.cause), ' ', finding.title,
                   finding.often);
  return folded(title, () => el(
      'div', {class: 'finding'},
      finding.message !== finding.title && el('p', {}, finding.message),
      dim(`${finding.role}, ${finding.confidence}, rule ${finding.rule}`),
      ...links,
      finding.evidence.length > 0 && el('ul', {class: 'evidence'},
                                        ...finding.evidence.map(evidenceItem)),
      finding.figures.length > 0 && pairs(finding.figures),
      finding.fixes.length > 0 && fixList(finding.fixes),
      finding.alike > 0 && familyMembers(finding)));
}

/** What matters as sentences; the others are for those who ask. */
function figures() {
  const {sentences, figures: all} = page.verdict;
  const list = folded(`All figures (${counted(all.length)})`,
                      () => pairs(all));
  return el('div', {}, ...sentences.map(
      (/** @type {string} */ one) => el('p', {}, one)), list);
}

/** @returns {Part[]} */
function verdictParts() {
  const verdict = page.verdict;
  /** @type {Part[]} */
  const parts = [];
  if (verdict.evidence?.length) {
    parts.push({title: 'Why',
                body: evidenceList(verdict.evidence, verdict.pieces)});
  }
  if (verdict.fixes?.length) {
    parts.push({title: 'What to do', body: fixList(verdict.fixes)});
  }
  if (verdict.figures?.length) {
    parts.push({title: 'Figures', body: figures()});
  }
  for (const section of verdict.sections) {
    parts.push({title: section.title, body: textLines(section.lines)});
  }
  return parts;
}

/** @returns {Part|null} */
function findingsPart() {
  const findings = page.verdict.findings;
  if (findings.length < 2) return null;
  return {title: 'All findings',
          body: el('div', {}, ...findings.map(findingDetails),
                   andMore(page.verdict.more_findings))};
}
