/** Progress on standard error: one line that is written anew on a terminal, a plain line every few seconds elsewhere. */

/** Where progress is shown. */
export type Progress = {
  /** A line that stays. */
  say(line: string): void;
  /** What is going on now; the next call takes its place. */
  show(line: string): void;
  /** Nothing is going on any more. */
  clear(): void;
};

type Screen = Pick<NodeJS.WriteStream, 'write'> & { readonly isTTY?: boolean; readonly columns?: number };

/** How often a plain line is worth its place in a log, in milliseconds. */
const plainEveryMs = 5_000;

/** `nowMs`: for tests. */
export function createProgress(screen: Screen = process.stderr, nowMs: () => number = Date.now): Progress {
  const isTerminal = screen.isTTY === true;
  let shown = '';
  let saidMs = nowMs();
  const wipe = (): void => { if (isTerminal && shown !== '') screen.write('\r\u001b[2K'); };
  const draw = (): void => {
    // A terminal that does not tell its width says 0. A line that wraps could not be wiped.
    const columns = screen.columns === undefined || screen.columns === 0 ? 80 : screen.columns;
    if (isTerminal && shown !== '') screen.write(shown.slice(0, columns - 1));
  };
  return {
    say(line) {
      wipe();
      screen.write(`${line}\n`);
      draw();
    },
    show(line) {
      wipe();
      shown = line;
      draw();
      if (isTerminal || nowMs() - saidMs < plainEveryMs) return;
      saidMs = nowMs();
      screen.write(`${line}\n`);
    },
    clear() {
      wipe();
      shown = '';
    },
  };
}

/** `[######....]` for a fraction from 0 to 1. */
export function bar(fraction: number, width = 24): string {
  const full = Math.round(Math.min(1, Math.max(0, fraction)) * width);
  return `[${'#'.repeat(full)}${'.'.repeat(width - full)}]`;
}

/** A length of time in words: `45 s`, `3 min 20 s`, `2 h 5 min`. */
export function inWords(durationMs: number): string {
  const seconds = Math.max(0, Math.round(durationMs / 1000));
  if (seconds < 60) return `${String(seconds)} s`;
  if (seconds < 3600) return `${String(Math.floor(seconds / 60))} min ${String(seconds % 60)} s`;
  return `${String(Math.floor(seconds / 3600))} h ${String(Math.floor((seconds % 3600) / 60))} min`;
}
