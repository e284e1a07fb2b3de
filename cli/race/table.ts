/** The race's figures for people: a column a guard. */
import { GuardKind } from '../../contract/guard.ts';
import { families } from './families.ts';
import type { GuardFigures, RaceResult } from './tally.ts';

/** A table with a row a figure, and the seed that gives the same plan again. */
export function describeRace(result: RaceResult): string {
  const line = (name: string, value: (figures: GuardFigures) => number | string): string =>
    `${name.padEnd(28)}${GuardKind.options.map((guard) => String(value(result.guards[guard])).padStart(12)).join('')}`;
  return [
    `${''.padEnd(28)}${GuardKind.options.map((guard) => guard.padStart(12)).join('')}`,
    line('commits asked for', (of) => of.attempted),
    line('committed', (of) => of.committed),
    line('replayed after a lost line', (of) => of.replayed),
    line('rejected', (of) => of.rejected),
    line('closed', (of) => of.closed),
    line('unsafe', (of) => of.unsafe),
    ...families.filter((family) => family !== 'unrelated').map((family) => line(`  by ${family}`, (of) => of.unsafeByFamily[family])),
    line('effects twice an op key', (of) => of.duplicates),
    line('effects twice in all', (of) => of.repeatedEffects),
    line('wrongly rejected', (of) => of.wronglyRejected),
    line('blocked though safe', (of) => of.blockedThoughSafe),
    line('overlapped', (of) => of.overlapped),
    line('lock waits seen', (of) => of.lockWaits),
    ...families.map((family) => line(`strikes in place: ${family}`, (of) => of.hazards[family])),
    line('cut, landed / lost', (of) => `${String(of.cutLanded)} / ${String(of.cutLost)}`),
    line('reruns after contention', (of) => of.contentionReruns),
    line('commits a second', (of) => of.perS),
    `Seed ${String(result.seed)}, ${String(result.connections)} connections, ${String(result.elapsedS)} s.`,
  ].join('\n');
}
