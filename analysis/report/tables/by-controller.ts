/** Rows of a table that sets controllers under one another: each proposer by itself, the macro average last. */
import type { ControllerName } from '../../../contract/controller.ts';
import type { TelemetryProfile } from '../../study/cells.ts';
import type { RateName } from '../../study/counts.ts';
import type { ProposerSummary } from '../../study/summarize-study.ts';
import { numberFigure, rateFigure, shareFigure } from '../figure.ts';
import type { Cell } from '../model.ts';
import { audienceOf, hasMacro, macroAudience, type StudyView } from '../study-view.ts';

/** A column: a rate, the mean cost, the expected loss, or the distance to the oracle. */
export type Measured = RateName | 'cost' | 'loss' | 'regret';

/** Column heads. */
export const measuredHeads: Readonly<Record<Measured, string>> = {
  unsafe: 'unsafe commits', safeSuccess: 'safe success', wrongEffect: 'wrong effect', blockedPreserving: 'benign blocked: preserving', blockedIrrelevant: 'benign blocked: irrelevant', blockedClean: 'benign blocked: clean',
  escalation: 'escalated', automation: 'automated', cost: 'mean cost', loss: 'expected loss', regret: 'regret',
};

/** What to show of whom. `keySuffix` ends the keys of printed figures (`/degraded`). */
export type Rows = { readonly controllers: readonly ControllerName[]; readonly measured: readonly Measured[]; readonly profile?: TelemetryProfile; readonly keySuffix?: string };

/** Controllers that were not run have no row. */
export function rowsByController({ summary }: StudyView, rows: Rows): Cell[][] {
  const { controllers, measured, profile = 'canonical', keySuffix = '' } = rows;
  return [...ownRows(summary.proposers, rows), ...(hasMacro(summary) ? macroRows({ summary }, { controllers, measured, profile, keySuffix }) : [])];
}

/** The rows of proposers alone, without an average. */
export function ownRows(proposers: readonly ProposerSummary[], { controllers, measured, profile = 'canonical', keySuffix = '' }: Rows): Cell[][] {
  return proposers.flatMap((of) => controllers.flatMap((name) => {
    const found = of.profiles[profile].controllers[name];
    if (found === undefined) return [];
    const audience = audienceOf(of);
    const key = (measure: Measured): string => `${measure}/${name}${keySuffix}`;
    return [[of.proposer, name, ...measured.map((measure): Cell => {
      if (measure === 'cost') return numberFigure(found.meanCost, key(measure), audience);
      if (measure === 'loss') return numberFigure(found.expectedLoss, key(measure), audience);
      return measure === 'regret' ? numberFigure(found.regret, key(measure), audience) : rateFigure(found.rates[measure], key(measure), audience);
    })]];
  }));
}

function macroRows({ summary }: Pick<StudyView, 'summary'>, { controllers, measured, profile, keySuffix }: Required<Rows>): Cell[][] {
  const audience = macroAudience(summary);
  return controllers.flatMap((name) => {
    const found = summary.macro.profiles[profile].controllers[name];
    if (found === undefined) return [];
    const key = (measure: Measured): string => `${measure}/${name}${keySuffix}`;
    return [[audience.name, name, ...measured.map((measure): Cell => {
      if (measure === 'cost') return numberFigure(found.meanCost, key(measure), audience);
      if (measure === 'loss') return numberFigure(found.expectedLoss, key(measure), audience);
      return measure === 'regret' ? numberFigure(found.regret, key(measure), audience) : shareFigure(found.rates[measure], key(measure), audience);
    })]];
  });
}
