// @ts-check
// SPDX-License-Identifier: Apache-2.0
// The stacks of a hang, merged into a tree: where all processes went together,
// where they part, and where each stands.

/** @typedef {{node: number, parent: number|null, function: string,
 *   file: string|null, file_line: number|null, processes: number, who: string,
 *   ends: number, below: Frame_[]}} Frame_ */

/** @param {Rows} rows @returns {Frame_[]} roots */
function stackRoots(rows) {
  /** @type {Map<number, Frame_>} */
  const frames = new Map();
  const roots = [];
  for (const row of objects(rows)) {
    const one = {...row, below: []};
    frames.set(one.node, one);
    const above = one.parent === null ? null : frames.get(one.parent);
    (above ? above.below : roots).push(one);
  }
  return roots;
}

/** Frames that the same processes went through, one after the other.
 * @param {Frame_} first */
function chainFrom(first) {
  const chain = [first];
  for (let last = first; last.below.length === 1 && last.ends === 0 &&
           last.below[0].processes === last.processes;) {
    last = last.below[0];
    chain.push(last);
  }
  return chain;
}

/** @param {Frame_} one */
function frameLine(one) {
  const place = one.file
    ? one.file + (one.file_line ? `:${one.file_line}` : '') : '';
  return el('div', {class: 'frame-line'}, el('code', {}, one.function),
            place && el('span', {class: 'dim'}, ' ' + place));
}

const SHOWN_OF_CHAIN = 3;

/** @param {Frame_} root @param {number} all processes */
function stackBranch(root, all) {
  const chain = chainFrom(root);
  const last = chain[chain.length - 1];
  // A line that says "one frame" takes as much room as the frame.
  const few = chain.length <= SHOWN_OF_CHAIN + 2;
  const shown = few ? chain : chain.slice(-SHOWN_OF_CHAIN);
  const hidden = chain.slice(0, chain.length - shown.length);
  const share = svg('svg', {class: 'share-bar', width: 60, height: 8,
                            'aria-hidden': 'true'},
                    svg('rect', {class: 'bar-whole', width: 60, height: 8}),
                    svg('rect', {class: 'bar-hole', height: 8,
                                 width: Math.max(60 * last.processes / all, 1)}));
  const below = [...last.below].sort((a, b) => a.processes - b.processes);
  return el('li', {}, el('p', {class: 'branch'}, share,
                         ` ${counted(last.processes)} of ${counted(all)}: `,
                         el('strong', {}, cut(last.who, 160)),
                         last.ends > 0 && last.below.length > 0 &&
                             `; ${counted(last.ends)} stand here`),
            hidden.length > 0 && folded(
                plural(hidden.length, 'outer frame'),
                () => el('div', {}, ...hidden.map(frameLine))),
            ...shown.map(frameLine),
            below.length > 0 && el('ul', {}, ...below.map(
                (one) => stackBranch(one, all))));
}

/** Numbers alone are ranks. @param {Rows} rows @returns {Rows} */
function namedRanks(rows) {
  const at = rows.columns.indexOf('who');
  const short = withRanges(rows, ['who']);
  return {...short, rows: short.rows.map((row) => row.map((value, i) =>
    i !== at || !/^[\d–, …]+$/.test(value) ? value
      : `rank${/^\d+$/.test(value) ? '' : 's'} ${value}`))};
}

/** @returns {Part|null} */
function stacksPart() {
  const data = page.stacks;
  if (!data?.tree) return null;
  const roots = stackRoots(data.tree).sort((a, b) => a.processes - b.processes);
  const all = roots.reduce((sum, one) => sum + one.processes, 0);
  return {title: 'Merged stacks', body: el(
      'div', {}, dim('From the outermost function inwards; ' +
         'where the processes part, the smallest group comes first.'),
      el('ul', {class: 'stack-tree', role: 'region', tabindex: 0,
                'aria-label': 'Merged stacks'},
         ...roots.map((one) => stackBranch(one, all))),
      andMore(data.tree.more, 'frame'),
      data.processes.rows && table(
          namedRanks(data.processes), 'Who stands where',
          (row) => row[0] === 'holds-up' ? 'failed' : ''))};
}
