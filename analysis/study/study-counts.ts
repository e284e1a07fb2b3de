/** One proposer's counts in the form of `shared/reference/guard-precision.json`: what `evaluate --json` prints. */
import { Condition } from '../../contract/case.ts';
import type { ControllerName } from '../../contract/controller.ts';
import { RaceClass } from '../../contract/evaluated.ts';
import { partsOf, type Cell, type Cells } from './cells.ts';
import { countCell, meanCost } from './counts.ts';
import { cellsOf } from './fold-profile.ts';
import type { ProposerFold } from './fold-study.ts';
import { expectedLoss, lossTerms, type Prices } from './loss.ts';
import { toThreeDecimals } from './value.ts';

/** Decisions, and two figures at three decimals (null where there is no outcome). */
export type CountedController = {
  readonly unsafe: number; readonly safeSuccess: number; readonly wrongEffect: number;
  readonly blockedPreserving: number; readonly blockedIrrelevant: number; readonly blockedClean: number;
  readonly meanCost: number | null; readonly expectedLoss: number | null;
};

/** The transparent evidence router under one telemetry profile. */
export type CountedRouter = { readonly meanCost: number | null; readonly unsafe: number; readonly costByCondition: Readonly<Partial<Record<Condition, number | null>>> };

/** `controllers` are counted on canonical telemetry. A controller or a profile without outcomes is absent or null. */
export type StudyCounts = {
  readonly decisions: number;
  readonly raceClasses: Readonly<Record<RaceClass, number>>;
  readonly controllers: Readonly<Partial<Record<ControllerName, CountedController>>>;
  readonly routers: { readonly canonical: CountedRouter | null; readonly degraded: CountedRouter | null };
};

/** Counts one proposer. */
export function studyCounts({ strata, profiles }: ProposerFold, prices: Prices): StudyCounts {
  const planned = [...strata.values()];
  const decisions = (of: readonly { readonly planned: number }[]): number => of.reduce((sum, stratum) => sum + stratum.planned, 0);
  const cells = { canonical: cellsOf(profiles.canonical, strata), degraded: cellsOf(profiles.degraded, strata) };
  return {
    decisions: decisions(planned),
    raceClasses: Object.fromEntries(RaceClass.options.map((race) => [race, decisions(planned.filter(({ raceClass }) => raceClass === race))])) as Record<RaceClass, number>,
    controllers: Object.fromEntries([...cells.canonical].map(([name, cell]) => [name, countedController(cell, prices)])),
    routers: { canonical: countedRouter(cells.canonical), degraded: countedRouter(cells.degraded) },
  };
}

function countedController(cell: Cell, prices: Prices): CountedController {
  const counts = countCell(cell);
  const { unsafe, safeSuccess, wrongEffect, blocked } = counts;
  return {
    unsafe, safeSuccess, wrongEffect, blockedPreserving: blocked.preserving, blockedIrrelevant: blocked.irrelevant, blockedClean: blocked.clean,
    meanCost: toThreeDecimals(meanCost(counts)), expectedLoss: toThreeDecimals(expectedLoss(lossTerms(counts), prices)),
  };
}

function countedRouter(cells: Cells): CountedRouter | null {
  const cell = cells.get('evidence-router');
  if (cell === undefined) return null;
  const counts = countCell(cell);
  const parts = partsOf(cell, 'condition');
  const costs = Condition.options.flatMap((condition) => { const part = parts.get(condition); return part === undefined ? [] : [[condition, toThreeDecimals(meanCost(countCell(part)))] as const]; });
  return { meanCost: toThreeDecimals(meanCost(counts)), unsafe: counts.unsafe, costByCondition: Object.fromEntries(costs) };
}
