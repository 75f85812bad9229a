// @ts-check
// SPDX-License-Identifier: Apache-2.0
// The map of a heap: its pieces in the order of addresses, row after row, and
// the refused request beside the largest hole. A slider goes through the
// moments that the trace knows.

const ROW = 17;
const ROW_GAP = 3;

class HeapMap {
  /** @param {any[]} heaps */
  constructor(heaps) {
    this.heaps = heaps.slice().sort((a, b) =>
      (a.at ?? Infinity) - (b.at ?? Infinity));
    this.index = this.telling();
    this.choice = 'site';
    this.width = 0;
    this.cursor = -1;
    this.frame = frame('Heap map', 'Blocks in the order of addresses, from left ' +
                       'to right and row by row.', () => this.table());
    this.addControls();
    this.take(this.index);
    whenSized(this.frame.place, (width) => this.draw(width));
  }

  /** The refusal that the verdict is about, if it is known. */
  telling() {
    const {device, process} = page.verdict.unit;
    const dead = (/** @type {any} */ one) =>
      one.kind === 'refusal' && !one.survived;
    const tries = [
      (/** @type {any} */ one) => dead(one) && one.device === device &&
          (!process || one.process === process), dead,
      (/** @type {any} */ one) => one.kind === 'refusal', () => true];
    for (const fits of tries) {
      const found = this.heaps.findLastIndex(fits);
      if (found >= 0) return found;
    }
    return 0;
  }

  addControls() {
    if (this.heaps.length > 1) {
      this.moment = el('output', {});
      const slider = el('input', {type: 'range', min: 0, step: 1,
                                  max: this.heaps.length - 1, value: this.index,
                                  'aria-label': 'Moment'});
      on(slider, 'input', () => this.take(Number(
          /** @type {HTMLInputElement} */ (slider).value)));
      this.slider = slider;
      this.frame.controls.append(
          el('label', {class: 'slider'}, 'Moment ', slider), this.moment);
    }
    this.hole = button('Largest hole', 'Point at the largest free piece',
                       () => this.point(this.largestHole()));
    this.frame.controls.append(
        choice('Colour by', [['site', 'site'], ['age', 'age'],
                             ['state', 'state']], (value) => {
          this.choice = value;
          this.draw(this.width);
        }), this.hole);
  }

  /** @param {any} heap */
  words(heap) {
    const at = heap.at === undefined ? '' : `, ${moment(heap.at)}`;
    if (heap.kind === 'refusal') {
      return `${gpuName(heap)}: refused request${at}` +
          (heap.survived ? ', the run went on' : '');
    }
    if (heap.kind === 'pool') return `${gpuName(heap)}: the pool at the end`;
    return `${gpuName(heap)}: ${heap.layer === 'pool' ? 'pool at its' : 'the'}` +
        ` peak${at}`;
  }

  /** @param {number} index */
  take(index) {
    this.index = index;
    this.heap = this.heaps[index];
    this.cells = readCells(this.heap);
    this.all = drawnBytes(this.cells) || 1;
    this.cursor = -1;
    if (this.moment) {
      this.moment.textContent = `${index + 1} of ${this.heaps.length}`;
    }
    this.hole.hidden = this.largestHole() < 0;
    this.slider?.setAttribute('aria-valuetext', this.words(this.heap));
    this.draw(this.width);
    this.frame.renew();
  }

  largestHole() {
    return this.cells.reduce((best, cell, i) => cell.state === FREE &&
        cell.pieces === 1 && cell.bytes > (this.cells[best]?.bytes ?? 0)
        ? i : best, -1);
  }

  /** @param {number} index of a cell */
  point(index) {
    if (index < 0 || index >= this.cells.length) return;
    this.cursor = index;
    this.marker?.replaceChildren(...this.boxes(this.cells[index]).map((box) =>
      svg('rect', {...box, class: 'pointed'})));
    this.frame.say(cellWords(this.heap, this.cells[index]));
  }

  /** Where a cell lies: a box for each row that it reaches.
   * @param {{at: number, bytes: number}} cell */
  boxes(cell) {
    const boxes = [];
    const end = cell.at + cell.bytes;
    const scale = this.width / this.perRow;
    const first = Math.min(Math.floor(cell.at / this.perRow), this.rows - 1);
    for (let row = first; row < this.rows; ++row) {
      const begin = row * this.perRow;
      if (row > first && begin >= end) break;
      const from = Math.max(cell.at, begin);
      const to = Math.min(end, begin + this.perRow);
      boxes.push({x: (from - begin) * scale, y: row * (ROW + ROW_GAP) + 1,
                  width: Math.max((to - from) * scale, 0.25), height: ROW});
    }
    return boxes;
  }

  /** @param {number} width */
  draw(width) {
    if (!width) return;
    this.width = width;
    const heap = this.heap;
    this.rows = clamp(Math.ceil(heap.cells.length / 30), 3, 26);
    this.perRow = this.all / this.rows;
    const {of, legend: entries} = colouring(this.choice, this.heap, this.cells);
    this.marker = svg('g', {});
    const height = this.rows * (ROW + ROW_GAP);
    const picture = canvas(width, height, this.words(heap), this.description(),
                           ...this.pieces(of), this.marker);
    listenOnHeap(this, picture, height);
    const unknown = heap.kind === 'peak' && dim('At a peak only the live blocks are known: what lies between them is ' +
        'not drawn, and memory without an address stands at its handle.');
    this.frame.place.replaceChildren(
        el('p', {class: 'moment'}, this.words(heap) + '. ' + this.description()),
        ...this.comparison(), picture, legend(entries), unknown || '');
    if (this.cursor >= 0) this.point(this.cursor);
  }

  description() {
    const live = this.cells.reduce((sum, cell) => sum + cell.live, 0);
    const parts = [`${plural(this.heap.pieces, 'piece')}, ${bytes(live)} live`];
    // Gaps may be longer in sum than what the device had.
    const free = this.heap.unused_bytes ?? this.all - live;
    if (this.heap.kind !== 'peak') parts.push(`${bytes(free)} free`);
    if (this.heap.blocking_blocks) {
      parts.push(`${plural(this.heap.blocking_blocks, 'block')} ` +
          `(${bytes(this.heap.blocking_bytes ?? 0)}) outlined: in the way`);
    }
    return parts.join(', ') + '.';
  }

  /** @param {(cell: Cell) => string} of */
  pieces(of) {
    const parts = [];
    for (const cell of this.cells) {
      if (cell.state === NO_MEMORY) {
        const [box] = this.boxes({at: cell.at, bytes: 1});
        if (cell.at > 0 && box) {
          parts.push(svg('rect', {class: 'cell break', x: box.x - 0.5, y: box.y,
                                  width: 1, height: ROW}));
        }
        continue;
      }
      const name = of(cell) + (cell.named ? ' named' : '');
      for (const box of this.boxes(cell)) {
        parts.push(...cell.state === MIXED ? mixed(cell, box, name)
                                           : [svg('rect', {...box, class: name})]);
      }
    }
    return parts;
  }

  /** The request and the largest hole to one scale. */
  comparison() {
    const {requested_bytes: asked, largest_free_bytes: hole} = this.heap;
    if (this.heap.kind !== 'refusal' || !asked) return [];
    /** @type {[string, number|null, string][]} */
    const bars = [['Refused request', asked, 'bar-asked'],
                  ['Largest free piece', hole, 'bar-hole']];
    const known = bars.filter(([, size]) => size !== null && size !== undefined);
    const most = Math.max(asked, hole ?? 0);
    return [el('div', {class: 'comparison'}, ...known.map(
        ([name, size, kind]) => bar(name, size ?? 0, most, kind)))];
  }

  table() {
    const rows = this.cells.filter((cell) => cell.state !== NO_MEMORY)
        .sort((a, b) => b.bytes - a.bytes).slice(0, 60)
        .map((cell) => [addressOf(this.heap, cell), cell.bytes,
                        STATE_WORDS[cell.state], cell.pieces,
                        cell.live > 0 && cell.site ? ownerName(this.heap, cell.site)
                                                   : null,
                        cell.age ? cell.age * 1e6 : null]);
    return table({columns: ['address', 'size_bytes', 'state', 'pieces',
                            'allocated_by', 'age_ns'], rows, more: 0},
                 'The largest pieces');
  }
}

/** Small pieces as one: as much of its height as is live.
 * @param {Cell} cell @param {{x: number, y: number, width: number}} box
 * @param {string} name class */
function mixed(cell, box, name) {
  const height = Math.max(ROW * cell.live / cell.bytes, 1);
  return [svg('rect', {...box, class: 'cell free'}),
          svg('rect', {...box, y: box.y + ROW - height, height, class: name})];
}

/** @param {HeapMap} map @param {SVGElement} picture @param {number} height */
function listenOnHeap(map, picture, height) {
  const at = (/** @type {number} */ bytes) => map.cells.findIndex(
      (cell) => cell.state !== NO_MEMORY && bytes < cell.at + cell.bytes);
  on(picture, 'pointermove', (event) => {
    const {x, y} = placeIn(picture, event, map.width, height);
    const row = clamp(Math.floor(y / (ROW + ROW_GAP)), 0, map.rows - 1);
    map.point(at((row + clamp(x / map.width, 0, 0.99999)) * map.perRow));
  });
  on(picture, 'keydown', (event) => {
    const cell = map.cells[map.cursor];
    const next = {
      ArrowRight: () => map.cursor + 1,
      ArrowLeft: () => Math.max(map.cursor - 1, 0),
      ArrowDown: () => at((cell?.at ?? 0) + map.perRow),
      ArrowUp: () => at(Math.max((cell?.at ?? 0) - map.perRow, 0)),
      Home: () => 0, End: () => map.cells.length - 1,
    }[event.key];
    if (!next) return;
    event.preventDefault();
    map.point(next());
  });
}

/** @returns {Part|null} */
function heapPart() {
  if (!page.heaps?.length) return null;
  const map = new HeapMap(page.heaps);
  return {title: 'The heap', body: map.frame.figure};
}
