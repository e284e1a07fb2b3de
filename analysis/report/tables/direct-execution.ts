/** What each proposer's answers do when they are executed as they are. */
import { rateFigure, shareFigure } from '../figure.ts';
import type { Table } from '../model.ts';
import { rateOf } from '../../study/value.ts';
import { audienceOf, hasMacro, macroAudience, type StudyView } from '../study-view.ts';

const named = ['unsafe', 'safeSuccess', 'wrongEffect'] as const;

export function directExecutionTable({ summary }: StudyView): Table {
  const rows = summary.proposers.map((of) => {
    const [audience, planned] = [audienceOf(of), { denominator: of.json.decisions, excluded: 0, unjudged: 0 }];
    const direct = of.profiles.canonical.controllers['always-execute'];
    const shares = [rateFigure(rateOf({ numerator: of.answers.act + of.answers.abstain, ...planned }), 'valid', audience), rateFigure(rateOf({ numerator: of.answers.abstain, ...planned }), 'abstained', audience)];
    return [of.proposer, ...shares, ...named.map((name) => (direct === undefined ? 'not run' : rateFigure(direct.rates[name], `${name}/always-execute`, audience)))];
  });
  const average = summary.macro.profiles.canonical.controllers['always-execute'];
  const macro = hasMacro(summary) && average !== undefined ? [['macro average', '', '', ...named.map((name) => shareFigure(average.rates[name], `${name}/always-execute`, macroAudience(summary)))]] : [];
  return {
    id: 'direct-execution', title: 'Direct execution', labels: 1, head: ['proposer', 'valid answers', 'abstained', 'unsafe commits', 'safe success', 'wrong effect'],
    caption: 'Each proposer without any check: every planned decision is in the denominator.', rows: [...rows, ...macro],
    notes: ['Unsafe: the action\'s full precondition did not hold just before the commit, or it was done twice. Safe success: not unsafe, and the data ended exactly as asked, by whoever\'s hand.'],
  };
}
