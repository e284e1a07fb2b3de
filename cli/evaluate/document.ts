/** An evaluation as one JSON document. */
import type { Replanning } from './replan/run.ts';
import type { Finished } from './run.ts';

/** As `--json` prints it: the counts of the proposer, or of each where there are several, and beside them where everything lies and what it took. */
export function documentOf({ summary, folder, outcomes, costs }: Finished, replanning: Replanning | null): Record<string, unknown> {
  const [first, ...more] = summary.proposers.map(({ proposer, json }) => ({ proposer, ...json, ...(replanning !== null && { replanning: replanning[proposer] }) }));
  return {
    ...(more.length === 0 ? first : { proposers: [first, ...more] }), outcomes, folder, outcomesPerS: costs.elapsedMs === 0 ? null : Math.round((costs.outcomes / costs.elapsedMs) * 1000),
  };
}
