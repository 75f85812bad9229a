// @ts-check
// SPDX-License-Identifier: Apache-2.0
// Allocation sites as an icicle: callers above, what they call below, as wide as
// what was allocated there. With a search, and zoom by click or Enter.

const BAR = 20;

class Icicle {
  constructor() {
    this.choices = COUNTED.filter(
        ([name]) => sites.some((site) => site.values[name] > 0));
    this.what = this.telling();
    this.words = '';
    this.width = 0;
    /** @type {string} process/device, empty: all */
    this.of = '';
    this.frame = frame('Allocation sites', 'Callers above, what they call below; ' +
                       'as wide as what was allocated there.',
                       () => this.table());
    this.addControls();
    this.grow();
    whenSized(this.frame.place, (width) => this.draw(width));
  }

  /** What was live at the end, unless most had been freed by then. */
  telling() {
    const sum = (/** @type {string} */ name) => sites.reduce(
        (all, site) => all + site.values[name], 0);
    if (sum('live') * 2 >= sum('peak') && sum('live') > 0) return 'live';
    return sum('peak') > 0 ? 'peak' : this.choices[0]?.[0] ?? 'count';
  }

  addControls() {
    const devices = new Map(sites.map(
        (site) => [`${site.process}/${site.device}`, gpuName(site)]));
    const chosen = this.choices.slice().sort(
        (a, b) => Number(b[0] === this.what) - Number(a[0] === this.what));
    this.frame.controls.append(choice(
        'Show', chosen.map(([name, text]) => [name, text]), (value) => {
          this.what = value;
          this.grow();
          this.draw(this.width);
        }));
    if (devices.size > 1) {
      this.frame.controls.append(choice(
          'of', [['', 'all devices'], ...devices], (value) => {
            this.of = value;
            this.grow();
            this.draw(this.width);
          }));
    }
    const search = el('input', {type: 'search', placeholder: 'Function or file',
                                'aria-label': 'Search in functions'});
    on(search, 'input', () => {
      this.words = /** @type {HTMLInputElement} */ (search).value.trim()
          .toLowerCase();
      this.draw(this.width);
      this.tellMatches();
    });
    this.frame.controls.append(search,
                               button('All', 'Show all sites', () => {
                                 this.zoom(this.root);
                               }));
  }

  grow() {
    this.shown = sites.filter((site) => !this.of ||
        this.of === `${site.process}/${site.device}`);
    this.root = callTree(this.shown, this.what);
    this.top = this.root;
    this.pointed = this.root;
    this.frame.renew();
  }

  /** @param {number} value */
  valueText(value) {
    return this.what === 'count' ? plural(value, 'allocation')
                                 : exactBytes(value);
  }

  tellMatches() {
    if (!this.words) return this.frame.say('');
    const found = matching(this.root, this.words);
    const part = this.root.value ? 100 * found.value / this.root.value : 0;
    this.frame.say(found.calls === 0 ? 'No function matches.'
      : `${plural(found.calls, 'place')}: ${this.valueText(found.value)}, ` +
        `${part.toFixed(1)} %`);
  }

  /** @param {Call} call */
  say(call) {
    const part = this.root.value ? 100 * call.value / this.root.value : 0;
    const site = call.sites[0];
    this.frame.say([call.name, this.valueText(call.value),
                    `${part.toFixed(1)} %`,
                    site && this.what !== 'count'
                      ? plural(site.blocks, 'block') + ' live at the end' : '',
                    site?.place ?? ''].filter(Boolean).join(' · '));
  }

  /** @param {Call} call */
  zoom(call) {
    this.top = call;
    this.pointed = call;
    this.draw(this.width);
    this.say(call);
  }

  /** @param {number} width */
  draw(width) {
    if (!width) return;
    this.width = width;
    this.boxes = new Map();
    /** @type {SVGElement[]} */
    const drawn = [];
    const above = [];
    for (let call = this.top.by; call; call = call.by) above.unshift(call);
    above.forEach((call, i) => drawn.push(this.box(call, 0, width, i, 'above')));
    const deepest = this.place(this.top, 0, width, above.length, drawn);
    const height = (deepest + 1) * BAR + 2;
    this.picture = canvas(width, height, 'Allocation sites by caller',
        `${this.valueText(this.root.value)} in all. Arrow keys move, Enter ` +
        'zooms in, Escape zooms out.', ...drawn);
    listenOnIcicle(this, this.picture);
    this.frame.place.replaceChildren(this.picture);
    this.mark(this.pointed);
  }

  /** @param {Call} call @param {number} x @param {number} width
   * @param {number} row @param {SVGElement[]} drawn @returns {number} rows */
  place(call, x, width, row, drawn) {
    drawn.push(this.box(call, x, width, row, ''));
    let deepest = row;
    let at = x;
    for (const one of callsOf(call)) {
      const part = width * one.value / (call.value || 1);
      if (part >= 0.7) {
        deepest = Math.max(deepest, this.place(one, at, part, row + 1, drawn));
      }
      at += part;
    }
    return deepest;
  }

  /** @param {Call} call @param {number} x @param {number} width
   * @param {number} row @param {string} name class */
  box(call, x, width, row, name) {
    const label = cut(shortFrame(call.name), Math.floor((width - 8) / 6.8));
    const hit = this.words && call.by &&
        call.name.toLowerCase().includes(this.words);
    const box = svg('g', {
      class: `call ${name} ${hit ? 'hit' : this.words ? 'miss' : ''} ` +
             `d${call.depth % 4}`,
      transform: `translate(${x.toFixed(2)} ${row * BAR})`,
    }, svg('rect', {width: Math.max(width - 0.7, 0.3).toFixed(2),
                    height: BAR - 1, rx: 1}),
    width > 30 && svg('text', {x: 4, y: 14}, label));
    this.boxes?.set(call, box);
    on(box, 'pointerenter', () => this.say(call));
    return on(box, 'click', () => this.zoom(call));
  }

  /** @param {Call} call */
  mark(call) {
    this.pointed = call;
    for (const [one, box] of this.boxes ?? []) {
      box.classList.toggle('pointed', one === call);
    }
  }

  table() {
    const counts = this.choices.filter(([name]) => name !== 'lives');
    const rows = this.shown.filter((site) => site.values[this.what] > 0)
        .sort((a, b) => b.values[this.what] - a.values[this.what])
        .slice(0, 100).map((site) => [
          site.chain.map(shortFrame).join(' < '), gpuName(site),
          ...counts.map(([name]) => site.values[name]), site.blocks]);
    const columns = ['function_and_its_callers', 'of',
                     ...counts.map(([name, text]) =>
                       text.replaceAll(' ', '_') +
                       (name === 'count' ? '' : '_bytes')), 'live_blocks'];
    return table({columns, rows, more: this.shown.length - rows.length},
                 'Allocation sites');
  }
}

/** @param {Icicle} icicle @param {SVGElement} picture */
function listenOnIcicle(icicle, picture) {
  on(picture, 'keydown', (event) => {
    const call = icicle.pointed;
    const beside = call.by ? callsOf(call.by) : [call];
    const at = beside.indexOf(call);
    const next = {
      ArrowDown: () => callsOf(call)[0], ArrowUp: () => call.by,
      ArrowRight: () => beside[at + 1], ArrowLeft: () => beside[at - 1],
    }[event.key];
    if (!next && event.key !== 'Enter' && event.key !== 'Escape') return;
    event.preventDefault();
    if (next) {
      const to = next();
      if (!to) return;
      icicle.mark(to);
      return icicle.say(to);
    }
    icicle.zoom(event.key === 'Enter' ? call : icicle.top.by ?? icicle.root);
    /** @type {SVGElement} */ (icicle.picture).focus();
  });
}

/** @returns {Part|null} */
function sitesPart() {
  if (!sites.some((site) => COUNTED.some(([name]) => site.values[name] > 0))) {
    return null;
  }
  const rest = page.sites.rest;
  return {title: 'Allocation sites', body: el(
      'div', {}, new Icicle().frame.figure,
      rest && dim(`Without ${plural(rest[0], 'smaller site')}: ` +
                 `${bytes(rest[1])} live at the end, ${bytes(rest[2])} at the ` +
                 `peak, ${plural(rest[3], 'allocation')}`))};
}
