// @ts-check
// SPDX-License-Identifier: Apache-2.0
// The ranks of a job: what C++ wrote, and ranks of the same story joined.

/**
 * @typedef {object} Rank
 * @property {number} rank @property {string} host
 * @property {number|null} from @property {number|null} to
 * @property {boolean} missing nothing was found of it
 * @property {{begin: number, end: number|null, name: string, state: number}[]} spans
 * @property {{at: number, signature: string, text: string}[]} marks
 * @property {boolean} first it fell first
 */

// By their state.
const SPAN_WORDS = ['', 'did not complete', 'timed out', ''];
const SPAN_CLASSES = ['span-done', 'span-pending', 'span-late', 'span-step'];

/** @param {any} data @returns {Rank[]} */
function readRanks(data) {
  const first = new Set(data.first.ranks ?? []);
  /** @type {Map<number, Rank>} */
  const ranks = new Map();
  for (const [rank, host, from, to, missing] of data.rows) {
    ranks.set(rank, {rank, host: data.names[host], from, to, spans: [],
                     marks: [], missing: missing === 1, first: first.has(rank)});
  }
  for (const [rank, begin, length, name, state] of data.spans) {
    ranks.get(rank)?.spans.push({
      begin, end: length === null ? null : begin + length,
      name: data.names[name], state});
  }
  for (const [rank, at, signature, text] of data.marks) {
    ranks.get(rank)?.marks.push({at, signature: data.names[signature],
                                 text: data.names[text]});
  }
  return [...ranks.values()].sort((a, b) => a.rank - b.rank);
}

/** "0–6, 8" @param {number[]} numbers ascending @param {number} [most] ranges */
function ranges(numbers, most = Infinity) {
  /** @type {[number, number][]} */
  const found = [];
  for (const one of numbers) {
    const last = found.at(-1);
    if (last && last[1] === one - 1) {
      last[1] = one;
    } else {
      found.push([one, one]);
    }
  }
  const text = found.slice(0, most).map(
      ([from, to]) => from === to ? `${from}` : `${from}–${to}`).join(', ');
  return found.length > most ? `${text} …` : text;
}

/** Lists of ranks in some columns of a table, as ranges.
 * @param {Rows} rows @param {string[]} columns @returns {Rows} */
function withRanges(rows, columns) {
  const short = (/** @type {any} */ value) => {
    const numbers = String(value ?? '').split(',').map(Number);
    if (!value || numbers.some((one) => !Number.isInteger(one))) return value;
    return ranges(numbers.sort((a, b) => a - b), 24);
  };
  return {...rows, rows: rows.rows.map((row) => row.map(
      (value, i) => columns.includes(rows.columns[i]) ? short(value) : value))};
}

/** @param {Rank[]} ranks @param {number} [most] */
function rankNames(ranks, most = 8) {
  return `rank${ranks.length === 1 ? '' : 's'} ` +
      ranges(ranks.map((one) => one.rank), most);
}

/** What tells its story: where it waits, what it said, whether it is known.
 * @param {Rank} rank */
function story(rank) {
  if (rank.first) return `first ${rank.rank}`;
  const open = rank.spans.filter((one) => SPAN_WORDS[one.state]);
  return [rank.missing, rank.from === null, ...open.map((one) => one.name),
          ...new Set(rank.marks.map((one) => one.signature))].join('|');
}

/** A row for each story, in the order of the first rank.
 * @param {Rank[]} ranks @returns {Rank[][]} */
function alike(ranks) {
  /** @type {Map<string, Rank[]>} */
  const groups = new Map();
  for (const one of ranks) {
    const key = story(one);
    const group = groups.get(key);
    if (group) {
      group.push(one);
    } else {
      groups.set(key, [one]);
    }
  }
  return [...groups.values()];
}

/** What is read out of a row, and where each piece is.
 * @param {Rank[]} group @returns {{at: number, text: string}[]} */
function rowItems(group) {
  const whose = (/** @type {Rank} */ one) =>
    group.length > 1 ? `rank ${one.rank}: ` : '';
  return group.flatMap((one) => [
    ...one.spans.map((span) => ({at: span.begin, text: whose(one) + span.name +
      (SPAN_WORDS[span.state] ? ` ${SPAN_WORDS[span.state]}` : '') +
      (span.end === null ? '' : `, ${duration(span.end - span.begin)}`) +
      `, begun ${moment(span.begin)}`})),
    ...one.marks.map((mark) => ({at: mark.at, text: whose(one) +
      `${moment(mark.at)}: ${mark.text}`})),
  ]).sort((a, b) => a.at - b.at);
}

/** @param {Rank[]} group */
function rowSummary(group) {
  const [one] = group;
  const name = group.length > 1
    ? `${rankNames(group, 12)} (${counted(group.length)})`
    : `rank ${one.rank}` + (one.host ? ` on ${one.host}` : '');
  if (one.missing) return `${name} · nothing was found of it`;
  if (one.from === null) return `${name} · nothing tells its times`;
  const from = Math.min(...group.map((rank) => rank.from ?? Infinity));
  const to = Math.max(...group.map((rank) => rank.to ?? -Infinity));
  return `${name}${one.first ? ' · fell first' : ''} · from ${moment(from)} to ${
    moment(to)}`;
}

/** Rectangles as one shape, because there may be thousands.
 * @param {[number, number, number, number][]} boxes x, y, width, height */
function boxesPath(boxes) {
  return boxes.map(([x, y, width, height]) =>
    `M${x.toFixed(1)} ${y.toFixed(1)}h${width.toFixed(1)}v${
      height.toFixed(1)}h${(-width).toFixed(1)}z`).join('');
}
