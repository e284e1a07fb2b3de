/** A layer of the study beside the main design, and how runs are set beside one another. */
import type { EvaluatedOutcome } from '../../../contract/evaluated.ts';
import type { Table } from '../model.ts';
import type { Run, StudyView } from '../study-view.ts';

/** `outside-support` stands for the degraded profile, without which the printed share has none beside it. */
export type LayerName = 'replanning' | 'caution' | 'repeated' | 'seeds' | 'replication' | 'outside-support';

/** A layer that some run holds. `runs`: those that it rests on. */
export type Layer = { readonly name: LayerName; readonly tables: readonly Table[]; readonly runs: readonly Run[] };

/** The reported run, then those beside it. */
export function runsOf({ settings: { folder, seeds }, outcomes, beside }: StudyView): readonly [Run, ...Run[]] {
  return [{ folder, seeds, outcomes }, ...beside];
}

/** A run's proposers, by name. */
export const proposersIn = ({ outcomes }: Run): string[] => [...new Set(outcomes.map(({ proposer }) => proposer))].sort();

/** One proposer's outcomes in a run, on canonical telemetry: layers are compared on nothing else. */
export const ownOf = ({ outcomes }: Run, proposer: string): EvaluatedOutcome[] => outcomes.filter((outcome) => outcome.proposer === proposer && outcome.telemetry === 'canonical');

/** What decisions of different proposers have in common: the case and the seed. */
export const placeOf = ({ seed, caseId }: Pick<EvaluatedOutcome, 'seed' | 'caseId'>): string => JSON.stringify([seed, caseId]);

/** Each list without the outcomes of decisions that another lacks. `decisions`: how many are left. */
export function inCommon(lists: readonly (readonly EvaluatedOutcome[])[]): { readonly lists: readonly (readonly EvaluatedOutcome[])[]; readonly decisions: number } {
  const places = lists.map((list) => new Set(list.map(placeOf)));
  const common = new Set([...(places[0] ?? [])].filter((place) => places.every((own) => own.has(place))));
  return { lists: lists.map((list) => list.filter((outcome) => common.has(placeOf(outcome)))), decisions: common.size };
}
