/** Untrusted text with what cannot be seen made visible: on a page, in a terminal or in a log. */

/** Control and format characters and the two Unicode line separators become `\u{…}`; everything else stays. */
export function visibleText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`);
}
