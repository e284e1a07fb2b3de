/** Runs one batch to its end and writes its records: what `start` and `run` have in common. */
import { join } from 'node:path';
import { proposalKey } from '../../analysis/decision.ts';
import { isAllFailed, summarize, worthOpening, type Summary } from '../../analysis/summary.ts';
import { decisionsOf } from '../records/decisions.ts';
import { countOpen, loadEpisodes, loadModelDigests, loadPostgresVersion, loadTimes } from '../records/load.ts';
import { manifestOf, type ServerVersions } from '../records/manifest.ts';
import { defaultRunId, planRun, type Configuration } from '../records/plan.ts';
import { beginRecords, isFinished, writeRecords } from '../records/write.ts';
import { UserError } from '../output.ts';
import { reconcile } from '../runtime/reconcile.ts';
import { scoreWith } from '../runtime/score.ts';
import type { Pool } from '../../database/pool.ts';
import { attach, chooseRunId, type Attached, type Tools } from './attach.ts';
import { linksOf, type Links, type Ui } from './links.ts';
import type { Progress } from './progress.ts';
import { watchBatch } from './watch.ts';

/** What to run, and where its records go. */
export type BatchRun = {
  readonly configuration: Configuration;
  readonly runId: string | undefined;
  readonly resultsDir: string;
  readonly versions: Omit<ServerVersions, 'postgres'>;
  readonly ui: Ui | undefined;
};

/** A run's result, as `--json` prints it. `report`: the path of the table. */
export type RunDocument = Summary & { readonly run: string; readonly report: string; readonly links: Links | null };

/** A finished run. `allFailed`: no episode came to anything. */
export type FinishedRun = { readonly document: RunDocument; readonly allFailed: boolean };

const words: Record<Attached['how'], string> = {
  started: 'started', resumed: 'goes on where it was left', running: 'is running already; joined it', finished: 'is finished; writing its records',
};

/** Runs it. @throws UserError where the batch ends early */
export async function runBatch(tools: Tools & { readonly db: Pool }, run: BatchRun, progress: Progress): Promise<FinishedRun> {
  const { db } = tools;
  const { configuration, resultsDir } = run;
  const { input } = configuration;
  const runId = run.runId ?? (await chooseRunId(tools, defaultRunId(configuration), { input, resultsDir }));
  const folder = join(resultsDir, runId);
  const manifest = await manifestOf(runId, configuration, { ...run.versions, postgres: await loadPostgresVersion(db) });
  const attached = await attach(tools, runId, input);
  if (attached.how !== 'finished') await beginRecords(folder, manifest);
  const planned = planRun(runId, input);
  progress.say(`batch: ${runId} ${words[attached.how]} (${String(planned.length)} episodes, ${input.models.join(', ')})`);
  const plan = { episodes: planned.length, proposals: new Set(planned.map((episode) => proposalKey(episode))).size };
  if (attached.handle !== null) await watchBatch(attached.handle, { client: tools.client, db, runId, plan, progress });
  // What failed on the way has no end yet: its op keys are closed, and it is judged like the others.
  if ((await countOpen(db, runId)) > 0) await reconcile({ client: tools.client, pool: db, score: scoreWith(db) });

  const loaded = await loadEpisodes(db, runId);
  // An episode that was removed looks like one that never began: finished records must not be written over from what is left.
  if (attached.how === 'finished' && loaded.size < planned.length && (await isFinished(folder)))
    throw new UserError(`Only ${String(loaded.size)} of the ${String(planned.length)} episodes of ${runId} are still in the database: its records in ${folder} stay as they are.`);
  const decisions = decisionsOf(planned, loaded);
  const digests = await loadModelDigests(db, runId);
  const models = configuration.models.map(({ name, digest }) => ({ name, digest: digests.get(name) ?? digest }));
  const summary = summarize(decisions, models);
  const report = await writeRecords(folder, { manifest, decisions, times: await loadTimes(db, runId), summary });
  return { document: { ...summary, run: runId, report, links: linksOf(run.ui, runId, worthOpening(decisions)?.id) }, allFailed: isAllFailed(decisions) };
}
