/** More decoding seeds: whether the main seeds' figures were an artefact of the seeds. */
import type { EvaluatedOutcome } from '../../../contract/evaluated.ts';
import { summarizeStudy, type ProposerSummary } from '../../study/summarize-study.ts';
import { measured, noValue, type Measure } from '../../study/value.ts';
import { countFigure, numberFigure, rateFigure, shareFigure } from '../figure.ts';
import type { Cell } from '../model.ts';
import { audienceOf, type Run, type StudyView } from '../study-view.ts';
import { ownOf, placeOf, proposersIn, runsOf, type Layer } from './layer.ts';

/** The paper's main seeds (guard-precision, section on models). */
const paperSeeds = [13, 42, 2026];

/** One proposer's outcomes over all runs, each decision once. `first`: the seeds that the others are added to. */
type Extended = { readonly proposer: string; readonly first: readonly number[]; readonly all: readonly number[]; readonly outcomes: readonly EvaluatedOutcome[]; readonly runs: readonly Run[] };

/** Null where no proposer has more seeds than the main ones. */
export function seedsLayer(view: StudyView): Layer | null {
  const runs = runsOf(view);
  const extended = proposersIn(runs[0]).map((proposer) => extendedOf(proposer, runs)).filter(({ first, all }) => all.length > first.length);
  const rows = extended.flatMap(rowsOf);
  return rows.length === 0 ? null : {
    name: 'seeds', runs: extended.flatMap((one) => one.runs),
    tables: [{
      id: 'more-seeds', title: 'More decoding seeds', labels: 3, head: ['proposer', 'seeds', 'cases in common', 'decisions', 'AUROC', 'unsafe commits', 'safe success'], rows,
      caption: 'The main seeds against all of them, on the cases that every seed has: whether confidence tells more, and whether unchecked answers do other harm.',
      notes: ['Change: all seeds less the main ones; of AUROC as it is, of the rates in percentage points.'],
    }],
  };
}

function extendedOf(proposer: string, [main, ...beside]: readonly [Run, ...Run[]]): Extended {
  const own = new Map<string, EvaluatedOutcome>();
  const used: Run[] = [];
  for (const run of [main, ...beside]) {
    const [before, outcomes] = [new Set([...own.values()].map(({ seed }) => seed)), ownOf(run, proposer)];
    if (outcomes.some(({ seed }) => !before.has(seed))) used.push(run);
    for (const outcome of outcomes) if (!before.has(outcome.seed)) own.set(`${outcome.controller} ${placeOf(outcome)}`, outcome);
  }
  const all = [...new Set([...own.values()].map(({ seed }) => seed))];
  const first = paperSeeds.every((seed) => all.includes(seed)) ? paperSeeds : main.seeds;
  const byCase = new Map<string, Set<number>>();
  for (const { caseId, seed } of own.values()) byCase.set(caseId, (byCase.get(caseId) ?? new Set()).add(seed));
  return { proposer, first, all: [...first, ...all.filter((seed) => !first.includes(seed)).sort((one, other) => one - other)], outcomes: [...own.values()].filter(({ caseId }) => byCase.get(caseId)?.size === all.length), runs: used };
}

function rowsOf({ proposer, first, all, outcomes }: Extended): Cell[][] {
  const summaryOf = (seeds: readonly number[]): ProposerSummary | undefined => summarizeStudy(outcomes.filter(({ seed }) => seeds.includes(seed)), { resamples: 0 }).proposers[0];
  const [few, many] = [summaryOf(first), summaryOf(all)];
  if (few === undefined || many === undefined) return [];
  const cases = String(new Set(outcomes.map(({ caseId }) => caseId)).size);
  const row = (of: ProposerSummary, seeds: readonly number[], key: string): Cell[] => {
    const [audience, direct] = [audienceOf(of), of.profiles.canonical.controllers['always-execute']?.rates];
    const rates = direct === undefined ? ['not run', 'not run'] : [rateFigure(direct.unsafe, 'unsafe/always-execute', audience), rateFigure(direct.safeSuccess, 'safeSuccess/always-execute', audience)];
    return [proposer, seeds.join(', '), cases, countFigure(of.json.decisions, key, audience), numberFigure(of.calibration.auroc, 'auroc', audience), ...rates];
  };
  const [audience, rate] = [audienceOf(few), (of: ProposerSummary, name: 'unsafe' | 'safeSuccess'): Measure => of.profiles.canonical.controllers['always-execute']?.rates[name] ?? noValue('no_outcomes')];
  return [row(few, first, 'decisions'), row(many, all, 'seeds/decisions'), [
    proposer, 'change', cases, '', numberFigure(changeOf(few.calibration.auroc, many.calibration.auroc), 'seeds/auroc', audience),
    shareFigure(changeOf(rate(few, 'unsafe'), rate(many, 'unsafe')), 'seeds/unsafe', audience), shareFigure(changeOf(rate(few, 'safeSuccess'), rate(many, 'safeSuccess')), 'seeds/safeSuccess', audience),
  ]];
}

function changeOf(before: Measure, after: Measure): Measure {
  if (before.value === null) return before;
  return after.value === null ? after : measured(after.value - before.value);
}
