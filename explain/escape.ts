/** Untrusted text for HTML and SVG. */
import { visibleText } from '../contract/visible-text.ts';

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Safe between tags and in quoted attributes; what cannot be seen is made visible; cut at `most` characters. */
export function escaped(text: string, most = 2_000): string {
  const visible = visibleText(text);
  return (visible.length > most ? `${visible.slice(0, most)}…` : visible).replace(/[&<>"']/g, (c) => entities[c] ?? '');
}
