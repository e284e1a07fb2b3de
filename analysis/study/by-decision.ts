/** Outcomes as they lie in a file: all of one decision next to each other. */
import type { EvaluatedOutcome } from '../../contract/evaluated.ts';
import { decisionKey } from './cells.ts';

/** Each decision's outcomes, never empty, as soon as the next decision begins. One that is scattered comes several times. */
export function* byDecision(outcomes: Iterable<EvaluatedOutcome>): Generator<[EvaluatedOutcome, ...EvaluatedOutcome[]]> {
  let own: [EvaluatedOutcome, ...EvaluatedOutcome[]] | undefined;
  for (const outcome of outcomes) {
    if (own !== undefined && decisionKey(own[0]) === decisionKey(outcome)) {
      own.push(outcome);
      continue;
    }
    if (own !== undefined) yield own;
    own = [outcome];
  }
  if (own !== undefined) yield own;
}
