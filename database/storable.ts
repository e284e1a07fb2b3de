/** Untrusted text as Postgres can hold it: it knows no NUL, and UTF-8 no half of a surrogate pair. */

/** Whether a text can be stored as it is. */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && !/\p{Surrogate}/u.test(text);
}

/** The text with what cannot be stored made visible. */
export function storable(text: string): string {
  return text.replaceAll('\u0000', '\\u0000').replace(/\p{Surrogate}/gu, '\uFFFD');
}
