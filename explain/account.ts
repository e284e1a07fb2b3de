/** An explanation with all that was learned beside it: where the facts come from, what the replay said, what cannot be known, and what every guard would cost. */
import type { GuardCost } from './costs.ts';
import type { Explanation } from './explain.ts';

/** What `holdpoint explain --json` prints for one episode. */
export type Account = {
  readonly explanation: Explanation;
  /** `database`: the tables. `history`: what the last activity left in the history. `events`: the history's events alone, which know less. */
  readonly source: 'database' | 'history' | 'events';
  /** What today's code made of the history, with everything that was found in it, a sentence each; null where there was none to replay. */
  readonly replay: { readonly result: string; readonly why: string | null; readonly findings: readonly string[]; readonly events: number; readonly ended: boolean } | null;
  readonly cannotKnow: readonly string[];
  /** Where the history and the database, or the facts themselves, contradict each other. */
  readonly contradictions: readonly string[];
  /** What each guard would have cost over the episode's batch; null where the batch was not read. */
  readonly costs: { readonly batchId: string; readonly guards: readonly GuardCost[] } | null;
};
