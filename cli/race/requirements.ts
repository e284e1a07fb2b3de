/** What a race must show; whatever it does not show is said in one sentence each. */
import type { GuardKind } from '../../contract/guard.ts';
import { clauseOfFamily, families } from './families.ts';
import type { GuardFigures } from './tally.ts';

/** Hazards a family that a race of 5,000 commits must have; fewer commits need fewer, in proportion. */
const hazardsAt5000 = 100;

/** A race of fewer commits has too few cuts for both kinds to be asked of it: a settling that comes early can keep a commit from landing. */
const fewestForBothCuts = 500;

/** The sentences; empty where the race shows all it must. @param commits asked for, a guard */
export function shortcomings(guards: Readonly<Record<GuardKind, GuardFigures>>, commits: number): string[] {
  const said = (Object.entries(guards) as [GuardKind, GuardFigures][]).flatMap(([guard, figures]) => [
    ...aboutSafety(guard, figures),
    ...aboutContest(guard, figures, commits),
  ]);
  const tame = families.filter((family) => clauseOfFamily[family] !== null && guards.none.unsafeByFamily[family] === 0);
  if (tame.length > 0) said.push(`Without a guard nothing unsafe was committed in ${tame.join(', ')}: this was no race.`);
  return said;
}

function aboutSafety(guard: GuardKind, figures: GuardFigures): string[] {
  const said: string[] = [];
  if (guard !== 'none' && figures.unsafe > 0) said.push(`The guard ${guard} let ${String(figures.unsafe)} unsafe commits through.`);
  if (figures.duplicates > 0) said.push(`With the guard ${guard}, one op key had more than one effect ${String(figures.duplicates)} times.`);
  if (figures.wronglyRejected > 0) said.push(`The guard ${guard} rejected ${String(figures.wronglyRejected)} commits that the history does not bear out.`);
  if (figures.brokenWorlds > 0) said.push(`With the guard ${guard}, the checker found ${String(figures.brokenWorlds)} worlds whose books do not balance.`);
  if (figures.unknownWorlds > 0) said.push(`With the guard ${guard}, ${String(figures.unknownWorlds)} worlds could not be judged.`);
  if (figures.unknownResolved !== figures.cutLanded + figures.cutLost) said.push(`With the guard ${guard}, not every cut commit was unknown and then settled.`);
  return said;
}

function aboutContest(guard: GuardKind, figures: GuardFigures, commits: number): string[] {
  const said: string[] = [];
  const fewest = Math.max(1, Math.floor((hazardsAt5000 * commits) / 5000));
  const calm = families.filter((family) => figures.hazards[family] < fewest);
  if (calm.length > 0) said.push(`With the guard ${guard}, fewer than ${String(fewest)} commits met a strike of ${calm.join(', ')}.`);
  if (figures.overlapped * 2 < figures.attempted) said.push(`With the guard ${guard}, fewer than half of the commits overlapped another transaction on their world.`);
  if (figures.lockWaits === 0) said.push(`With the guard ${guard}, nobody was seen waiting for a lock.`);
  if (commits >= fewestForBothCuts && (figures.cutLanded === 0 || figures.cutLost === 0)) said.push(`With the guard ${guard}, the cuts did not both land and get lost.`);
  return said;
}
