// @ts-check
// SPDX-License-Identifier: Apache-2.0
// Puts a page together from its head and its parts.

/** @typedef {{title: string, body: Node}} Part */

/** A part that fails must not take the others with it.
 * @param {() => Part|Part[]|null} make @returns {Part[]} */
function made(make) {
  try {
    const part = make();
    return part === null ? [] : Array.isArray(part) ? part : [part];
  } catch (error) {
    console.error(error);
    return [{title: 'A part that could not be shown',
             body: el('p', {class: 'failed'}, String(error))}];
  }
}

/** @param {Node} head @param {(() => Part|Part[]|null)[]} makers
 * @param {string} foot */
function showPage(head, makers, foot) {
  const main = /** @type {HTMLElement} */ (document.getElementById('main'));
  const contents = [];
  main.replaceChildren();
  for (const part of makers.flatMap(made)) {
    const id = newId('part');
    main.append(el('section', {'aria-labelledby': id},
                   el('h2', {id}, part.title), part.body));
    contents.push(el('li', {}, el('a', {href: '#' + id}, part.title)));
  }
  document.getElementById('contents')?.append(el('ul', {}, ...contents));
  document.getElementById('head')?.append(head);
  document.getElementById('foot')?.append(el('p', {}, foot));
}
