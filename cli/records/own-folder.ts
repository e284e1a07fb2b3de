/** One writer a folder: a command has its results folder for itself, so that no line is ever torn by another one. */
import { join } from 'node:path';
import { withLock } from '../../stack/files.ts';
import { UserError } from '../output.ts';
import { makeFolder, unwritable } from './write.ts';

/**
 * Makes the folder and holds it while `work` runs. What a killed process held is taken over: the lock names its holder by number and start time.
 * @throws UserError where a living process holds the folder, naming both, or where the folder cannot be written
 */
export async function withOwnFolder<T>(folder: string, work: () => Promise<T>): Promise<T> {
  await makeFolder(folder);
  let isHeld = false;
  const held = async (): Promise<T> => {
    isHeld = true;
    return work();
  };
  const onWait = (pid: number): never => { throw new UserError(`${folder} is being written by process ${String(pid)}: wait until that has ended, or name another folder by --results.`); };
  return withLock(join(folder, '.lock'), { onWait }, held).catch((error: unknown) => {
    throw isHeld || error instanceof UserError ? error : unwritable(folder, error);
  });
}
