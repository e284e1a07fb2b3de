/** Commits that somebody wants taken back, and the requests to do so. */
import { canonicalText, digestOfText } from '../contract/digest.ts';
import { opKeyOf, rollbackIdOf, rollbackTool } from '../contract/names.ts';
import { Proposal } from '../contract/proposal.ts';
import { insertRequest, iso, requestOf, requestsOfEpisode, type ApprovalRow } from './approvals.ts';
import type { Queryable } from './pool.ts';

/** A commit and the rows that it wrote, sorted by (table, key), with the versions that it left. `at`: ISO 8601, by the database's clock. */
export type CommitToUndo = {
  readonly opKey: string; readonly worldId: string; readonly tool: string; readonly at: string; readonly epochNow: string;
  readonly rows: readonly { readonly table: string; readonly key: string; readonly version: string }[];
  /** Of its tool, by the world's policy as it is. */
  readonly unauthenticated: boolean;
  /** The op key that took it back already, or null. */
  readonly rolledBackBy: string | null;
};

/** The commit of an op key, or undefined where none was made under it. */
export async function commitToUndo(db: Queryable, opKey: string): Promise<CommitToUndo | undefined> {
  const { rows } = await db.query<CommitToUndo>(
    `select l.op_key as "opKey", l.world_id as "worldId", l.tool, ${iso('l.at')} as at, e.epoch::text as "epochNow", coalesce(p.unauthenticated, false) as unauthenticated,
       (select coalesce(jsonb_agg(jsonb_build_object('table', w.table_name, 'key', w.key, 'version', coalesce(w.left_as, w.was) ->> 'version')), '[]') from holdpoint.written_by(l.world_id, l.op_key) w) as rows,
       (select r.op_key from holdpoint.ledger r where r.rolls_back = l.op_key and r.verdict = 'committed') as "rolledBackBy"
     from holdpoint.ledger l join holdpoint.epochs e using (world_id) left join holdpoint.policies p on p.world_id = l.world_id and p.tool = l.tool
     where l.op_key = $1 and l.verdict = 'committed'`, [opKey]);
  return rows[0];
}

/** The longest op key whose commit can be taken back, in characters: it is an argument of the proposal. */
export const mostOpKeyLength = 500;

/** Who proposes, and how long the request may be decided, in milliseconds. `proposer`: `person:<name>`. */
export type RollbackAsked = { readonly proposer: string; readonly windowMs: number };

/** What is asked: the call `rollback` of this op key, resting on every row that the commit wrote. */
export function rollbackProposal(commit: CommitToUndo, { proposer, windowMs }: RollbackAsked): Proposal {
  return Proposal.parse({
    tool: rollbackTool, arguments: { opKey: commit.opKey, tool: commit.tool, committedAt: commit.at }, readSet: commit.rows, epoch: commit.epochNow,
    allowedStates: ['what the commit left'], proposer, windowMs,
  });
}

/**
 * Asks for a decision about taking a commit back. While a request about it waits, that one is returned, whoever asked; two who ask at once make one.
 * The request is the commit's tool's, whose policy says who decides; the proposal, which the digest covers, says that it is a rollback.
 */
export async function askForRollback(db: Queryable, commit: CommitToUndo, asked: RollbackAsked): Promise<ApprovalRow> {
  const rollbackId = rollbackIdOf(commit.opKey);
  const before = await requestsOfEpisode(db, rollbackId);
  const waiting = before.find((request) => request.live);
  if (waiting !== undefined) return waiting;
  const proposal = rollbackProposal(commit, asked);
  const proposalText = canonicalText(proposal);
  const opKey = opKeyOf(rollbackId, before.length + 1);
  await insertRequest(db, { opKey, worldId: commit.worldId, episodeId: rollbackId, digest: digestOfText(proposalText), proposalText, proposal: { ...proposal, tool: commit.tool } });
  const request = await requestOf(db, opKey);
  if (request === undefined) throw new TypeError(`The request ${opKey} vanished.`);
  return request;
}

/** The request that a rollback's workflow is to hold, the one that waits, and how much of its window is left, in milliseconds; undefined where nothing waits. */
export async function rollbackToHold(db: Queryable, rollbackId: string): Promise<{ readonly opKey: string; readonly step: number; readonly windowMs: number } | undefined> {
  const requests = await requestsOfEpisode(db, rollbackId);
  const waiting = requests.find((request) => request.live);
  if (waiting === undefined) return undefined;
  const { rows } = await db.query<{ ms: number }>('select greatest(1, ceil(extract(epoch from a.expires_at - clock_timestamp()) * 1000))::float8 as ms from holdpoint.approvals a where a.op_key = $1', [waiting.opKey]);
  return { opKey: waiting.opKey, step: Number(waiting.opKey.slice(rollbackId.length + 1)), windowMs: rows[0]?.ms ?? 1 };
}
