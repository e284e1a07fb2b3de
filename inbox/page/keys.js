/** Shortcuts: single keys that do what a button does, while no field has the focus. They can be switched off. */
import { el, put } from './dom.js';

/** Key, what it does in words. The documented list, and the only one. */
export const shortcuts = [
  ['j', 'next request in the list'], ['k', 'previous request in the list'], ['Enter', 'open the request that has the focus, or from the filter the first one'], ['u', 'back to the list'], ['/', 'filter the list'],
  ['a', 'approve'], ['r', 'reject'], ['e', 'edit'], ['c', 'comment'], ['h', 'hand on'], ['t', 'history of the episode'], ['?', 'these shortcuts'], ['Esc', 'close a dialog without doing anything, or leave the filter'],
];

const setting = 'holdpoint-single-keys';
const areOn = () => localStorage.getItem(setting) !== 'off';

/** `actions`: a function a key. */
export function listen(actions) {
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest?.('input, textarea, select, [contenteditable]') !== null;
    if (!areOn() || isTyping || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || document.querySelector('dialog[open]') !== null) return;
    const action = actions[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  });
}

/** The list of shortcuts, with the switch. */
export function shortcutTable() {
  const on = el('input', { id: 'single-keys', type: 'checkbox', checked: areOn(), onchange: () => localStorage.setItem(setting, on.checked ? 'on' : 'off') });
  const rows = el('tbody');
  put(rows, shortcuts.map(([key, what]) => el('tr', {}, el('td', {}, el('kbd', {}, key)), el('td', {}, what))));
  return [el('table', { class: 'keys' }, el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Key'), el('th', { scope: 'col' }, 'What it does'))), rows),
    el('p', { class: 'check' }, on, el('label', { for: 'single-keys' }, 'single keys are on'))];
}
