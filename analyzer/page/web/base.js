// @ts-check
// SPDX-License-Identifier: Apache-2.0
// What every part of the page uses: its data, elements, and numbers as text.
// Strings of a run reach the document as text nodes or attribute values only.

/** The data that C++ wrote (page_data.h). @type {any} */
const page = JSON.parse(document.getElementById('data')?.textContent ?? '{}');

/** @typedef {{columns: string[], rows: any[][], more: number}} Rows */
/** @typedef {Object<string, any>} Attributes */
/** @typedef {(Node|string|null|undefined|false)[]} Children */

/**
 * @param {Element} element
 * @param {Attributes} attributes names starting with "on" are listeners
 * @param {Children} children strings become text
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) {
      element.addEventListener(name.slice(2), value);
    } else {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  for (const child of children) {
    if (child || child === '') element.append(child);
  }
  return element;
}

/**
 * @param {string} name @param {Attributes} [attributes]
 * @param {Children} children
 * @returns {HTMLElement}
 */
function el(name, attributes = {}, ...children) {
  return /** @type {HTMLElement} */ (
      fill(document.createElement(name), attributes, children));
}

/**
 * @param {string} name @param {Attributes} [attributes]
 * @param {Children} children
 * @returns {SVGElement}
 */
function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  return /** @type {SVGElement} */ (fill(element, attributes, children));
}

/** @template {Element} E @param {E} element @param {string} what
 * @param {(event: any) => void} act */
function on(element, what, act) {
  element.addEventListener(what, act);
  return element;
}

/** What matters less. @param {Children} children */
function dim(...children) {
  return el('p', {class: 'dim'}, ...children);
}

/** What a list leaves out. @param {number} count @param {string} [what] */
function andMore(count, what) {
  return count > 0 &&
      dim(`… and ${what ? plural(count, 'more ' + what) : counted(count) + ' more'}`);
}

/** @param {number} count */
function counted(count) {
  return Math.round(count).toLocaleString('en-US');
}

/** @param {number} count @param {string} one @param {string} [many] */
function plural(count, one, many = one + 's') {
  return `${counted(count)} ${count === 1 ? one : many}`;
}

/** As the text report writes sizes. @param {number} value */
function bytes(value) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
  let size = Math.abs(value);
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    ++unit;
  }
  const text = unit === 0 ? String(size) : size.toFixed(2);
  return `${value < 0 ? '-' : ''}${text} ${units[unit]}`;
}

/** The same with every byte. @param {number} value */
function exactBytes(value) {
  return Math.abs(value) < 1024 ? bytes(value)
                                : `${bytes(value)} (${counted(value)} B)`;
}

/** @param {number} value */
function hours(value) {
  const digits = Math.abs(value) < 1000 ? 1 : 0;
  return value.toLocaleString('en-US', {minimumFractionDigits: digits,
                                        maximumFractionDigits: digits});
}

/** @param {number} ns nanoseconds */
function duration(ns) {
  const sign = ns < 0 ? '-' : '';
  const size = Math.abs(ns);
  if (size < 1e3) return `${sign}${Math.round(size)} ns`;
  if (size < 1e6) return `${sign}${(size / 1e3).toFixed(1)} µs`;
  if (size < 1e9) return `${sign}${(size / 1e6).toFixed(1)} ms`;
  if (size < 120e9) return `${sign}${(size / 1e9).toFixed(3)} s`;
  const minutes = Math.floor(size / 60e9);
  if (minutes < 120) {
    return `${sign}${minutes} min ${Math.floor(size / 1e9) % 60} s`;
  }
  return `${sign}${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A time of the page, in UTC; its day only where it is another one than that
 * of the beginning. @param {number} ns after the beginning
 * @param {boolean} [day] in any case */
function moment(ns, day = false) {
  const after = (ns < 0 ? '' : '+') + duration(ns);
  if (!page.clock?.base) return after;
  const date = new Date(page.clock.base_ms + ns / 1e6);
  if (Number.isNaN(date.getTime())) return after;
  const [today, clock] = date.toISOString().slice(0, 23).split('T');
  const text = day || !page.clock.base.startsWith(today)
    ? `${today} ${clock} UTC` : `${clock} UTC`;
  return ns === 0 ? text : `${text} (${after})`;
}

/** Cuts a text for a label. @param {string} text @param {number} most */
function cut(text, most) {
  return text.length <= most ? text : text.slice(0, Math.max(most - 1, 0)) + '…';
}

/** @param {number} value @param {number} least @param {number} most */
function clamp(value, least, most) {
  return Math.min(Math.max(value, least), most);
}

/** Which GPU, in words. @param {{process?: number, device?: number}} of */
function gpuName(of) {
  if (of.device === undefined || of.device === null) return 'an unnamed device';
  const several = (page.tables?.processes?.rows.length ?? 0) > 1;
  const name = of.device < 0 ? 'host memory' : `GPU ${of.device}`;
  return several && of.process ? `${name} of process ${of.process}` : name;
}

let numberOfIds = 0;
/** A new id. @param {string} prefix */
function newId(prefix) {
  return `${prefix}-${++numberOfIds}`;
}
