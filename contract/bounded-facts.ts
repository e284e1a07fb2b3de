/** Facts cut to what a workflow's history may carry: it is kept for every judged episode, and read whole by everybody who replays it. */
import type { EpisodeFacts, WorldChange } from './episode-facts.ts';

/** Most changes in bounded facts. The world of an episode sees a handful; more is somebody who shares it. */
const mostChanges = 200;
/** Characters of changes together, as JSON: far below the 2 MB that Temporal takes as one result, whatever they are encoded as. */
const mostChangesLength = 100_000;
/** Characters of a text, and entries of a list or an object. */
const mostText = 200;
const mostEntries = 50;

type Row = Readonly<Record<string, unknown>>;

/** Changes with the changed columns alone, the first ones and the number of the others, texts cut. Bounded facts come out as they went in. */
export function boundedFacts(facts: EpisodeFacts): EpisodeFacts {
  const changes: WorldChange[] = [];
  let length = 0;
  for (const change of facts.changes.slice(0, mostChanges)) {
    const { before, after } = changedColumns(change);
    const bounded = { ...change, actor: cutText(change.actor), reason: cutText(change.reason), before, after };
    length += JSON.stringify(bounded).length;
    if (length > mostChangesLength) break;
    changes.push(bounded);
  }
  const { changesLeftOut = 0, ...all } = facts;
  const leftOut = changesLeftOut + facts.changes.length - changes.length;
  return { ...all, proposed: cut(facts.proposed) as EpisodeFacts['proposed'], changes, ...(leftOut > 0 && { changesLeftOut: leftOut }) };
}

/** A row that came or went is whole: all of it changed. */
function changedColumns({ before, after }: WorldChange): Pick<WorldChange, 'before' | 'after'> {
  const columns = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const changed = before === null || after === null ? columns : columns.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const only = (row: Row | null): Record<string, unknown> | null => (row === null ? null : Object.fromEntries(changed.filter((name) => name in row).map((name) => [name, cut(row[name])])));
  return { before: only(before), after: only(after) };
}

function cut(value: unknown): unknown {
  if (typeof value === 'string') return cutText(value);
  if (Array.isArray(value)) return value.slice(0, mostEntries).map(cut);
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value).slice(0, mostEntries).map(([name, one]) => [name, cut(one)])) : value;
}

/** Never through the middle of a character: half of one is none in UTF-8, and would come back as another. */
function cutText(text: string): string {
  if (text.length <= mostText) return text;
  const end = /[\uD800-\uDBFF]/.test(text[mostText - 2] ?? '') ? mostText - 2 : mostText - 1;
  return `${text.slice(0, end)}…`;
}
