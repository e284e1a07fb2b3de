/** Elements from data. Text becomes text nodes, never markup: what a model or a person wrote is shown and nothing else. */

/** Control and format characters and line separators, made visible, so that no text can pass for another. */
export const visible = (text) => String(text).replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);

/** `el('p', { class: 'x', onclick }, 'text', child)`: attributes, handlers (`on…`), and properties where the attribute would not do (`value`, `checked`, `disabled`). */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'value' || name === 'checked' || name === 'disabled') element[name] = value;
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  put(element, ...children);
  return element;
}

/** Puts children in place of what is there; null and false are left out. */
export function put(element, ...children) {
  element.replaceChildren(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : document.createTextNode(visible(child)))));
}

/** Writes a text only where it is another one: a live region says it once. */
export function write(element, text) {
  if (element.textContent !== visible(text)) element.textContent = visible(text);
}

/** `change_delivery_address` as people write it. */
export const humanized = (name) => (name.charAt(0).toUpperCase() + name.slice(1)).replaceAll('_', ' ');

/** `newAddress` as people write it. */
export const spaced = (name) => name.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll('_', ' ').toLowerCase();

/** A value on a page: text as it is, nothing as a word. */
export const shown = (value) => (value === null || value === undefined ? 'nothing' : value === '' ? 'empty' : typeof value === 'string' ? value : JSON.stringify(value));
