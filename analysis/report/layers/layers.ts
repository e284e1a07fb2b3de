/** Recognises the study's layers by what the runs hold, and says of each that was not run how it is had. */
import type { Run, StudyView } from '../study-view.ts';
import { replanningTables } from '../tables/replanning.ts';
import { cautionLayer } from './caution.ts';
import type { Layer, LayerName } from './layer.ts';
import { repeatedLayer } from './repeated.ts';
import { replicationLayer } from './replication.ts';
import { seedsLayer } from './seeds.ts';

/** Those that are there, in the order of the page. */
export function layersOf(view: StudyView): Layer[] {
  const replanning: Layer | null = view.replans === null ? null : { name: 'replanning', tables: replanningTables(view), runs: [] };
  const degraded: Layer | null = view.support.some(({ telemetry }) => telemetry === 'degraded') ? { name: 'outside-support', tables: [], runs: [] } : null;
  return [replanning, repeatedLayer(view), cautionLayer(view), seedsLayer(view), replicationLayer(view), degraded].filter((layer) => layer !== null);
}

const missing: readonly { readonly name: LayerName; readonly sentence: string }[] = [
  { name: 'replanning', sentence: 'Asking the proposer again (replanning) was not run in this folder: `holdpoint evaluate --replan` adds it.' },
  { name: 'repeated', sentence: 'Repeated decoding was not run: evaluate what `holdpoint freeze --repeat` made, and give that folder with `--beside`.' },
  { name: 'caution', sentence: 'The cautionary prompt was not run: evaluate what `holdpoint freeze --caution` made, and give that folder with `--beside`.' },
  { name: 'seeds', sentence: 'More decoding seeds were not run: evaluate the same proposers under others, such as 7 and 101, and give that folder with `--beside`.' },
  { name: 'replication', sentence: 'A replication with one more model was not run: evaluate that model\'s proposals, and give that folder with `--beside`.' },
  { name: 'outside-support', sentence: 'Degraded telemetry was not run: `holdpoint evaluate --telemetry both` has both profiles.' },
];

/** One sentence for each layer that is not there. */
export function notRun(layers: readonly Layer[]): string[] {
  return missing.filter(({ name }) => layers.every((layer) => layer.name !== name)).map(({ sentence }) => sentence);
}

/** Runs beside the reported one that no layer rests on. */
export function unusedIn({ beside }: StudyView, layers: readonly Layer[]): Run[] {
  return beside.filter((run) => layers.every(({ runs }) => !runs.includes(run)));
}
