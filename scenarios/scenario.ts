/** The shape of a scenario template and of the plan that one case becomes. Templates are plain data: `$fact` in a text stands for the instance's fact of that name. */
import type { Domain, Twin, Condition } from '../contract/case.ts';
import type { Change, Row } from '../contract/change.ts';
import type { ExpectedDiff } from '../contract/expected-diff.ts';
import type { Telemetry } from '../contract/observation.ts';
import type { Arguments } from '../contract/proposal.ts';

export type { ExpectedDiff } from '../contract/expected-diff.ts';

/** What makes one instance of a template another: ids, names, amounts. A text that is exactly `$name` takes the fact with its type. */
export type Facts = Readonly<Record<string, string | number>>;

/** A row that a world starts with. Tables come in the order of their foreign keys. */
export type SeedRow = { readonly table: string; readonly row: Row };

/** One template, as data. */
export type Template = {
  /** Kebab case. */
  readonly name: string;
  readonly domain: Domain;
  /** The tool that does what the instruction asks. */
  readonly tool: string;
  readonly instruction: string;
  readonly arguments: Readonly<Record<string, string | number>>;
  /** Which arguments name the rows to observe: those that the tool's lock keys take. */
  readonly keys: readonly string[];
  readonly seed: readonly SeedRow[];
  /** What a complete earlier attempt leaves: exactly what the tool's effect does. */
  readonly effect: readonly Change[];
  /** What a half-done earlier attempt leaves: a subset that breaks integrity. */
  readonly partial: readonly Change[];
  /** The entity's operational status moves on, out of the allowed states. */
  readonly statusMoved: readonly Change[];
  /** Whether the hazardous stale read hides `status-moved` or `already-done` (somebody did the same thing). */
  readonly staleHazard: 'status-moved' | 'already-done';
  /** Versions in the read set advance, the predicate stays as it is: the benign twin. */
  readonly touched: readonly Change[];
  /** The entity carries an unresolved operation; `resolved` takes the mark away again. */
  readonly unresolved: readonly Change[];
  readonly resolved: readonly Change[];
  /** The policy that allowed the action is withdrawn. */
  readonly withdrawn: readonly Change[];
  /** A write outside the read set: the benign twin of the concurrent mutation. */
  readonly unrelated: readonly Change[];
  readonly expected: ExpectedDiff;
  /** Four instances, as facts. */
  readonly instances: readonly Facts[];
};

/** Something that happens to the world outside the agent. `towardsGoal`: it does (part of) what was asked, so it is no drift. */
export type Step = { readonly actor: string; readonly reason: string; readonly changes: readonly Change[]; readonly towardsGoal: boolean };

/** One case, worked out: everything that an episode's activities need and its workflow must not see. */
export type EpisodePlan = {
  readonly caseId: string;
  readonly condition: Condition;
  readonly twin: Twin;
  readonly tool: string;
  readonly instruction: string;
  /** The keys of the rows to observe, by argument name (the arguments that the tool's lock keys name). */
  readonly keys: Arguments;
  /** What an always-acting proposer proposes: the template's mutation. */
  readonly arguments: Arguments;
  readonly seed: readonly SeedRow[];
  /** What happened before the observation, each step a transaction of its own. */
  readonly before: readonly Step[];
  /** `seed`: the read is as old as the world's first epoch and misses `before`; `now`: it sees everything. */
  readonly observe: 'seed' | 'now';
  /**
   * What an ordinary read sees once everything has happened: `now`, or `seed` where effects become visible late, so that it shows the world as it began. Depends
   * on the condition only: it tells the twins apart no better than the observation does.
   */
  readonly fastSees: 'seed' | 'now';
  readonly telemetry: Telemetry;
  /** What happens while the commit runs, concurrently with it in live episodes. */
  readonly race: readonly Step[];
  /** A live fault: the connection is cut once COMMIT is on its way, on the first attempt. */
  readonly fault: 'cut-at-commit' | null;
  readonly expected: ExpectedDiff;
};
