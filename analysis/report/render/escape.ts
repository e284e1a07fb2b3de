/** Untrusted text for each kind of file: names of models, templates and folders come from elsewhere. */
import { visibleText } from '../../../contract/visible-text.ts';

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\'': '&#39;' };

/** For HTML text and quoted attributes. */
export function escapeHtml(text: string): string {
  return visibleText(text).replace(/[&<>"']/g, (c) => entities[c] ?? c);
}

/** For a line of markdown or a cell of its tables: no markup, no link, no HTML. */
export function escapeMarkdown(text: string): string {
  return visibleText(text).replace(/[\\`*_[\]|~]/g, '\\$&').replace(/[&<>]/g, (c) => entities[c] ?? c).replace(/(https?|www)(:|\.)/gi, '$1\u200b$2');
}

/** One field of a CSV file (RFC 4180). Text that a spreadsheet would take for a formula gets an apostrophe before it. */
export function escapeCsv(text: string): string {
  const visible = visibleText(text);
  const safe = /^[=+\-@]/.test(visible) && !/^-?\d+(\.\d+)?%?$/.test(visible) ? `'${visible}` : visible;
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
