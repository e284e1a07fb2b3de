/** Records golden histories from servers that are started for it and gone afterwards. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { withLab } from '../endure/lab.ts';
import { anonymous } from './anonymous.ts';
import { playScene } from './scenes.ts';
import { withStage, type Stage } from './stage.ts';

/** `wanted`: names of scenes. `say` tells of the progress. */
export type RecordOptions = { readonly wanted: readonly string[]; readonly folder: string; readonly signal: AbortSignal; readonly say: (line: string) => void };

/** A file that was written. */
export type RecordedHistory = { readonly file: string; readonly events: number };

/** Plays the scenes one after the other; files that exist are replaced, each when its scene is over. */
export async function recordHistories({ wanted, folder, signal, say }: RecordOptions): Promise<RecordedHistory[]> {
  await mkdir(folder, { recursive: true });
  return withLab({ name: 'histories', signal, temporalDb: 'memory' }, (lab) => withStage(lab, signal, async (stage) => {
    const recorded: RecordedHistory[] = [];
    for (const name of wanted) {
      signal.throwIfAborted();
      recorded.push(await recordOne(stage, { name, folder }));
      say(`recorded ${String(recorded.length)} of ${String(wanted.length)}: ${name}`);
    }
    return recorded;
  }));
}

async function recordOne(stage: Stage, { name, folder }: { name: string; folder: string }): Promise<RecordedHistory> {
  const { workflowId, runId } = await playScene(stage, name);
  const history = await stage.client.workflow.getHandle(workflowId, runId).fetchHistory();
  const file = join(folder, `${name}.json`);
  await writeFile(file, `${anonymous(historyToJSON(history))}\n`);
  return { file, events: history.events?.length ?? 0 };
}
