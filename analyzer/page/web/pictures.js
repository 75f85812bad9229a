// @ts-check
// SPDX-License-Identifier: Apache-2.0
// The frame of every picture: a caption, controls, a line that reads values out
// (for pointers, keys and screen readers alike), and a table behind it.

/**
 * @typedef {object} Frame
 * @property {HTMLElement} figure
 * @property {HTMLElement} place where the picture goes
 * @property {HTMLElement} controls
 * @property {(text: string) => void} say reads a value out
 * @property {() => void} renew makes the table again, if it is open
 */

/**
 * @param {string} title
 * @param {string} description what the picture shows, in a sentence
 * @param {() => Node} makeTable
 * @returns {Frame}
 */
function frame(title, description, makeTable) {
  const id = newId('picture');
  const hint = 'Point at the picture, or use its arrow keys, to read values out.';
  const readout = el('output', {class: 'readout', 'aria-live': 'polite'}, hint);
  const controls = el('div', {class: 'controls', role: 'group',
                              'aria-label': `Controls: ${title}`});
  const place = el('div', {class: 'picture'});
  const behind = el('details', {class: 'behind'},
                    el('summary', {}, 'The same as a table'));
  const renew = () => {
    while (behind.childElementCount > 1) behind.lastElementChild?.remove();
    if (behind.hasAttribute('open')) behind.append(makeTable());
  };
  on(behind, 'toggle', renew);
  const figure = el('figure', {'aria-labelledby': id},
                    el('figcaption', {id}, el('strong', {}, title), ' ',
                       el('span', {class: 'dim'}, description)),
                    controls, place, readout, behind);
  const say = (/** @type {string} */ text) => {
    readout.textContent = text || hint;
    readout.classList.toggle('said', text !== '');
  };
  return {figure, place, controls, say, renew};
}

/** The picture itself; keys and screen readers reach it.
 * @param {number} width @param {number} height @param {string} title
 * @param {string} description @param {Children} children */
function canvas(width, height, title, description, ...children) {
  const titleId = newId('title');
  const descriptionId = newId('description');
  return svg('svg', {
    viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', tabindex: 0,
    'aria-labelledby': `${titleId} ${descriptionId}`,
  }, svg('title', {id: titleId}, title),
  svg('desc', {id: descriptionId}, description), ...children);
}

/** @param {string} text @param {string} label for screen readers
 * @param {() => void} act */
function button(text, label, act) {
  return el('button', {type: 'button', 'aria-label': label, title: label,
                       onclick: act}, text);
}

/** @param {string} label @param {[string, string][]} choices value and text
 * @param {(value: string) => void} choose */
function choice(label, choices, choose) {
  const select = el('select', {}, ...choices.map(
      ([value, text]) => el('option', {value}, text)));
  on(select, 'change', () => choose(
      /** @type {HTMLSelectElement} */ (select).value));
  return el('label', {}, label + ' ', select);
}

/** A straight line. @param {string|null} name class @param {number} x1
 * @param {number} y1 @param {number} x2 @param {number} y2 */
function stroke(name, x1, y1, x2, y2) {
  return svg('line', {class: name, x1, y1, x2, y2});
}

/** @param {string} name class @param {string[]} points */
function strokes(name, points) {
  return svg('polyline', {class: name + ' line', points: points.join(' ')});
}

/** A point of a line or an area. @param {number} x @param {number} y */
function spot(x, y) {
  return `${x.toFixed(1)},${y.toFixed(1)}`;
}

/** A bar with its name and its size. @param {string} name
 * @param {number} value @param {number} most @param {string} kind class */
function bar(name, value, most, kind) {
  return el('div', {class: 'bar'}, el('span', {title: name}, cut(name, 60)),
            svg('svg', {width: '100%', height: 12, 'aria-hidden': 'true'},
                svg('rect', {class: kind, height: 12,
                             width: `${100 * value / most}%`})),
            el('span', {class: 'number'}, bytes(value)));
}

/** @param {[string, string][]} entries class of the swatch and text */
function legend(entries) {
  return el('ul', {class: 'legend'}, ...entries.map(([name, text]) => el(
      'li', {}, svg('svg', {width: 12, height: 12, 'aria-hidden': 'true'},
                    svg('rect', {width: 12, height: 12, class: name})),
      text)));
}

/** Draws now, and again when the place gets another width.
 * @param {HTMLElement} place @param {(width: number) => void} draw */
function whenSized(place, draw) {
  let last = 0;
  const check = () => {
    const width = Math.floor(place.clientWidth);
    if (width === last || width < 50) return;
    last = width;
    draw(width);
  };
  new ResizeObserver(check).observe(place);
  requestAnimationFrame(check);
}

/** Where in a picture of this width an event happened.
 * @param {Element} picture @param {PointerEvent|MouseEvent} event
 * @param {number} width @param {number} height */
function placeIn(picture, event, width, height) {
  const box = picture.getBoundingClientRect();
  return {x: (event.clientX - box.left) * width / (box.width || 1),
          y: (event.clientY - box.top) * height / (box.height || 1)};
}

/** How far a key goes along a picture. */
const ALONG = {ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity};

/** @param {Element} picture @param {Record<string, number>} keys
 * @param {(by: number) => void} move */
function onKeys(picture, keys, move) {
  on(picture, 'keydown', (event) => {
    const by = keys[event.key];
    if (by === undefined) return;
    event.preventDefault();
    move(by);
  });
}
