/** What stands about a request: for whoever was refused, came late, or lost an answer. */
import type { Client } from '@temporalio/client';
import { requestOf } from '../database/approvals.ts';
import type { Queryable } from '../database/pool.ts';
import type { episode, EpisodeProgress } from '../workflows/index.ts';

/** The decision that stands. `at`: ISO 8601 by the database's clock; null while only the episode knows of it. */
export type Recorded = { readonly verdict: string; readonly by: string; readonly at: string | null };

/** By the database, or else by the running episode, which knows it a moment earlier. Null where nothing stands, as far as either can say. */
export async function recordedDecision({ client, db }: { readonly client: Client; readonly db: Queryable }, episodeId: string, opKey: string): Promise<Recorded | null> {
  const row = await requestOf(db, opKey);
  if (row !== undefined && row.verdict !== null) return { verdict: row.verdict, by: row.decidedBy ?? '', at: row.decidedAt };
  try {
    const progress = await client.withDeadline(Date.now() + 2_000, () => client.workflow.getHandle<typeof episode>(episodeId).query<EpisodeProgress>('progress'));
    return progress.request?.opKey === opKey && progress.decided !== null ? { ...progress.decided, at: null } : null;
  } catch {
    return null; // ended, or no worker is up: what the database says is all there is
  }
}
