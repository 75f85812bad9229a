// @ts-check
// SPDX-License-Identifier: Apache-2.0
// A heap as C++ wrote it, and where its pieces lie in a picture of several rows.

const FREE = 0;
const LIVE = 1;
const PENDING = 2;
const MIXED = 3;
const NO_MEMORY = 4;
const STATE_WORDS = ['free', 'live', 'given back, but a stream may still use it',
                     'small pieces, live and free',
                     'no memory behind these addresses'];

/**
 * A piece, or small neighbours as one.
 * @typedef {object} Cell
 * @property {number} offset from the first address, addresses without memory
 *     included
 * @property {number} at bytes drawn before it
 * @property {number} bytes @property {number} state @property {number} site
 * @property {number} age ms @property {number} pieces
 * @property {number} live bytes @property {boolean} named a block in the way
 */

/** @param {any} heap @returns {Cell[]} */
function readCells(heap) {
  let offset = 0;
  let at = 0;
  return heap.cells.map((/** @type {number[]} */ row) => {
    const [size, state, site = 0, age = 0, pieces = 1, live, named = 0] = row;
    const all = state === LIVE || state === PENDING ? size : 0;
    const cell = {offset, at, bytes: size, state, site, age, pieces,
                  live: live ?? all, named: named === 1};
    offset += size;
    if (state !== NO_MEMORY) at += size;
    return cell;
  });
}

/** Bytes that are drawn. @param {Cell[]} cells */
function drawnBytes(cells) {
  return cells.reduce((sum, cell) =>
    sum + (cell.state === NO_MEMORY ? 0 : cell.bytes), 0);
}

/** @param {any} heap @param {Cell} cell */
function addressOf(heap, cell) {
  return '0x' + (BigInt(heap.first) + BigInt(cell.offset)).toString(16);
}

/** A site, or below 0 an operation that a dump names. @param {any} heap
 * @param {number} site */
function ownerName(heap, site) {
  return site < 0 ? heap.ops[-site - 1] : siteName(site);
}

/** The sites that hold most, with their bytes. @param {Cell[]} cells
 * @returns {Map<number, number>} */
function bytesBySite(cells) {
  /** @type {Map<number, number>} */
  const held = new Map();
  for (const cell of cells) {
    if (cell.live > 0) {
      held.set(cell.site, (held.get(cell.site) ?? 0) + cell.live);
    }
  }
  return new Map([...held].sort((a, b) => b[1] - a[1]));
}

const COLOURS = 8;
const AGES = 6;

/** The class of each cell by what is chosen, and the legend to it.
 * @param {string} choice site, age or state @param {any} heap
 * @param {Cell[]} cells
 * @returns {{of: (cell: Cell) => string, legend: [string, string][]}} */
function colouring(choice, heap, cells) {
  /** @type {[string, string][]} */
  const always = [];
  if (cells.some((cell) => cell.state === FREE || cell.state === MIXED)) {
    always.push(['cell free', 'free']);
  }
  if (cells.some((cell) => cell.state === PENDING)) {
    always.push(['cell pending', STATE_WORDS[PENDING]]);
  }
  if (cells.some((cell) => cell.state === MIXED)) {
    always.push(['cell half', 'small pieces as one: as high as is live']);
  }
  const plain = (/** @type {Cell} */ cell) =>
    ['cell free', 'cell live', 'cell pending', 'cell live', ''][cell.state];
  if (choice === 'state') {
    return {of: plain, legend: [['cell live', 'live'], ...always]};
  }
  if (choice === 'age') return byAge(cells, plain, always);
  const sites = [...bytesBySite(cells)];
  const places = new Map(sites.slice(0, COLOURS).map(([site], i) => [site, i]));
  const rest = sites.slice(COLOURS).reduce((sum, [, held]) => sum + held, 0);
  return {
    of: (cell) => {
      if (cell.state === FREE || cell.state === PENDING) return plain(cell);
      const place = places.get(cell.site);
      const colour = place === undefined ? 'other' : `c${place}`;
      return `cell ${colour}`;
    },
    legend: [...sites.slice(0, COLOURS).map(
        ([site, held], i) => /** @type {[string, string]} */ (
            [`cell c${i}`, `${ownerName(heap, site)}, ${bytes(held)}`])),
    ...(rest > 0 ? [/** @type {[string, string]} */ (
        ['cell other', `other sites, ${bytes(rest)}`])] : []), ...always],
  };
}

/** In equal steps of the logarithm, from the youngest to the oldest.
 * @param {Cell[]} cells @param {(cell: Cell) => string} plain
 * @param {[string, string][]} always */
function byAge(cells, plain, always) {
  const oldest = cells.reduce((most, cell) => Math.max(most, cell.age), 1);
  const of = (/** @type {number} */ age) => clamp(
      Math.floor(AGES * Math.log1p(age) / Math.log1p(oldest)), 0, AGES - 1);
  const until = (/** @type {number} */ i) =>
    duration(1e6 * Math.expm1(Math.log1p(oldest) * (i + 1) / AGES));
  return {
    of: (/** @type {Cell} */ cell) => cell.live > 0 && cell.state !== PENDING
        ? `cell a${of(cell.age)}`
        : plain(cell),
    legend: [...Array.from({length: AGES}, (_, i) =>
      /** @type {[string, string]} */ ([`cell a${i}`, `up to ${until(i)} old`])),
    ...always],
  };
}

/** What a cell is, in words. @param {any} heap @param {Cell} cell */
function cellWords(heap, cell) {
  const parts = [addressOf(heap, cell), exactBytes(cell.bytes),
                 STATE_WORDS[cell.state]];
  if (cell.pieces > 1) {
    parts.push(`${plural(cell.pieces, 'piece')} drawn as one, ` +
               `${bytes(cell.live)} of it live`);
  }
  if (cell.live > 0 && cell.site) {
    parts.push((cell.pieces > 1 ? 'the largest by ' : '') + ownerName(heap, cell.site));
  }
  if (cell.live > 0 && cell.age > 0) {
    parts.push(`${duration(cell.age * 1e6)} old`);
  }
  if (cell.named) parts.push('in the way of the refused request');
  return parts.join(' · ');
}
