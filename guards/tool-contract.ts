/** The shape of a tool's contract: what the commit locks, which predicate must hold, and what the effect is. Data only: the database room turns it into one static function a tool. */
import type { Clause } from '../contract/guard.ts';
import type { Domain } from '../contract/case.ts';
import type { Arguments } from '../contract/proposal.ts';

/** A tool's argument: a text of 1 to `maxLength` characters, or an integer from `minimum`. In the contract's SQL it is the variable `a_<name in snake case>`. */
export type ArgumentSpec =
  | { readonly type: 'text'; readonly description: string; readonly maxLength: number }
  | { readonly type: 'integer'; readonly description: string; readonly minimum: number };

/** A row that the decision depends on. In the contract's SQL it is known by its name. */
export type LockedRow = {
  readonly name: string;
  /** Schema and table. */
  readonly table: string;
  readonly keyColumn: string;
  /** The argument that holds the key, or the key itself. */
  readonly key: { readonly argument: string } | { readonly literal: string };
  /** The strongest mode that the transaction will need: a share is never upgraded (that would deadlock). */
  readonly strength: 'no key update' | 'share';
};

/** A tool that changes shared state, declared. */
export type ToolContract = {
  /** The tool's name, snake case. */
  readonly tool: string;
  readonly domain: Domain;
  readonly description: string;
  readonly arguments: Readonly<Record<string, ArgumentSpec>>;
  /** Every row the decision depends on, sorted by (table, key): the one lock order of the project, the epoch coming after all of them. */
  readonly locks: readonly LockedRow[];
  /** The locked row that is the action's subject; its `status` column is the operational status. */
  readonly entity: string;
  /** States in which the status clause can hold: shown to approvers, part of the proposal. The clause decides. */
  readonly allowedStates: readonly string[];
  /** One boolean SQL expression a clause, over the locked rows by name, `a_…` arguments and `p_world`. Evaluated after the last lock, in a later statement. */
  readonly clauses: Readonly<Record<Clause, string>>;
  /** The effect's statements, the entity's first, so that the side effect's trigger need not touch the entity again. */
  readonly effect: readonly string[];
  /** The table that gets at least one row an effect: duplicates are counted there. */
  readonly sideEffectTable: string;
  /** Why putting the rows back would not take the effect back, in one sentence: it has left the database. Absent where the rows are all that there is. */
  readonly irreversible?: string;
};

/**
 * What is wrong with a call's arguments, in words, or null. The tables' own checks would refuse most of it too, but as an error in the middle of a
 * transaction instead of a refusal.
 */
export function argumentProblem(contract: ToolContract, given: Arguments): string | null {
  const unknown = Object.keys(given).find((name) => contract.arguments[name] === undefined);
  if (unknown !== undefined) return `${contract.tool} takes no argument ${JSON.stringify(unknown)}`;
  for (const [name, spec] of Object.entries(contract.arguments)) {
    const value = given[name];
    const fits =
      spec.type === 'integer'
        ? Number.isSafeInteger(value) && Number(value) >= spec.minimum
        : typeof value === 'string' && value.trim() !== '' && value.length <= spec.maxLength && !value.includes('\u0000') && !/\p{Surrogate}/u.test(value);
    if (!fits) return `${name} must be ${spec.type === 'integer' ? `an integer from ${String(spec.minimum)}` : `a text of 1 to ${String(spec.maxLength)} characters`}`;
  }
  return null;
}

/** The policy row of a tool, share-locked by every contract: a withdrawal waits for the commit, or the commit for it. */
export function policyOf(tool: string): LockedRow {
  return { name: 'policy', table: 'holdpoint.policies', keyColumn: 'tool', key: { literal: tool }, strength: 'share' };
}
