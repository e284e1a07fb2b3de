/** A text as one word of a POSIX shell command that a person may copy: ids are chosen by whoever may start a workflow. */

/** Quoted where it must be (POSIX.1-2024, XCU 2.2.2); null where it holds characters that cannot be shown, so that what is copied would not be what is seen. */
export function shellWord(text: string): string | null {
  if (text === '' || /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u.test(text)) return null;
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The command that decides about a request. */
export function decisionCommand(verdict: 'approve' | 'reject', episodeId: string, digest: string): string {
  return command(`${verdict} --digest ${digest}`, episodeId);
}

/** The command that shows a request beside the world as it is when it runs. */
export function showCommand(episodeId: string): string {
  return command('show', episodeId);
}

/** The id comes after `--`, so that none can pass for an option. */
function command(what: string, episodeId: string): string {
  const word = shellWord(episodeId);
  return word === null ? `(the episode's id cannot be typed: use the update in Temporal's UI)` : `npx holdpoint ${what} -- ${word}`;
}
