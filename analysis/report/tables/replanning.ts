/** What became of decisions about which the proposer was asked again, by what went back to it. */
import { ReplanKind } from '../../../contract/replanned.ts';
import { replanningCounts, type ReplanCounts, type ReplanCountsByKind } from '../../study/replanning.ts';
import { macroAverage, measured, noValue, rateOf, ratioOf, type Rate } from '../../study/value.ts';
import { countFigure, rateFigure, shareFigure, timeFigure, type Audience } from '../figure.ts';
import type { Cell, Table } from '../model.ts';
import { macroAudience, type StudyView } from '../study-view.ts';

/** What went back, in words. */
export const kindNames: Readonly<Record<ReplanKind, string>> = { fastEvidence: 'fast evidence', strongEvidence: 'strong evidence', guardBlock: 'block notice' };

const [matchedName, wholeName] = ['matched', 'all'];
const share = (numerator: number, denominator: number): Rate => rateOf({ numerator, denominator, excluded: 0, unjudged: 0 });

export function replanningTable(view: StudyView): Table {
  const replans = view.replans ?? [];
  const each = [...new Set(replans.map(({ proposer }) => proposer))].sort().map((proposer) => ({ proposer, counts: replanningCounts(replans.filter((replan) => replan.proposer === proposer)) }));
  const own = each.flatMap(({ proposer, counts: { matched, whole } }) => {
    const audience = againAudience(view, proposer, matched);
    return [...kindRows(matched, { audience, of: matchedName }), ...kindRows(whole, { audience, of: wholeName }), sumRow(whole, audience)];
  });
  const average = { ...macroAudience(view.summary), name: 'macro average' };
  const together = each.length < 2 ? [] : [...averageRows(each.map(({ counts }) => counts.matched), average), ...kindRows(replanningCounts(replans).matched, { audience: { ...average, name: 'all proposers, pooled' }, of: matchedName })];
  return {
    id: 'replanning', title: 'Asked again', labels: 3, rows: [...own, ...together],
    head: ['proposer', 'decisions', 'what went back', 'replans', 'acted again', 'abstained', 'failed', 'committed again', 'unsafe, of all', 'unsafe, of those committed', 'safe success', 'mean round trip'],
    caption: 'Instead of being held to a check, the proposer was told what the check had found, and what it answered was committed unguarded.',
    notes: [
      'Matched: the decisions on which the version guard fires, under each kind; on these the kinds compare. All: every decision of the layer, under fast and strong evidence.',
      'With the runtime in charge of the same evidence, unsafe commits would be none: always-strong in the tables above. Safe success counts the state, whoever brought it about.',
      'The paper prints its shares over three models together; that its shares among re-commits are pooled, not averaged, follows from the abstentions that it prints by model.',
      'Mean round trip: from question to answer by the wall clock, of the questions that a model was asked.',
    ],
  };
}

/** Whom a row speaks of: whether a proposer always acted the first time says nothing of what it does when asked again. */
function againAudience({ settings }: StudyView, proposer: string, matched: ReplanCountsByKind): Audience {
  const [{ replanned, population }, canned] = [matched.guardBlock, settings.proposers.some(({ name, digest }) => name === proposer && digest === null)];
  const design = population === 144 ? '' : `another design: ${String(population)} matched decisions, not 144; `;
  return { name: proposer, alwaysActing: false, isMacro: false, difference: `${design}${canned ? 'canned answers, which take no notice of what they are told' : `it acted on ${String(replanned)} of ${String(population)} after a block`}; not one of the paper's models` };
}

function kindRows(counts: ReplanCountsByKind, { audience, of }: { audience: Audience; of: string }): Cell[][] {
  return ReplanKind.options.map((kind) => {
    const one = counts[kind];
    const key = (name: string): string => (of === matchedName ? `replan/${name}/${kind}` : `replan/whole/${name}`);
    return [
      audience.name, of, kindNames[kind], countFigure(one.population, audience.isMacro ? 'replan/matched-sum' : key('population'), audience), countFigure(one.replanned, 'replan/acted', audience),
      rateFigure(share(one.abstained, one.population), key('abstained'), audience), countFigure(one.failed, 'replan/failed', audience), countFigure(one.recommitted, 'replan/recommitted', audience),
      rateFigure(share(one.unsafe, one.population), key('unsafe'), audience), rateFigure(share(one.unsafe, one.recommitted), key('recommits'), audience), rateFigure(share(one.safeSuccess, one.population), 'replan/safe', audience), timeCell(one, audience),
    ];
  });
}

function timeCell({ meanRoundTripMs }: ReplanCounts, audience: Audience): Cell {
  return timeFigure(meanRoundTripMs === null ? noValue('no_model_asked') : measured(meanRoundTripMs), 'replan/round-trip', { ...audience, difference: 'other models on another machine' });
}

function sumRow(whole: ReplanCountsByKind, audience: Audience): Cell[] {
  const all = ReplanKind.options.reduce((sum, kind) => sum + whole[kind].population, 0);
  return [audience.name, wholeName, 'all three', countFigure(all, 'replan/replans', audience), ...Array.from({ length: 8 }, () => '')];
}

/** The unweighted mean over proposers. */
function averageRows(each: readonly ReplanCountsByKind[], audience: Audience): Cell[][] {
  return ReplanKind.options.map((kind) => {
    const mean = (numerator: keyof ReplanCounts, denominator: 'population' | 'recommitted') => macroAverage(each.map((counts) => ratioOf(Number(counts[kind][numerator]), counts[kind][denominator])));
    const [abstained, unsafe] = [mean('abstained', 'population'), mean('unsafe', 'population')];
    return [
      audience.name, matchedName, kindNames[kind], '', '', shareFigure(abstained, `replan/abstained/${kind}`, audience), '', '',
      shareFigure(unsafe, `replan/unsafe/${kind}`, audience), shareFigure(mean('unsafe', 'recommitted'), 'replan/recommits-mean', audience), shareFigure(mean('safeSuccess', 'population'), 'replan/safe', audience),
      timeFigure(macroAverage(each.map((counts) => (counts[kind].meanRoundTripMs === null ? noValue('no_model_asked') : measured(counts[kind].meanRoundTripMs)))), 'replan/round-trip', { ...audience, difference: 'other models on another machine' }),
    ];
  });
}
