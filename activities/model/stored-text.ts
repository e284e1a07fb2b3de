/** Keeps a model's text exactly, also where Postgres or UTF-8 cannot hold it: a NUL, or half of a surrogate pair. */

const mark = 'escaped:';

/** The text for a column. Almost always the text itself; else, or where it begins with the mark, the mark and the text as a JSON string. */
export function toStored(text: string): string {
  return text.startsWith(mark) || /\0|\p{Cs}/u.test(text) ? mark + JSON.stringify(text) : text;
}

/** The text that was stored by toStored, unit for unit. */
export function fromStored(stored: string): string {
  return stored.startsWith(mark) ? (JSON.parse(stored.slice(mark.length)) as string) : stored;
}
