/** How a command is told to end: the first signal lets it end well, the second ends it at once. */
import { say, UserError } from '../output.ts';

/** npm sends a Ctrl-C on to a child that the terminal has told already: a second signal so soon is the same one. */
const sameMs = 400;

/** Told by SIGINT or SIGTERM. */
export type Ending = {
  /** Aborted by the first signal, with the sentence for people. */
  readonly signal: AbortSignal;
  /** Resolves at the first signal. */
  readonly asked: Promise<void>;
  /** Rejects at the first signal: for racing against work. */
  readonly interrupted: Promise<never>;
  /** Takes the handlers away. */
  release(): void;
};

/** Listens. `sentence`: what an interrupted command says; `leftBehind`: what ending at once leaves. */
export function listenForEnd(sentence: string, leftBehind: string): Ending {
  const controller = new AbortController();
  let firstMs: number | undefined;
  const onSignal = (): void => {
    if (firstMs === undefined) {
      firstMs = Date.now();
      say('Ending; once more Ctrl-C ends at once.');
      controller.abort(new UserError(sentence));
    } else if (Date.now() - firstMs > sameMs) {
      say(`Ended at once: ${leftBehind}`);
      process.exit(1);
    }
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  const asked = new Promise<void>((resolve) => { controller.signal.addEventListener('abort', () => { resolve(); }, { once: true }); });
  const interrupted = asked.then((): never => { throw controller.signal.reason; });
  interrupted.catch(() => undefined); // whoever races against it hears of it
  return { signal: controller.signal, asked, interrupted, release: () => void process.off('SIGINT', onSignal).off('SIGTERM', onSignal) };
}
