// @ts-check
// SPDX-License-Identifier: Apache-2.0
// How ranks over time are drawn: each from its first to its last sign of life,
// with its collectives and failures, and where the first domino fell.

/** @type {[string, string][]} */
const RANK_LEGEND = [
  ['strip-life', 'from the first to the last sign'],
  ['strip-first', 'fell first'], ['strip-missing', 'no times known'],
  ['span-done', 'collective'], ['span-step', 'step'],
  ['span-pending', 'did not complete'], ['span-late', 'timed out'],
  ['mark-rank', 'failure']];

/** All of a kind are one shape. @param {RankPicture} view @param {Scale} x
 * @param {number} high */
function rankShapes(view, x, high) {
  /** @type {Object<string, [number, number, number, number][]>} */
  const boxes = {};
  const add = (/** @type {string} */ kind, /** @type {number} */ row,
               /** @type {number} */ from, /** @type {number} */ to,
               inset = 0, least = 0.8) => {
    if (to < view.from || from > view.to) return;
    const begin = pixel(x, Math.max(from, view.from));
    const end = pixel(x, Math.min(to, view.to));
    const thin = high > 6 ? inset : 0;
    // Steps that follow each other are told apart.
    const gap = kind.startsWith('span-') && end - begin > 3 ? 1 : 0;
    (boxes[kind] ??= []).push([begin, TOP + row * high + thin,
                               Math.max(end - begin - gap, least),
                               Math.max(high - (high > 3 ? 1.5 : 0) - 2 * thin,
                                        0.6)]);
  };
  view.rows.forEach((group, row) => {
    for (const one of group) {
      if (one.from === null || one.to === null) {
        add('strip-missing', row, view.from, view.to, 4);
        continue;
      }
      add(one.first ? 'strip-first' : 'strip-life', row, one.from, one.to);
      for (const span of one.spans) {
        add(SPAN_CLASSES[span.state], row, span.begin,
            span.end ?? view.whole[1], 4);
      }
      for (const mark of one.marks) {
        add('mark-rank', row, mark.at, mark.at, 1, high > 6 ? 3 : 2);
      }
    }
  });
  const order = ['strip-missing', 'strip-life', 'strip-first', 'span-step',
                 'span-done', 'span-pending', 'span-late', 'mark-rank'];
  return order.filter((kind) => boxes[kind]).map((kind) => svg(
      'path', {class: kind, d: boxesPath(boxes[kind])}));
}

/** As many as there is room for, and always the first domino's.
 * @param {RankPicture} view @param {number} left @param {number} high */
function rankLabels(view, left, high) {
  const every = Math.ceil(15 / high);
  const named = (/** @type {Rank[]} */ group) => group.length > 2
    ? `${counted(group.length)} ranks: ${
        ranges(group.map((one) => one.rank), 3)}` : rankNames(group);
  const taken = view.rows.findIndex((row) => row[0].first);
  return view.rows.map((group, row) => {
    const near = taken >= 0 && Math.abs(row - taken) < every;
    if (row !== taken && (row % every !== 0 || near)) return false;
    return svg('text', {
      x: left - 8, y: TOP + row * high + Math.min(high, 24) / 2 + 4,
      'text-anchor': 'end', class: group[0].first ? 'rank-first' : null,
    }, cut((group[0].first ? '▶ ' : '') + named(group), left / 7.4));
  });
}

/** @param {RankPicture} view @param {Scale} x @param {number} bottom */
function firstDomino(view, x, bottom) {
  const {at} = view.data.first;
  if (at === null || at === undefined || at < view.from || at > view.to) {
    return false;
  }
  const middle = pixel(x, at);
  const late = middle > x.at + x.length - 90;
  return svg('g', {class: 'death'},
      stroke(null, middle, TOP - 4, middle, bottom),
      svg('text', {x: middle + (late ? -5 : 5), y: TOP - 6,
                   'text-anchor': late ? 'end' : 'start'}, 'first domino'));
}

/** @param {RankPicture} view @param {Scale} x @param {number} bottom */
function rankTicks(view, x, bottom) {
  if (!view.ranks.some((one) => one.from !== null)) return false;
  const {ticks, step} = timeTicks(view.from, view.to, x.length / 90);
  return bottomAxis(x, ticks, bottom, (at) => timeLabel(at, step));
}
