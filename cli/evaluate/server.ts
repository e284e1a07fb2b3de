/** A Postgres for a command that brings its own database. */
import { defaultStateDir, startStack } from '../../stack/stack.ts';
import { say } from '../output.ts';

/** The server that is there (DATABASE_URL, or one that `start` left running), or one that is started for this and stopped again. */
export async function onServer<T>({ signal, isQuiet }: { readonly signal: AbortSignal; readonly isQuiet: boolean }, use: (serverUrl: string) => Promise<T>): Promise<T> {
  const stack = await startStack({ parts: ['postgres'], stateDir: defaultStateDir(), signal, say: (line) => { if (!isQuiet) say(`${line.part}: ${line.text}`); } });
  try {
    if (stack.postgres === undefined) throw new TypeError('The stack has no Postgres.');
    return await use(stack.postgres.url);
  } finally {
    await stack.stop();
  }
}
