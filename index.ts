/** The library: guard your own agents' tools with the same contract, commit and ledger as the engine. */
export * from './contract/approval.ts';
export * from './contract/case.ts';
export * from './contract/change.ts';
export * from './contract/digest.ts';
export * from './contract/failures.ts';
export * from './contract/guard.ts';
export * from './contract/ledger-row.ts';
export * from './contract/observation.ts';
export * from './contract/outcome.ts';
export * from './contract/proposal.ts';
export { closeOpKey, commitProposal, isUnknown, type Closing, type CommitRequest, type Settled } from './database/commit/commit.ts';
export { insertRequest, pendingRequests, recordDecision, requestOf, type ApprovalRow } from './database/approvals.ts';
export { ledgerOf } from './database/ledger.ts';
export { createDatabase, migrate, roleUrl } from './database/migrate.ts';
export { createPool, type Pool, type PoolOptions } from './database/pool.ts';
export { changeWorld, observeWorld, seedWorld, type Mutation } from './database/worlds.ts';
export type { ArgumentSpec, LockedRow, ToolContract } from './guards/tool-contract.ts';
export { toolContract, tools } from './guards/tools/index.ts';
