/** What waits: filter, order, a window of it, and how much there is. */
import { el, humanized, put, shown, spaced, write } from './dom.js';
import { moment } from './time.js';

/** How many rows the list starts with, and grows by. */
export const windowRows = 50;

/** Builds the list's frame once. `params` is the caller's and is changed here; `changed` hears of it. */
export function createList(section, params, changed) {
  // Enter opens what the filter leaves first, as the server says it then: what is drawn may be from before the last letter.
  let opening = false;
  const openFirst = (event) => {
    if (event.key !== 'Enter' || event.isComposing) return;
    opening = true;
    changed();
  };
  const search = el('input', { id: 'filter', type: 'search', placeholder: 'tool, argument, name, episode', onblur: () => { opening = false; }, onkeydown: (event) => openFirst(event), oninput: () => { opening = false; params.text = search.value.trim(); params.limit = windowRows; changed(); } });
  const order = el('select', { id: 'order', onchange: () => { params.order = order.value; changed(); } },
    el('option', { value: 'soonest' }, 'what ends soonest'), el('option', { value: 'newest' }, 'what is newest'));
  const mine = el('input', { id: 'mine', type: 'checkbox', onchange: () => { params.mine = mine.checked; params.limit = windowRows; changed(); } });
  const count = el('p', { id: 'count', role: 'status' });
  const items = el('ul', { id: 'items' });
  const more = el('button', { type: 'button', id: 'more', hidden: true, onclick: () => { params.limit += windowRows * 2; changed(); } }, 'Show more');
  const leave = (event) => {
    if (event.key !== 'Escape' || event.isComposing) return;
    event.preventDefault(); // the browser would empty the field
    (links()[0] ?? title).focus();
  };
  const title = el('h2', { id: 'list-title', tabindex: '-1' }, 'What waits');
  put(section,
    title,
    el('div', { class: 'filters', role: 'search', onkeydown: leave },
      el('label', { for: 'filter' }, 'Filter'), search, el('label', { for: 'order' }, 'First'), order, el('span', { class: 'check' }, mine, el('label', { for: 'mine' }, 'only what I may decide'))),
    count, items, more);
  let drawn = '';
  const redraw = (rows, selected) => {
    const focused = document.activeElement?.closest('#items a')?.dataset.key;
    put(items, rows.map((row) => item(row, row.opKey === selected)));
    if (focused !== undefined) (links().find((link) => link.dataset.key === focused) ?? links()[0])?.focus();
  };
  return {
    search,
    /** Draws what is new; the focus stays on the request that it was on. */
    draw({ waiting, matching, rows }, selected) {
      write(count, `${waiting.toLocaleString('en')} waiting${matching === waiting ? '' : `, ${matching.toLocaleString('en')} of them match`}${rows.length < matching ? `; the first ${rows.length} are shown` : ''}`);
      more.hidden = rows.length >= matching;
      const now = JSON.stringify([rows, selected]);
      if (now !== drawn) redraw(rows, selected);
      drawn = now;
      if (opening) open(links()[0]);
      opening = false;
    },
    /** Forgets what was drawn: the next one who looks is somebody else. */
    clear() {
      drawn = '';
      put(items);
      put(count);
    },
    /** Moves the focus by so many requests. */
    move(by) {
      const all = links();
      const at = all.indexOf(document.activeElement);
      const from = at >= 0 ? at : all.findIndex((link) => link.getAttribute('aria-current') === 'true');
      all[Math.max(0, Math.min(all.length - 1, from < 0 ? 0 : from + by))]?.focus();
    },
  };
}

function open(link) {
  link?.focus(); // also where its request is open already
  link?.click();
}

const links = () => [...document.querySelectorAll('#items a')];

function item(row, isSelected) {
  const { opKey, tool, arguments: args, proposer, approvers, assignedTo, needed, approvedBy, expiresAt, mine } = row;
  return el('li', {}, el('a', { href: `#request=${encodeURIComponent(opKey)}`, 'data-key': opKey, 'aria-current': isSelected ? 'true' : null },
    el('span', { class: 'title' }, humanized(tool)),
    el('span', { class: 'arguments' }, Object.entries(args).map(([name, value]) => `${spaced(name)} ${shown(value)}`).join(', ')),
    el('span', { class: 'facts' }, mine ? el('span', { class: 'mine' }, 'for you') : null, ` ends `, moment(expiresAt), `, by ${proposer}, for ${assignedTo ?? (approvers.join(', ') || 'nobody')}`,
      needed > 1 ? `, ${approvedBy.length} of ${needed} approved` : '')));
}
