/** The evidence routers under both telemetry profiles, with their cost by condition. */
import { Condition } from '../../../contract/case.ts';
import type { TelemetryProfile } from '../../study/cells.ts';
import { noValue, ratioOf } from '../../study/value.ts';
import { numberFigure, rateFigure } from '../figure.ts';
import type { Cell, Table } from '../model.ts';
import { audienceOf, type StudyView } from '../study-view.ts';

export function routerTable(view: StudyView): Table {
  const rows = view.summary.proposers.flatMap(({ proposer }) => (['canonical', 'degraded'] as const).flatMap((profile) => rowsOf(view, proposer, profile)));
  return {
    id: 'routers', title: 'Evidence routers', labels: 3, head: ['proposer', 'telemetry', 'router', 'unsafe commits', 'safe success', 'mean cost', ...Condition.options.map((condition) => `cost: ${condition}`)],
    caption: 'Routers that choose a check by the age and status that come with a read, under both telemetry profiles.', rows,
    notes: ['The degraded profile hides the concurrent mutation behind a fresh, normal read: no policy over telemetry can see it. Cost by condition in units, mean over the condition\'s decisions.'],
  };
}

function rowsOf({ summary, outcomes }: StudyView, proposer: string, profile: TelemetryProfile): Cell[][] {
  const of = summary.proposers.find((one) => one.proposer === proposer);
  if (of === undefined) return [];
  const audience = audienceOf(of);
  return (['evidence-router', 'support-router'] as const).flatMap((name) => {
    const found = of.profiles[profile].controllers[name];
    const own = outcomes.filter((outcome) => outcome.proposer === proposer && outcome.telemetry === profile && outcome.controller === name);
    if (found === undefined || own.length === 0) return [];
    const costs = Condition.options.map((condition) => {
      const spent = own.filter((outcome) => outcome.condition === condition).map(({ cost }) => cost);
      return numberFigure(spent.length === 0 ? noValue('no_outcomes') : ratioOf(spent.reduce((sum, cost) => sum + cost, 0), spent.length), `cost/${name}/${profile}/${condition}`, audience);
    });
    return [[proposer, profile, name, rateFigure(found.rates.unsafe, `unsafe/${name}/${profile}`, audience), rateFigure(found.rates.safeSuccess, `safeSuccess/${name}/${profile}`, audience), numberFigure(found.meanCost, `cost/${name}/${profile}`, audience), ...costs]];
  });
}
