/** What is raced about: for each tool the rows of a world with many targets, the proposal for one target, and the strikes against it. */
import type { Row } from '../../contract/change.ts';
import type { Arguments } from '../../contract/proposal.ts';
import { cellStrike, policyStrike, type Family, type Strike } from './families.ts';

type SeedRow = { readonly table: string; readonly row: Row };

/** A tool's side of the race. Targets are numbered from 0; each is used for one commit only. */
export type Arena = {
  readonly tool: string;
  /** Families that can strike here, as often as they are named. Holds exist for orders only, so they come twice there. */
  readonly families: readonly Family[];
  /** Rows of the world that no target owns. */
  readonly shared: readonly SeedRow[];
  seedOf(target: number): readonly SeedRow[];
  argumentsOf(target: number): Arguments;
  strikeOf(family: Exclude<Family, 'duplicate'>, target: number): Strike;
};

const policyRow = (tool: string): SeedRow => ({ table: 'holdpoint.policies', row: { tool, allowed: true, approvers: ['auto'] } });
const everywhere: readonly Family[] = ['policy', 'status', 'duplicate', 'unrelated'];
const noHolds = (): never => { throw new TypeError('Only orders can be held.'); };

const orders: Arena = {
  tool: 'change_delivery_address',
  families: [...everywhere, 'hold', 'hold'],
  shared: [
    policyRow('change_delivery_address'),
    { table: 'orders.customers', row: { customer_id: 'cus-1', name: 'Ines Duarte' } },
    { table: 'orders.customers', row: { customer_id: 'cus-2', name: 'Peter Novak' } },
  ],
  seedOf: (n) => [
    { table: 'orders.orders', row: { order_id: `ord-${String(n)}`, customer_id: 'cus-1', status: 'PAID', delivery_address: '14 Mill Lane', total_cents: 12_940 } },
    { table: 'orders.labels', row: { order_id: `ord-${String(n)}`, address: '14 Mill Lane' } },
  ],
  argumentsOf: (n) => ({ orderId: `ord-${String(n)}`, newAddress: '27 Alder Court' }),
  strikeOf: (family, n) => {
    const key = `ord-${String(n)}`;
    if (family === 'policy') return policyStrike('change_delivery_address');
    if (family === 'unrelated') return cellStrike({ update: 'orders.customers', keyColumn: 'customer_id', key: 'cus-2' }, 'name', ['P. Novak', 'Peter Novak']);
    if (family === 'status') return cellStrike({ update: 'orders.orders', keyColumn: 'order_id', key }, 'status', ['PACKING', 'PAID']);
    return {
      away: [{ insert: 'orders.holds', row: { order_id: key, cause: 'suspected fraud' } }],
      back: [{ update: 'orders.holds', keyColumn: 'order_id', key, set: { released: true } }],
    };
  },
};

const billing: Arena = {
  tool: 'record_invoice',
  families: everywhere,
  shared: [
    policyRow('record_invoice'),
    { table: 'billing.vendors', row: { vendor_id: 'ven-1', name: 'Northwind Paper' } },
    { table: 'billing.vendors', row: { vendor_id: 'ven-2', name: 'Harbour Tools' } },
  ],
  seedOf: (n) => [{ table: 'billing.purchase_orders', row: { purchase_order_id: `po-${String(n)}`, vendor_id: 'ven-1', status: 'RECEIVED', amount_cents: 48_000 } }],
  argumentsOf: (n) => ({ purchaseOrderId: `po-${String(n)}`, invoiceNumber: `INV-${String(n)}`, amountCents: 48_000 }),
  strikeOf: (family, n) => {
    if (family === 'policy') return policyStrike('record_invoice');
    if (family === 'unrelated') return cellStrike({ update: 'billing.vendors', keyColumn: 'vendor_id', key: 'ven-2' }, 'name', ['Harbour Tools Ltd', 'Harbour Tools']);
    return family === 'hold' ? noHolds() : cellStrike({ update: 'billing.purchase_orders', keyColumn: 'purchase_order_id', key: `po-${String(n)}` }, 'status', ['DISPUTED', 'RECEIVED']);
  },
};

const access: Arena = {
  tool: 'grant_role',
  families: everywhere,
  shared: [
    policyRow('grant_role'),
    { table: 'access.roles', row: { role_id: 'rol-1', title: 'Ledger reader' } },
    { table: 'access.roles', row: { role_id: 'rol-2', title: 'Warehouse clerk' } },
  ],
  seedOf: (n) => [{ table: 'access.people', row: { person_id: `per-${String(n)}`, name: 'Tomasz Zielinski', status: 'ACTIVE' } }],
  argumentsOf: (n) => ({ personId: `per-${String(n)}`, roleId: 'rol-1' }),
  strikeOf: (family, n) => {
    if (family === 'policy') return policyStrike('grant_role');
    if (family === 'unrelated') return cellStrike({ update: 'access.roles', keyColumn: 'role_id', key: 'rol-2' }, 'title', ['Clerk', 'Warehouse clerk']);
    return family === 'hold' ? noHolds() : cellStrike({ update: 'access.people', keyColumn: 'person_id', key: `per-${String(n)}` }, 'status', ['SUSPENDED', 'ACTIVE']);
  },
};

const deployments: Arena = {
  tool: 'roll_back_release',
  families: everywhere,
  shared: [policyRow('roll_back_release'), { table: 'deployments.services', row: { service_id: 'svc-spare', status: 'HEALTHY', current_release: 'none' } }],
  seedOf: (n) => {
    const service = `svc-${String(n)}`;
    const release = (version: string): SeedRow => ({ table: 'deployments.releases', row: { release_id: `${service}-${version}`, service_id: service, artifact: `${version}.tar` } });
    return [
      { table: 'deployments.services', row: { service_id: service, status: 'DEGRADED', current_release: `${service}-v2` } },
      release('v1'), release('v2'),
      { table: 'deployments.rollouts', row: { service_id: service, from_release: `${service}-v1`, to_release: `${service}-v2` } },
    ];
  },
  argumentsOf: (n) => ({ serviceId: `svc-${String(n)}`, targetRelease: `svc-${String(n)}-v1` }),
  strikeOf: (family, n) => {
    if (family === 'policy') return policyStrike('roll_back_release');
    if (family === 'unrelated') return cellStrike({ update: 'deployments.services', keyColumn: 'service_id', key: 'svc-spare' }, 'operator_note', ['looked at', '']);
    return family === 'hold' ? noHolds() : cellStrike({ update: 'deployments.services', keyColumn: 'service_id', key: `svc-${String(n)}` }, 'status', ['FROZEN', 'DEGRADED']);
  },
};

/** One arena a world, in turn: every second world is about orders, where all five families can strike. */
export const arenas: readonly Arena[] = [orders, billing, orders, access, orders, deployments];
