/** What became of decisions about which the proposer was asked again, by what went back to it. */
import { ReplanKind } from '../../../contract/replanned.ts';
import { replanningCounts, type ReplanCounts, type ReplanCountsByKind } from '../../study/replanning.ts';
import { macroAverage, measured, noValue, rateOf, ratioOf, type Measure, type Rate } from '../../study/value.ts';
import { countFigure, rateFigure, shareFigure, timeFigure, type Audience } from '../figure.ts';
import type { Cell, Table } from '../model.ts';
import { macroAudience, type StudyView } from '../study-view.ts';

/** What went back, in words. */
export const kindNames: Readonly<Record<ReplanKind, string>> = { fastEvidence: 'fast evidence', strongEvidence: 'strong evidence', guardBlock: 'block notice' };

const share = (numerator: number, denominator: number): Rate => rateOf({ numerator, denominator, excluded: 0, unjudged: 0 });

/** The matched decisions, on which the kinds of notice compare, then all of the layer's. */
export function replanningTables(view: StudyView): Table[] {
  const replans = view.replans ?? [];
  const each = [...new Set(replans.map(({ proposer }) => proposer))].sort().map((proposer) => {
    const counts = replanningCounts(replans.filter((replan) => replan.proposer === proposer));
    return { counts, audience: againAudience(view, proposer, counts.matched) };
  });
  const average = { ...macroAudience(view.summary), name: 'macro average' };
  const together = each.length < 2 ? [] : [...kindRows(replanningCounts(replans).matched, { audience: { ...average, name: 'all, pooled', difference: 'counted over other proposers' }, of: 'pooled' }), ...averageRows(each.map(({ counts }) => counts.matched), average)];
  return [
    {
      id: 'replanning', title: 'Asked again', labels: 2, head: heads, rows: [...each.flatMap(({ audience, counts }) => kindRows(counts.matched, { audience, of: 'matched' })), ...together],
      caption: 'Instead of being held to a check, the proposer was told what the check had found, and what it answered was committed unguarded. The decisions on which the version guard fires, under each kind of notice: on these the kinds compare.',
      notes: [
        'With the runtime in charge of the same evidence, unsafe commits are those of always-strong in the tables above. Safe success counts the state, whoever brought it about.',
        'The paper counts over three models together; that its shares among re-commits are pooled, not averaged, follows from the abstentions that it prints by model.', timeNote,
      ],
    },
    {
      id: 'replanning-all', title: 'Asked again: all decisions', labels: 2, head: heads, rows: each.flatMap(({ audience, counts }) => [...kindRows(counts.whole, { audience, of: 'whole' }), sumRow(counts.whole, audience)]),
      caption: 'Every decision of the replanning layer: two templates a domain under one seed. A block goes back only where the version guard fires.', notes: [timeNote],
    },
  ];
}

const heads = ['proposer', 'what went back', 'replans', 'acted again', 'abstained', 'failed', 'committed again', 'unsafe, of all', 'unsafe, of those committed', 'safe success', 'mean round trip'];
const timeNote = 'Mean round trip: from question to answer by the wall clock, of the questions that a model was asked.';

/** Whom a row speaks of: whether a proposer always acted the first time says nothing of what it does when asked again. */
function againAudience({ settings }: StudyView, proposer: string, matched: ReplanCountsByKind): Audience {
  const [{ replanned, population }, canned] = [matched.guardBlock, settings.proposers.some(({ name, digest }) => name === proposer && digest === null)];
  const design = population === 144 ? '' : `another design: ${String(population)} matched decisions, not 144; `;
  return { name: proposer, alwaysActing: false, isMacro: false, difference: `${design}${canned ? 'canned answers, which take no notice of what they are told' : `it acted on ${String(replanned)} of ${String(population)} after a block`}; not one of the paper's models` };
}

/** `of`: the population, which says what the paper's figures may be compared with. */
function kindRows(counts: ReplanCountsByKind, { audience, of }: { audience: Audience; of: 'matched' | 'pooled' | 'whole' }): Cell[][] {
  return ReplanKind.options.map((kind) => {
    const one = counts[kind];
    const key = (name: string): string => (of === 'whole' ? `replan/whole/${name}` : `replan/${name}/${kind}`);
    return [
      audience.name, kindNames[kind], countFigure(one.population, of === 'pooled' ? 'replan/matched-sum' : key('population'), audience), countFigure(one.replanned, 'replan/acted', audience),
      rateFigure(share(one.abstained, one.population), key('abstained'), audience), countFigure(one.failed, 'replan/failed', audience), countFigure(one.recommitted, 'replan/recommitted', audience),
      rateFigure(share(one.unsafe, one.population), key('unsafe'), audience), rateFigure(share(one.unsafe, one.recommitted), key('recommits'), audience), rateFigure(share(one.safeSuccess, one.population), 'replan/safe', audience),
      timeCell(timeOf(one), { audience, key: of === 'whole' ? 'replan/whole/round-trip' : 'replan/round-trip' }),
    ];
  });
}

const timeOf = ({ meanRoundTripMs }: ReplanCounts): Measure => (meanRoundTripMs === null ? noValue('no_model_asked') : measured(meanRoundTripMs));
const timeCell = (time: Measure, { audience, key }: { audience: Audience; key: string }): Cell => timeFigure(time, key, { ...audience, difference: 'other models on another machine' });

function sumRow(whole: ReplanCountsByKind, audience: Audience): Cell[] {
  const all = ReplanKind.options.reduce((sum, kind) => sum + whole[kind].population, 0);
  return [audience.name, 'all three', countFigure(all, 'replan/replans', audience), ...Array.from({ length: heads.length - 3 }, () => '')];
}

/** The unweighted mean over proposers. */
function averageRows(each: readonly ReplanCountsByKind[], audience: Audience): Cell[][] {
  return ReplanKind.options.map((kind) => {
    const mean = (numerator: keyof ReplanCounts, denominator: 'population' | 'recommitted') => macroAverage(each.map((counts) => ratioOf(Number(counts[kind][numerator]), counts[kind][denominator])));
    const [abstained, unsafe] = [mean('abstained', 'population'), mean('unsafe', 'population')];
    return [
      audience.name, kindNames[kind], '', '', shareFigure(abstained, `replan/abstained/${kind}`, audience), '', '',
      shareFigure(unsafe, `replan/unsafe/${kind}`, audience), shareFigure(mean('unsafe', 'recommitted'), 'replan/recommits-mean', audience), shareFigure(mean('safeSuccess', 'population'), 'replan/safe', audience),
      timeCell(macroAverage(each.map((counts) => timeOf(counts[kind]))), { audience, key: 'replan/round-trip' }),
    ];
  });
}
