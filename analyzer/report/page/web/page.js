// @ts-check
// SPDX-License-Identifier: Apache-2.0
// Puts the page together: the verdict first, then what the input has.

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

function show() {
  const parts = [verdictParts, timelinePart, heapPart, sitesPart, leaksPart,
                 cudnnPart, logsPart, versionsPart, runPart, findingsPart,
                 coveragePart].flatMap(made);
  const main = /** @type {HTMLElement} */ (document.getElementById('main'));
  const contents = [];
  main.replaceChildren();
  for (const part of parts) {
    const id = newId('part');
    main.append(el('section', {'aria-labelledby': id},
                   el('h2', {id}, part.title), part.body));
    contents.push(el('li', {}, el('a', {href: '#' + id}, part.title)));
  }
  document.getElementById('contents')?.append(el('ul', {}, ...contents));
  document.getElementById('head')?.append(head());
  document.getElementById('foot')?.append(el(
      'p', {}, `inquest ${page.tool.version}, ${counted(page.tool.rules)} rules`,
      page.subject && ` · ${page.subject}`,
      page.clock.base && ` · times count from ${page.clock.base} UTC`));
}

show();
