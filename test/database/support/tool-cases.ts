/** One believable world a tool, the proposal made from it, and what others can do to spoil each clause of its predicate. */
import type { Row } from '../../../contract/change.ts';
import type { Clause, Guard, GuardKind } from '../../../contract/guard.ts';
import { proposalDigest, type Arguments, type Proposal } from '../../../contract/proposal.ts';
import type { CommitRequest } from '../../../database/commit/commit.ts';
import { observeWorld, seedWorld } from '../../../database/worlds.ts';
import { toolContract } from '../../../guards/tools/index.ts';
import type { ToolContract } from '../../../guards/tool-contract.ts';
import type { TestDatabase } from '../../support/postgres.ts';

/** The tools of the four domains. */
export const toolNames = ['change_delivery_address', 'record_invoice', 'grant_role', 'roll_back_release'] as const;
export type ToolName = (typeof toolNames)[number];

/** A statement of somebody else's; `$1` is the world. */
export type Spoiler = { readonly clause: Clause; readonly how: string; readonly statements: readonly string[] };

/** A tool's world, its arguments, and its spoilers: each makes one clause false and leaves the others true. */
export type ToolCase = { readonly args: Arguments; readonly otherArgs: Arguments; readonly rows: readonly { table: string; row: Row }[]; readonly spoilers: readonly Spoiler[] };

/** The spoiler that every tool has. */
export function withdrawal(tool: string): Spoiler {
  return { clause: 'policy', how: 'the policy is withdrawn', statements: [`update holdpoint.policies set allowed = false where world_id = $1 and tool = '${tool}'`] };
}

/** The policy's row, with ana as the approver. */
export function policyRow(tool: string, more: Row = {}): { table: string; row: Row } {
  return { table: 'holdpoint.policies', row: { tool, allowed: true, approvers: ['ana', 'auto'], ...more } };
}

export const toolCases: Readonly<Record<ToolName, ToolCase>> = {
  change_delivery_address: {
    args: { orderId: 'o1', newAddress: '2 New Street' },
    otherArgs: { orderId: 'o1', newAddress: '3 Third Street' },
    rows: [
      policyRow('change_delivery_address'),
      { table: 'orders.customers', row: { customer_id: 'c1', name: 'Ada' } },
      { table: 'orders.orders', row: { order_id: 'o1', customer_id: 'c1', status: 'PAID', delivery_address: '1 Old Street', total_cents: 1999 } },
      { table: 'orders.orders', row: { order_id: 'o2', customer_id: 'c1', status: 'PAID', delivery_address: '1 Old Street', total_cents: 500 } },
    ],
    spoilers: [
      { clause: 'status', how: 'the order goes to packing', statements: [`update orders.orders set status = 'PACKING' where world_id = $1 and order_id = 'o1'`] },
      { clause: 'status', how: 'a hold is inserted', statements: [`insert into orders.holds (world_id, order_id, cause) values ($1, 'o1', 'fraud check')`] },
      withdrawal('change_delivery_address'),
      { clause: 'integrity', how: 'a label with another address is inserted', statements: [`insert into orders.labels (world_id, order_id, address) values ($1, 'o1', '9 Elsewhere')`] },
      {
        clause: 'notApplied', how: 'somebody else changes the address to the same one',
        statements: [
          `update orders.orders set delivery_address = '2 New Street' where world_id = $1 and order_id = 'o1'`,
          `insert into orders.labels (world_id, order_id, address) values ($1, 'o1', '2 New Street')`,
        ],
      },
    ],
  },
  record_invoice: {
    args: { purchaseOrderId: 'p1', invoiceNumber: 'INV-1', amountCents: 5000 },
    otherArgs: { purchaseOrderId: 'p1', invoiceNumber: 'INV-2', amountCents: 7000 },
    rows: [
      policyRow('record_invoice', { max_amount_cents: 10_000 }),
      { table: 'billing.vendors', row: { vendor_id: 'v1', name: 'Paper Ltd' } },
      { table: 'billing.purchase_orders', row: { purchase_order_id: 'p1', vendor_id: 'v1', status: 'RECEIVED', amount_cents: 5000 } },
    ],
    spoilers: [
      { clause: 'status', how: 'the purchase order is disputed', statements: [`update billing.purchase_orders set status = 'DISPUTED' where world_id = $1 and purchase_order_id = 'p1'`] },
      withdrawal('record_invoice'),
      { clause: 'policy', how: 'the limit is lowered', statements: [`update holdpoint.policies set max_amount_cents = 10 where world_id = $1 and tool = 'record_invoice'`] },
      { clause: 'integrity', how: 'a posting is inserted without its sum', statements: [`insert into billing.postings (world_id, purchase_order_id, invoice_number, amount_cents) values ($1, 'p1', 'INV-9', 100)`] },
      {
        clause: 'notApplied', how: 'somebody else posts the same invoice',
        statements: [
          `insert into billing.postings (world_id, purchase_order_id, invoice_number, amount_cents) values ($1, 'p1', 'INV-1', 5000)`,
          `update billing.purchase_orders set invoiced_cents = 5000 where world_id = $1 and purchase_order_id = 'p1'`,
        ],
      },
    ],
  },
  grant_role: {
    args: { personId: 'ann', roleId: 'editor' },
    otherArgs: { personId: 'ann', roleId: 'viewer' },
    rows: [
      policyRow('grant_role'),
      { table: 'access.people', row: { person_id: 'ann', name: 'Ann', status: 'ACTIVE' } },
      { table: 'access.roles', row: { role_id: 'editor', title: 'Editor' } },
      { table: 'access.roles', row: { role_id: 'viewer', title: 'Viewer' } },
    ],
    spoilers: [
      { clause: 'status', how: 'the person is suspended', statements: [`update access.people set status = 'SUSPENDED' where world_id = $1 and person_id = 'ann'`] },
      { clause: 'status', how: 'the role is made ungrantable', statements: [`update access.roles set grantable = false where world_id = $1 and role_id = 'editor'`] },
      withdrawal('grant_role'),
      { clause: 'integrity', how: 'a grant is inserted without its count', statements: [`insert into access.grants (world_id, person_id, role_id) values ($1, 'ann', 'viewer')`] },
      {
        clause: 'notApplied', how: 'somebody else grants the same role',
        statements: [
          `insert into access.grants (world_id, person_id, role_id) values ($1, 'ann', 'editor')`,
          `update access.people set role_count = 1 where world_id = $1 and person_id = 'ann'`,
        ],
      },
    ],
  },
  roll_back_release: {
    args: { serviceId: 's1', targetRelease: 'r1' },
    otherArgs: { serviceId: 's1', targetRelease: 'r2' },
    rows: [
      policyRow('roll_back_release'),
      { table: 'deployments.services', row: { service_id: 's1', status: 'DEGRADED', current_release: 'r3' } },
      { table: 'deployments.services', row: { service_id: 's2', status: 'HEALTHY', current_release: 'q1' } },
      ...['r1', 'r2', 'r3'].map((release) => ({ table: 'deployments.releases', row: { release_id: release, service_id: 's1', artifact: `registry/s1:${release}` } })),
      { table: 'deployments.rollouts', row: { service_id: 's1', from_release: null, to_release: 'r3' } },
    ],
    spoilers: [
      { clause: 'status', how: 'the service is frozen', statements: [`update deployments.services set status = 'FROZEN' where world_id = $1 and service_id = 's1'`] },
      { clause: 'status', how: 'the release moves to another service', statements: [`update deployments.releases set service_id = 's2' where world_id = $1 and release_id = 'r1'`] },
      withdrawal('roll_back_release'),
      { clause: 'integrity', how: 'a rollout is inserted that the service does not show', statements: [`insert into deployments.rollouts (world_id, service_id, from_release, to_release) values ($1, 's1', 'r3', 'r2')`] },
      {
        clause: 'notApplied', how: 'somebody else rolls back to the same release',
        statements: [
          `insert into deployments.rollouts (world_id, service_id, from_release, to_release) values ($1, 's1', 'r3', 'r1')`,
          `update deployments.services set current_release = 'r1' where world_id = $1 and service_id = 's1'`,
        ],
      },
    ],
  },
};

/** The contract of a tool that exists. */
export function contractOf(tool: string): ToolContract {
  const contract = toolContract(tool);
  if (contract === undefined) throw new Error(`No contract: ${tool}`);
  return contract;
}

/** Seeds the tool's world. @returns its id */
export async function seedFor(db: TestDatabase, tool: ToolName, rows = toolCases[tool].rows): Promise<string> {
  return seedWorld(db.pool, `test ${tool}`, rows);
}

/** Reads the world and freezes a proposal from what was read. */
export async function propose(db: TestDatabase, worldId: string, { tool, args = toolCases[tool].args }: { tool: ToolName; args?: Arguments }): Promise<Proposal> {
  const contract = contractOf(tool);
  const { readSet, epoch } = await observeWorld(db.pool, { worldId, contract, keys: args, telemetry: { ageMs: 0, previousStatus: 'ok' } });
  return { tool, arguments: args, readSet, epoch, allowedStates: [...contract.allowedStates], proposer: 'agent:test', windowMs: 3_600_000 };
}

/** The guard of a kind, with clauses left out where it is a predicate. */
export function guardOf(kind: GuardKind, without: readonly Clause[] = []): Guard {
  return { kind, without: [...without] };
}

let steps = 0;

/** A commit request for a proposal, under an op key that no other test uses. */
export function requestFor(worldId: string, proposal: Proposal, how: { guard: Guard; opKey?: string }): CommitRequest {
  const opKey = how.opKey ?? `world-${worldId}/step-${String((steps += 1))}`;
  return { worldId, opKey, proposal, digest: proposalDigest(proposal), guard: how.guard, attempt: 1 };
}

/** What an approval row says besides the request; null for a request that nobody has decided. */
export type Said = { readonly verdict?: 'approve' | 'reject' | 'expired' | 'cancelled' | null; readonly by?: string; readonly digest?: string; readonly windowMs?: number };

/** Records the request for approval and, unless told otherwise, ana's approval of exactly this proposal. */
export async function approve(db: TestDatabase, request: CommitRequest, said: Said = {}): Promise<void> {
  const verdict = said.verdict === undefined ? 'approve' : said.verdict;
  await db.owner.query(
    `insert into holdpoint.approvals (op_key, world_id, episode_id, digest, proposal, tool, proposer, expires_at, verdict, decided_by, via, decided_at)
     values ($1, $2, 'test', $3, $4, $5, $6, clock_timestamp() + $7 * interval '1 millisecond', $8, $9, $10, case when $8::text is null then null else clock_timestamp() end)`,
    [
      request.opKey, request.worldId, said.digest ?? request.digest, JSON.stringify(request.proposal), request.proposal.tool, request.proposal.proposer,
      said.windowMs ?? request.proposal.windowMs, verdict, verdict === null ? null : (said.by ?? 'ana'), verdict === null ? null : 'update',
    ],
  );
}

/** Seeds, proposes and approves: a request that commits if nobody interferes. */
export async function approvedRequest(db: TestDatabase, tool: ToolName, guard: Guard): Promise<CommitRequest> {
  const worldId = await seedFor(db, tool);
  const request = requestFor(worldId, await propose(db, worldId, { tool }), { guard });
  await approve(db, request);
  return request;
}

/** How many rows a tool's side effect has in a world. A rollout without a release before it is the seed's. */
export async function effectsOf(db: TestDatabase, worldId: string, tool: ToolName): Promise<number> {
  const table = contractOf(tool).sideEffectTable;
  return countOf(db, `select count(*) from ${table} where world_id = $1${tool === 'roll_back_release' ? ' and from_release is not null' : ''}`, worldId);
}

/** A count by SQL; `$1` is the value. */
export async function countOf(db: TestDatabase, sql: string, value: string): Promise<number> {
  const { rows } = await db.owner.query<{ count: string }>(sql, [value]);
  return Number(rows[0]?.count);
}

/** Ledger rows of an op key by verdict. */
export async function ledgerOf(db: TestDatabase, opKey: string): Promise<{ verdict: string; reason: string | null; tries: number }[]> {
  const { rows } = await db.owner.query<{ verdict: string; reason: string | null; tries: number }>(
    'select verdict::text, reason, count(*)::int as tries from holdpoint.ledger where op_key = $1 group by 1, 2 order by 1, 2', [opKey],
  );
  return rows;
}
