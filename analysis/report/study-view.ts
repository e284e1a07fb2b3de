/** The study as tables read it: the summary with the outcomes that it was made of, and what each row may be compared with. */
import type { EvaluatedOutcome } from '../../contract/evaluated.ts';
import { isCautious } from '../../contract/proposer-name.ts';
import type { CountedReplan } from '../study/replanning.ts';
import type { ProposerSummary, StudySummary } from '../study/summarize-study.ts';
import type { Audience } from './figure.ts';

/** One policy that was fitted without a part of the cases and tried on that part. `template`: the held-out templates under the repository's weights. */
export type LeftOut = { readonly kind: 'template' | 'fault' | 'domain'; readonly proposer: string; readonly heldOut: string; readonly decisions: number; /** Never seen in the fit. */ readonly outside: number; readonly unsafe: number; readonly cost: number };

/** One proposer's decisions by whether the learned router's weights have a case like them. `strong`: of those outside, the strongly verified. `conditions`: of those outside. */
export type OutsideSupport = {
  readonly proposer: string; readonly telemetry: 'canonical' | 'degraded'; readonly decisions: number; readonly outside: number; readonly strong: number;
  readonly conditions: readonly string[]; readonly inside: number; readonly unsafeInside: number; readonly unsafeOutside: number;
};

/** Another finished evaluation that stands beside the reported one. */
export type Run = { readonly folder: string; readonly seeds: readonly number[]; readonly outcomes: readonly EvaluatedOutcome[] };

/** What the report is made from. `settings`: what names the run. `replans`: null where the replanning layer was not run. */
export type StudyView = {
  readonly summary: StudySummary;
  readonly outcomes: readonly EvaluatedOutcome[];
  readonly leftOut: readonly LeftOut[];
  readonly support: readonly OutsideSupport[];
  readonly replans: readonly CountedReplan[] | null;
  readonly beside: readonly Run[];
  readonly settings: { readonly folder: string; readonly design: string; readonly seeds: readonly number[]; readonly telemetry: string; readonly proposers: readonly { readonly name: string; readonly digest: string | null }[] };
};

/** Whom a proposer's rows speak of. */
export function audienceOf({ proposer, answers, json, profiles }: ProposerSummary): Audience {
  const alwaysActing = json.decisions > 0 && answers.act === json.decisions;
  const wrong = profiles.canonical.controllers['always-execute']?.counts.wrongEffect ?? 0;
  const parts = [
    ...(json.decisions === 1152 ? [] : [`another design: ${String(json.decisions)} decisions, not 1,152`]),
    ...(alwaysActing ? [] : [`this proposer acted on ${String(answers.act)} of ${String(json.decisions)} decisions (${String(answers.abstain)} abstentions, ${String(answers.failed + answers.missing)} failures)`]),
    ...(isCautious(proposer) ? ['asked with the cautionary prompt'] : []),
    ...(wrong === 0 ? [] : [`${String(wrong)} of its actions did something else than asked`]),
  ];
  return { name: proposer, alwaysActing, isMacro: false, difference: parts.length === 0 ? 'not explained by the proposals: our templates or their predicates differ here' : `${parts.join('; ')}; not one of the paper's models` };
}

/** The macro average's rows. */
export function macroAudience({ proposers }: StudySummary): Audience {
  return { name: 'macro average', alwaysActing: false, isMacro: true, difference: `the mean of other proposers (${proposers.map(({ proposer }) => proposer).join(', ')})` };
}

/** Whether an average says anything beside the one proposer. */
export const hasMacro = ({ proposers }: StudySummary): boolean => proposers.length > 1;
