// @ts-check
// SPDX-License-Identifier: Apache-2.0
// Tables. The end of a column's name says how to show it: _bytes, _ns (a
// duration), _at (a time).

/** Rows as objects.
 * @param {{columns: string[], rows: any[][]}|undefined} rows
 * @returns {any[]} */
function objects(rows) {
  if (!rows?.rows) return [];
  return rows.rows.map((row) => Object.fromEntries(
      rows.columns.map((name, i) => [name, row[i]])));
}

/** @param {string} column @param {any} value
 * @param {boolean} [day] tell that of a time @returns {string} */
function cellText(column, value, day = false) {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value !== 'number') return String(value);
  if (column === 'clean_end') return value ? 'yes' : 'no';
  if (column.startsWith('cuda_')) return cudaRelease(value);
  if (column.startsWith('share')) return `${(100 * value).toFixed(1)} %`;
  if (column.endsWith('hours')) return hours(value);
  if (column.endsWith('_bytes')) return bytes(value);
  if (column.includes('_ns')) return duration(value);
  if (isTime(column)) return moment(value, day);
  if (NAMES.has(column)) return String(value);
  return Number.isInteger(value) ? counted(value) : value.toPrecision(4);
}

/** As the driver and the runtime number theirs: 12040 is 12.4.
 * @param {number} number */
function cudaRelease(number) {
  return `${Math.floor(number / 1000)}.${Math.floor(number / 10) % 100}`;
}

/** Numbers that name something. */
const NAMES = new Set(['process', 'device', 'pid', 'rank', 'result', 'algorithm',
                       'exit_code', 'seqnum', 'signal', 'line',
                       'cuda_of_driver', 'cuda_runtime', 'version', 'site', 'clean_end', 'died']);

/** @param {string} column */
function isTime(column) {
  return column.endsWith('_at') || column === 'at';
}

/** Whether its numbers are compared, and so stand below each other.
 * @param {string} column */
function isFigure(column) {
  return !NAMES.has(column) && !isTime(column);
}

/** @param {string} column */
function columnTitle(column) {
  if (column === 'gpu_hours') return 'GPU-hours';
  return column.replace(/_(bytes|ns|at)$/, '').replace(/_ns_/, ' ')
      .replaceAll('_', ' ');
}

/** Columns in which no row says anything, or all rows the same process.
 * @param {Rows} rows @param {number} index */
function saysNothing(rows, index) {
  const column = rows.columns[index];
  const values = new Set(rows.rows.map((row) => row[index] ?? ''));
  return (values.size === 1 && values.has('')) ||
      (column === 'process' && values.size === 1 &&
       (page.tables?.processes?.rows.length ?? 0) <= 1);
}

/** @param {string} column @param {any} value */
function cell(column, value) {
  const isNumber = typeof value === 'number' && isFigure(column);
  const exact = isNumber && column.endsWith('_bytes') && value >= 1024;
  const kind = isNumber ? 'number' : isTime(column) ? 'time' : null;
  return el('td', {
    class: kind,
    title: exact ? counted(value) + ' B' : null,
  }, cellText(column, value));
}

/** A table that scrolls by itself. @param {Rows} rows @param {string} title
 * @param {(row: any[]) => string} [rowClass] */
function table(rows, title, rowClass = () => '') {
  const shown = rows.columns.map((_, i) => i)
      .filter((i) => !saysNothing(rows, i));
  const isNumber = (/** @type {number} */ i) => isFigure(rows.columns[i]) &&
    rows.rows.some((row) => typeof row[i] === 'number');
  const head = el('tr', {}, ...shown.map((i) => el(
      'th', {scope: 'col', class: isNumber(i) ? 'number' : null},
      columnTitle(rows.columns[i]))));
  const body = rows.rows.map((row) => el(
      'tr', {class: rowClass(row) || null},
      ...shown.map((i) => cell(rows.columns[i], row[i]))));
  return el('div', {class: 'scroll', role: 'region', tabindex: 0,
                    'aria-label': title},
            el('table', {}, el('caption', {}, title), el('thead', {}, head),
               el('tbody', {}, ...body)),
            andMore(rows.more));
}

/** One row as names and values. @param {Rows} rows */
function list(rows) {
  return pairs(rows.columns.map((_, i) => i)
      .filter((i) => !saysNothing(rows, i))
      .map((i) => /** @type {[string, string]} */ (
        [columnTitle(rows.columns[i]),
         cellText(rows.columns[i], rows.rows[0][i],
                  rows.columns[i] === 'start_at')])));
}

/** @param {[string, string][]} named */
function pairs(named) {
  return el('dl', {class: 'figures'}, ...named.map(([name, text]) => el(
      'div', {}, el('dt', {}, name), el('dd', {}, text))));
}

/** The table called `name`, or nothing. @param {string} name
 * @param {string} title @param {(row: any[]) => string} [rowClass] */
function tableOf(name, title, rowClass) {
  const rows = page.tables?.[name];
  return rows ? table(rows, title, rowClass) : null;
}

/** A table that opens. @param {string} name @param {string} title */
function foldedTable(name, title) {
  const rows = page.tables?.[name];
  if (!rows) return null;
  return folded(`${title} (${counted(rows.rows.length + rows.more)})`,
                () => table(rows, title));
}

/** Made when it is first opened, because it may be long.
 * @param {string|Node} title @param {() => Node} make */
function folded(title, make) {
  const details = el('details', {}, el('summary', {}, title));
  return on(details, 'toggle', () => {
    if (details.childElementCount === 1) details.append(make());
  });
}
