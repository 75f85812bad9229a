// @ts-check
// SPDX-License-Identifier: Apache-2.0
// Excerpts of the logs, with the lines marked that are evidence.

/** @param {number} source @param {number} line */
function lineId(source, line) {
  return `log-${source}-${line}`;
}

/** Ids of the lines that the page has. @type {Set<string>} */
const linesShown = new Set((page.logs?.logs ?? []).flatMap(
    (/** @type {any} */ log) => log.lines.map(
        (/** @type {any[]} */ line) => lineId(log.source, line[0]))));

/** @param {any} log @param {any[]} line number, text and findings */
function logLine(log, [number, text, findings]) {
  const mine = findings?.includes(page.verdict.finding);
  const mark = findings ? findings.join(' ') : '';
  return el('div', {class: mine ? 'log-line evidence' : findings
              ? 'log-line other' : 'log-line', id: lineId(log.source, number)},
            el('span', {class: 'line-number'}, String(number)),
            el('span', {class: 'line-text'}, text),
            mark && el('span', {class: 'line-mark',
                                title: `evidence of ${mark}`}, mark));
}

/** Of many logs only those are open that have the verdict's evidence.
 * @param {any} log @param {boolean} few */
function logExcerpt(log, few) {
  const lines = [];
  let next = 1;
  for (const line of [...log.lines, [log.count + 1]]) {
    if (line[0] > next) {
      lines.push(el('div', {class: 'log-gap'},
                    `… ${plural(line[0] - next, 'line')}`));
    }
    if (line.length > 1) lines.push(logLine(log, line));
    next = line[0] + 1;
  }
  const about = `${plural(log.count, 'line')}, ${bytes(log.bytes)}`;
  const mine = log.lines.some((/** @type {any[]} */ line) =>
    line[2]?.includes(page.verdict.finding));
  return el('details', {class: 'log', open: mine || few},
            el('summary', {}, el('h3', {}, log.path, ' ',
                                 el('span', {class: 'dim'}, about))),
            el('div', {class: 'log-lines', role: 'region', tabindex: 0,
                       'aria-label': `Lines of ${log.path}`}, ...lines));
}

/** A link to a line opens its log. */
function openLinked() {
  const line = document.getElementById(location.hash.slice(1));
  const log = line?.closest('details.log');
  if (!log || log.hasAttribute('open')) return;
  log.setAttribute('open', '');
  line?.scrollIntoView({block: 'center'});
}
addEventListener('hashchange', openLinked);

/** @returns {Part|null} */
function logsPart() {
  const logs = page.logs?.logs;
  if (!logs?.length) return null;
  return {title: logs.length === 1 ? 'The log' : 'The logs', body: el(
      'div', {}, dim('The last lines, the lines that a ' +
         'signature recognised, and those that are evidence: marked with the ' +
         'number of their finding, the verdict\'s own in red.'),
      ...logs.map((/** @type {any} */ log) => logExcerpt(log, logs.length < 4)),
      andMore(page.logs.more, 'log'))};
}
