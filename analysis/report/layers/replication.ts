/** A replication: one more model on the same cases and seeds, to see whether what guards do depends on who proposes. */
import type { ControllerName } from '../../../contract/controller.ts';
import { isCautious } from '../../../contract/proposer-name.ts';
import type { RateName } from '../../study/counts.ts';
import { summarizeStudy, type ProposerSummary } from '../../study/summarize-study.ts';
import { rateOf } from '../../study/value.ts';
import { numberFigure, rateFigure } from '../figure.ts';
import { incompletePredicates } from '../incomplete.ts';
import type { Cell, Table } from '../model.ts';
import { audienceOf, type StudyView } from '../study-view.ts';
import { measuredHeads, ownRows, type Measured } from '../tables/by-controller.ts';
import { inCommon, ownOf, proposersIn, runsOf, type Layer } from './layer.ts';

const guards: readonly ControllerName[] = ['epoch-guard', 'version-guard', 'predicate-guard', ...incompletePredicates];
const rates: readonly RateName[] = ['unsafe', 'safeSuccess', 'blockedPreserving', 'blockedIrrelevant', 'blockedClean'];

/** Null where no run beside has a model of its own. */
export function replicationLayer(view: StudyView): Layer | null {
  const [main, ...beside] = runsOf(view);
  const mains = proposersIn(main).filter((name) => !isCautious(name));
  const found = beside.flatMap((run) => proposersIn(run).filter((name) => !isCautious(name) && !mains.includes(name)).map((proposer) => ({ run, proposer })))
    .filter(({ proposer }, n, all) => all.findIndex((one) => one.proposer === proposer) === n);
  const common = inCommon([...mains.map((name) => ownOf(main, name)), ...found.map(({ run, proposer }) => ownOf(run, proposer))]);
  if (found.length === 0 || common.decisions === 0) return null;
  const summary = summarizeStudy(common.lists.flat(), { resamples: 0 });
  const [first, added] = [summary.proposers.filter(({ proposer }) => mains.includes(proposer)), summary.proposers.filter(({ proposer }) => !mains.includes(proposer))];
  const measured: readonly Measured[] = [...rates, 'loss'];
  return {
    name: 'replication', runs: found.map(({ run }) => run),
    tables: [modelTable(first, added), {
      id: 'replication-guards', title: 'Replication: the guards', labels: 2, head: ['proposer', 'controller', ...measured.map((name) => measuredHeads[name])], notes: [],
      caption: 'What each guard and each incomplete predicate does to the proposals of every model, on the decisions that all have in common.', rows: ownRows([...first, ...added], { controllers: guards, measured }),
    }],
  };
}

function modelTable(first: readonly ProposerSummary[], added: readonly ProposerSummary[]): Table {
  const row = (of: ProposerSummary, isAdded: boolean): Cell[] => {
    const audience = { ...audienceOf(of), isMacro: false };
    const [key, planned, direct] = [isAdded ? 'replication/' : '', { denominator: of.json.decisions, excluded: 0, unjudged: 0 }, of.profiles.canonical.controllers['always-execute']?.rates];
    const like = isAdded ? mostAlike(of, first) : null;
    return [
      of.proposer, isAdded ? 'added' : 'this run', String(of.json.decisions), rateFigure(rateOf({ numerator: of.answers.abstain, ...planned }), `${key}abstained`, audience),
      direct === undefined ? 'not run' : rateFigure(direct.unsafe, isAdded ? 'replication/unsafe' : 'unsafe/always-execute', audience), numberFigure(of.calibration.auroc, `${key}auroc`, audience), numberFigure(of.calibration.ece, `${key}ece`, audience),
      like?.other ?? '', like === null ? '' : rateFigure(rateOf({ numerator: like.equal, denominator: like.all, excluded: 0, unjudged: 0 }), 'replication/equal', audience),
    ];
  };
  return {
    id: 'replication', title: 'Replication', labels: 2, head: ['proposer', 'from', 'decisions in common', 'abstained', 'unsafe commits', 'AUROC', 'ECE', 'most alike', 'guard figures equal to it'],
    caption: 'One more model on the same cases and seeds, without any check, and how many of its figures under guards equal those of the model that is most like it.',
    rows: [...first.map((of) => row(of, false)), ...added.map((of) => row(of, true))], notes: ['Guard figures: unsafe commits, safe success and what is blocked in vain, for each guard and each incomplete predicate, as counts.'],
  };
}

/** Of several the first that shares the most counts. */
function mostAlike(of: ProposerSummary, others: readonly ProposerSummary[]): { readonly other: string; readonly equal: number; readonly all: number } | null {
  const counts = (one: ProposerSummary): (number | undefined)[] => guards.flatMap((name) => rates.map((rate) => one.profiles.canonical.controllers[name]?.rates[rate].numerator));
  const own = counts(of);
  const compared = others.map((other) => { const theirs = counts(other); const both = own.flatMap((count, n) => (count === undefined || theirs[n] === undefined ? [] : [count === theirs[n]])); return { other: other.proposer, equal: both.filter(Boolean).length, all: both.length }; });
  return compared.reduce<(typeof compared)[number] | null>((best, one) => (best === null || one.equal > best.equal ? one : best), null);
}
