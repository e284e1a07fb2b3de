/** What a proposal would change right now, shown by running its effect and undoing it; nothing is left, whatever happens. */
import type { Reason } from '../contract/failures.ts';
import { rollbackTool } from '../contract/names.ts';
import type { ColumnChange, Preview, RowChange, RowSince } from '../contract/preview.ts';
import type { Proposal } from '../contract/proposal.ts';
import { argumentProblem } from '../guards/tool-contract.ts';
import { toolContract } from '../guards/tools/index.ts';
import { previewFunction } from './commit/generate-preview.ts';
import type { Pool } from './pool.ts';
import { inTransaction } from './transaction.ts';

type Row = Readonly<Record<string, unknown>>;
type Written = { table: string; key: string; before: Row | null; after: Row | null; drawn: string[] };
type Answer = { check: { status_held: boolean; policy_held: boolean; integrity_held: boolean; not_applied_held: boolean }; changes?: Written[]; busy?: true; failed?: string; refusal?: Reason };
type Read = { then: Row | null; now: Row | null; version: string | null; actor: string | null; reason: string | null; at: string | null };
type Found = { answer?: Answer; epoch: string | null; reads: Read[]; at: string };

/**
 * Looks once, with the worker's rights, at one snapshot. The effect is really carried out under its locks, and rolled back with them: the exact rows, whatever triggers add.
 * Waits at most 0.3 s for a lock. Costs about what a commit costs, so do not poll it faster than a person reads.
 * @throws TypeError for a tool without a contract, ContentionError where the rows change faster than they can be looked at
 */
export async function previewProposal(pool: Pool, worldId: string, proposal: Proposal): Promise<Preview> {
  const { tool, readSet } = proposal;
  const contract = toolContract(tool);
  if (contract === undefined && tool !== rollbackTool) throw new TypeError(`There is no tool ${JSON.stringify(tool)}.`);
  const problem = contract === undefined ? null : argumentProblem(contract, proposal.arguments);
  const { answer, epoch, reads, at } = await inTransaction(pool, async (client) => {
    await client.query('set transaction isolation level repeatable read');
    const { rows } = await client.query<Found>({ name: 'preview-reads', text: readsSql, values: [worldId, ...(['table', 'key', 'version'] as const).map((part) => readSet.map((row) => row[part]))] });
    // Arguments that the tool does not take would not even reach the effect.
    const shown = problem === null ? await client.query<{ answer: Answer }>({ name: previewFunction(tool), text: `select ${previewFunction(tool)}($1, $2::jsonb) as answer`, values: [worldId, JSON.stringify(proposal.arguments)] }) : undefined;
    return { ...(rows[0] as Found), ...shown?.rows[0] };
  }, { reruns: 5 });
  const rows = readSet.map((read, index) => sinceRead(read, reads[index] as Read));
  const { status_held: status = false, policy_held: policy = false, integrity_held: integrity = false, not_applied_held: notApplied = false } = answer?.check ?? {};
  return { at, epochRead: proposal.epoch, epochNow: epoch, rows, clauses: { status, policy, integrity, notApplied }, ...(answer?.refusal !== undefined && { refusal: answer.refusal }), change: problem === null ? changeOf(answer ?? null, rows) : { state: 'impossible', why: problem } };
}

// Each row of the read set as it was read and as it is, and who wrote to it last: the history of one world, which the tables' triggers keep equal to the tables.
const readsSql = `select (select e.epoch::text from holdpoint.epochs e where e.world_id = $1) as epoch,
  to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at,
  (select jsonb_agg(jsonb_build_object('then', h.new_row, 'now', l.new_row, 'version', l.new_row ->> 'version', 'actor', l.actor, 'reason', l.reason,
      'at', to_char(l.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by w.n)
    from unnest($2::text[], $3::text[], $4::text[]) with ordinality w (table_name, key, version, n)
    left join lateral (select x.new_row from holdpoint.row_history x
      where x.world_id = $1 and x.table_name = w.table_name and x.key = w.key and x.new_row ->> 'version' = w.version order by x.id desc limit 1) h on true
    left join lateral (select x.new_row, x.actor, x.reason, x.at from holdpoint.row_history x
      where x.world_id = $1 and x.table_name = w.table_name and x.key = w.key order by x.id desc limit 1) l on true) as reads`;

function sinceRead(read: Proposal['readSet'][number], { then, now, version, actor, reason, at }: Read): RowSince {
  const lastChange = version === read.version || actor === null ? null : { actor, reason: reason ?? '', at: at ?? '' };
  // A column that only one of two images has came with a migration: nobody changed it.
  const columns = then === null || now === null ? [] : columnsOf(then, now, ['world_id', 'version']).filter(({ column }) => column in then && column in now);
  return { table: read.table, key: read.key, versionRead: read.version, versionNow: version, columns, lastChange };
}

function changeOf(answer: Answer | null, rows: readonly RowSince[]): Preview['change'] {
  if (answer?.busy === true) return { state: 'busy' };
  if (answer?.failed !== undefined) return { state: 'impossible', why: answer.failed };
  if (answer?.changes === undefined) return { state: 'gone', missing: rows.filter((row) => row.versionNow === null).map((row) => `${row.table}/${row.key}`) };
  return { state: 'shown', rows: merged(answer.changes).map(rowChange) };
}

/** One entry a row: a row that the effect and its triggers wrote several times shows its first and its last state. */
function merged(written: readonly Written[]): Written[] {
  const rows = new Map<string, Written>();
  for (const one of written) {
    const name = JSON.stringify([one.table, one.key]);
    rows.set(name, { ...one, before: (rows.get(name) ?? one).before });
  }
  return [...rows.values()];
}

function rowChange({ table, key, before, after, drawn }: Written): RowChange {
  const kind = before === null ? 'insert' : after === null ? 'delete' : 'update';
  // No version: in a subtransaction a row's touching triggers do not know their own transaction again, and bump it once more than a commit does.
  const hidden = ['world_id', 'version', ...(kind === 'insert' ? drawn : [])];
  return { kind, table, key: kind === 'insert' && drawn.length > 0 ? null : key, columns: columnsOf(before ?? {}, after ?? {}, hidden) };
}

function columnsOf(before: Row, after: Row, hidden: readonly string[]): ColumnChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => !hidden.includes(name) && JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return names.map((column) => ({ column, ...(column in before && { before: before[column] }), ...(column in after && { after: after[column] }) }) as ColumnChange);
}
