// @ts-check
// SPDX-License-Identifier: Apache-2.0
// The part of the page about a job's ranks: what fell first and what is not
// known in words, the picture, and in which collectives ranks wait.

/** Of a failure without a time. @param {Rank[]} fell */
function untimed(fell) {
  const known = fell.map((one) => one.to).filter((to) => to !== null);
  return known.length === 0 ? '; nothing tells when'
    : `; its lines have no time, the last one before them is ${
        moment(Math.max(.../** @type {number[]} */ (known)))}`;
}

/** What the picture cannot show. @param {Rank[]} ranks @param {any} data */
function rankRemarks(ranks, data) {
  const {first} = data;
  const undated = ranks.filter((one) => one.from === null && !one.missing);
  const missing = ranks.filter((one) => one.missing);
  const fell = ranks.filter((one) => one.first);
  return [
    fell.length > 0 && `First fell ${rankNames(fell)}: ${first.title}` +
        (first.at === null ? untimed(fell) : `, ${moment(first.at)}` + (first.error_ns >= 1e9
            ? ` (± ${duration(first.error_ns)})` : '')) + '.',
    first.alike?.length > 0 && 'The same is said of rank' +
        `${first.alike.length === 1 ? '' : 's'} ${ranges(first.alike, 12)}.`,
    first.finding && fell.length === 0 && (first.host
      ? `What fell first was on ${first.host}; no rank is known to be there.`
      : 'What fell first names no rank.'),
    undated.length > 0 && `Nothing tells the times of ${rankNames(undated)}: no ` +
        'line or record of them has one.',
    missing.length > 0 && `Nothing was found of ${rankNames(missing)}.`,
    ...data.suspects.map((/** @type {[number, string]} */ [rank, why]) =>
      `Look at rank ${rank}: ${why}.`)].filter(Boolean);
}

/** @returns {Part|null} */
function ranksPart() {
  const data = page.ranks;
  if (!data) return null;
  const ranks = readRanks(data);
  const dated = ranks.some((one) => one.from !== null);
  const remarks = rankRemarks(ranks, data);
  return {title: 'Ranks over time', body: el(
      'div', {}, el('ul', {class: 'remarks'},
                    ...remarks.map((one) => el('li', {}, one))),
      dated ? new RankPicture(data).frame.figure
            : el('p', {}, 'No input tells a time, so the order of what the ' +
                 'ranks did is not drawn.'),
      data.stalls.rows && table(withRanges(
          data.stalls, ['entered_ranks', 'missing_ranks', 'odd_ranks',
                        'dumpless_ranks']),
      'Collectives in which ranks wait for each other'),
      data.roles.rows && table(withRanges(data.roles, ['waits_for']),
                               'Ranks that others wait for'))};
}
