/** The arguments of frozen proposals, read back. */
import type { Queryable } from './pool.ts';

/** What one step asked for, and of which world. */
export type ProposedArguments = { readonly episodeId: string; readonly opKey: string; readonly worldId: string; readonly arguments: Record<string, unknown> };

/** Those of every request of some episodes or rollbacks, by op key. */
export async function argumentsOf(db: Queryable, episodeIds: readonly string[]): Promise<readonly ProposedArguments[]> {
  const { rows } = await db.query<{ episodeId: string; opKey: string; worldId: string; proposal: string }>(
    'select a.episode_id as "episodeId", a.op_key as "opKey", a.world_id::text as "worldId", a.proposal from holdpoint.approvals a where a.episode_id = any ($1::text[]) order by a.op_key', [episodeIds]);
  return rows.map(({ proposal, ...row }) => ({ ...row, arguments: argumentsIn(proposal) }));
}

/** As they stand in the text, which may be a model's and hold anything. */
function argumentsIn(proposal: string): Record<string, unknown> {
  try {
    const frozen = JSON.parse(proposal) as { arguments?: unknown } | null;
    return typeof frozen?.arguments === 'object' && frozen.arguments !== null ? { ...frozen.arguments } : {};
  } catch {
    return {};
  }
}
