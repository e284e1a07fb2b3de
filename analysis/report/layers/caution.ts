/** The cautionary prompt: a model's proposals under it beside its ordinary ones, on the same decisions. */
import { isCautious, modelOf } from '../../../contract/proposer-name.ts';
import { summarizeStudy, type ProposerSummary } from '../../study/summarize-study.ts';
import { rateOf, type Rate } from '../../study/value.ts';
import { rateFigure } from '../figure.ts';
import type { Cell } from '../model.ts';
import { audienceOf, type Run, type StudyView } from '../study-view.ts';
import { inCommon, ownOf, proposersIn, runsOf, type Layer } from './layer.ts';

/** Null where no run has both of a model. */
export function cautionLayer(view: StudyView): Layer | null {
  const runs = runsOf(view);
  const pairs = runs.flatMap((cautious) => proposersIn(cautious).filter(isCautious).flatMap((proposer) => {
    const plain = [cautious, ...runs].find((run) => proposersIn(run).includes(modelOf(proposer)));
    return plain === undefined ? [] : [{ proposer, cautious, plain }];
  }));
  const rows = pairs.flatMap(rowsOf);
  return rows.length === 0 ? null : {
    name: 'caution', runs: pairs.flatMap(({ cautious, plain }) => [cautious, plain]),
    tables: [{
      id: 'caution', title: 'Cautionary prompt', labels: 3, head: ['model', 'prompt', 'decisions in common', 'abstained', 'no valid answer', 'unsafe commits', 'safe success'], rows,
      caption: 'The same model told to consider staleness, ambiguous commits and concurrency, without any check, on the decisions that both runs have.',
      notes: ['Change: with less without, in percentage points. The paper\'s always-acting models do not change at all; its Phi-4-mini abstains more.'],
    }],
  };
}

function rowsOf({ proposer, cautious, plain }: { proposer: string; cautious: Run; plain: Run }): Cell[][] {
  const common = inCommon([ownOf(plain, modelOf(proposer)), ownOf(cautious, proposer)]);
  const [without, under] = common.lists.map((outcomes) => summarizeStudy(outcomes, { resamples: 0 }).proposers[0]);
  if (without === undefined || under === undefined) return [];
  const [before, after] = [ratesOf(without), ratesOf(under)];
  const row = (of: ProposerSummary, prompt: 'ordinary' | 'cautionary', rates: readonly (Rate | null)[]): Cell[] => {
    const audience = { ...audienceOf(of), alwaysActing: without.answers.act === without.json.decisions };
    return [modelOf(proposer), prompt, String(common.decisions), ...rates.map((rate, n) => (rate === null ? 'not run' : rateFigure(rate, `${prompt}/${names[n] ?? ''}`, audience)))];
  };
  return [row(without, 'ordinary', before), row(under, 'cautionary', after), [modelOf(proposer), 'change, points', String(common.decisions), ...before.map((rate, n) => changeOf(rate, after[n] ?? null))]];
}

const names = ['abstained', 'invalid', 'unsafe', 'safeSuccess'];

function ratesOf({ answers, json, profiles }: ProposerSummary): (Rate | null)[] {
  const planned = { denominator: json.decisions, excluded: 0, unjudged: 0 };
  const direct = profiles.canonical.controllers['always-execute']?.rates;
  return [rateOf({ numerator: answers.abstain, ...planned }), rateOf({ numerator: answers.failed + answers.missing, ...planned }), direct?.unsafe ?? null, direct?.safeSuccess ?? null];
}

/** In percentage points. */
function changeOf(before: Rate | null, after: Rate | null): string {
  const [first, second] = [before?.value ?? null, after?.value ?? null];
  return first === null || second === null ? '' : (100 * (second - first)).toFixed(1).replace(/^-0\.0$/, '0.0');
}
