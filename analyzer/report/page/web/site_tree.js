// @ts-check
// SPDX-License-Identifier: Apache-2.0
// Allocation sites: their names, and the tree of their callers.

/**
 * @typedef {object} Site
 * @property {number} site @property {number} process @property {number} device
 * @property {string[]} chain innermost first
 * @property {Object<string, number>} values by the name of what is counted
 * @property {number} blocks live at the end @property {string|null} place
 * @property {string} name the function that tells it from other sites
 * @property {[string, number][]} lives bytes at the peak by lifetime
 * @property {{below: string[], values: Object<string, number>}[]} ways what
 *     Python called, the outermost first
 */

/** What can be counted, in the order of the rows that C++ wrote.
 * @type {[string, string, number][]} */
const COUNTED = [['live', 'live at the end', 4], ['peak', 'at the peak', 6],
                 ['lives', 'at the peak, by lifetime', 6],
                 ['held', 'in the pool at the end or refusal', 10],
                 ['count', 'allocations', 8]];

/** How long what was live at the peak lives, where steps are known.
 * @type {[string, number][]} */
const LIVES = [['persistent', 14], ['of a step', 15],
               ['transient', 16]];

/** @type {Site[]} */
const sites = (page.sites?.sites ?? []).map((/** @type {any[]} */ row) => ({
  site: row[0], process: row[1], device: row[2],
  chain: row[3].map((/** @type {number} */ i) => page.sites.frames[i]),
  values: Object.fromEntries(COUNTED.map(([name, , at]) => [name, row[at]])),
  blocks: row[5], place: row[12], name: row[13],
  lives: LIVES.map(([name, at]) => [name, row[at]]),
  ways: (row[17] ?? []).map((/** @type {any[]} */ [below, live, peak, count]) => ({
    below: below.map((/** @type {number} */ i) => page.sites.frames[i]),
    values: {live, peak, count}})),
}));
for (const site of sites) {
  if (site.lives.every(([, value]) => !value)) site.values.lives = 0;
}
const siteByNumber = new Map(sites.map((site) => [site.site, site]));

/** The function that tells a site, without the folders of its file.
 * @param {number} number */
function siteName(number) {
  const site = siteByNumber.get(number);
  if (!site) return number ? `site ${number}` : 'no site known';
  return cut(shortFrame(site.name) || `site ${number}`, 70);
}

/** "/a/b/train.py:5 in f" as "train.py:5 in f". @param {string} frame */
function shortFrame(frame) {
  return frame.replace(/^\S*\/(?=[^/\s]+:\d+ in )/, '');
}

/**
 * @typedef {object} Call
 * @property {string} name @property {number} value
 * @property {Map<string, Call>} calls @property {Call|null} by
 * @property {number} depth @property {Site[]} sites that end here
 */

/** @param {string} name @param {Call|null} by @returns {Call} */
function newCall(name, by) {
  return {name, value: 0, calls: new Map(), by, depth: by ? by.depth + 1 : 0,
          sites: []};
}

/** A site's callers from the outermost down, each with what counts; of lifetimes
 * once for each, and of native code below Python once for each way.
 * @param {Site} site @param {string} what
 * @returns {[string[], number][]} */
function callersOf(site, what) {
  const down = site.chain.slice().reverse();
  if (what === 'lives') {
    return site.lives.map(([name, value]) => [[name, ...down], value]);
  }
  let left = site.values[what];
  return [...site.ways.map((way) => {
    const part = Math.min(way.values[what] ?? 0, left);
    left -= part;
    return /** @type {[string[], number]} */ ([[...down, ...way.below], part]);
  }), [down, left]];
}

/** The innermost of them. @param {Call} call @param {string[]} callers
 * @param {number} value @returns {Call} */
function addCalls(call, callers, value) {
  call.value += value;
  for (const name of callers) {
    let next = call.calls.get(name);
    if (!next) {
      next = newCall(name, call);
      call.calls.set(name, next);
    }
    next.value += value;
    call = next;
  }
  return call;
}

/** @param {Site[]} list @param {string} what @returns {Call} */
function callTree(list, what) {
  const root = newCall('all', null);
  for (const site of list) {
    for (const [callers, value] of callersOf(site, what)) {
      if (value) addCalls(root, callers, value).sites.push(site);
    }
  }
  return root;
}

/** The largest first. @param {Call} call @returns {Call[]} */
function callsOf(call) {
  return [...call.calls.values()].sort((a, b) => b.value - a.value);
}

/** What matches, without counting a call below a match again.
 * @param {Call} call @param {string} words in lower case
 * @returns {{value: number, calls: number}} */
function matching(call, words) {
  if (call.by && call.name.toLowerCase().includes(words)) {
    return {value: call.value, calls: 1};
  }
  const sum = {value: 0, calls: 0};
  for (const one of call.calls.values()) {
    const found = matching(one, words);
    sum.value += found.value;
    sum.calls += found.calls;
  }
  return sum;
}
