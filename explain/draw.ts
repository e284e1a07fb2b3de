/** The timeline as a drawing: a lane each for the agent, for people, for the rest of the world and for the commit; time runs downwards, in order, not to scale. */
import { escaped } from './escape.ts';
import type { TimelineEntry } from './timeline.ts';

const lanes = ['agent', 'people', 'world', 'commit'] as const;
const [rowHeight, top, laneWidth, firstLane] = [30, 46, 70, 150];
const laneX = (lane: number): number => firstLane + lane * laneWidth;
const textX = laneX(lanes.length) - 20;

/** An SVG without script or outside reference. `leaked`: the commit is drawn as the wrong one. Empty where nothing is known. */
export function drawTimeline(timeline: readonly TimelineEntry[], leaked: boolean): string {
  if (timeline.length === 0) return '';
  const height = top + timeline.length * rowHeight + 10;
  const y = (at: number): number => top + at * rowHeight + rowHeight / 2;
  const path = timeline.map((entry, at) => `${String(laneX(laneOf(entry)))},${String(y(at))}`).join(' ');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1100 ${String(height)}" role="img" aria-label="${escaped(`Timeline of ${String(timeline.length)} events`)}">`,
    shade(timeline, y),
    ...lanes.map((lane, at) => `<text x="${String(laneX(at))}" y="26" text-anchor="middle" class="lane">${lane}</text><line x1="${String(laneX(at))}" y1="${String(top - 10)}" x2="${String(laneX(at))}" y2="${String(height)}" class="rail"/>`),
    `<polyline points="${path}" class="path"/>`,
    ...timeline.map((entry, at) => dot(entry, { y: y(at), bad: entry.unseen || (leaked && entry.event === 'committed') })),
    '</svg>',
  ].join('\n');
}

function laneOf({ event, who }: TimelineEntry): number {
  if (event === 'world changed') return 2;
  if (event === 'opened' || event === 'proposed') return 0;
  return ['execution started', 'locked', 'committed', 'refused', 'effect', 'closed', 'ended'].includes(event) || who === 'engine' ? 3 : 1;
}

/** The time between the first proposal and the last lock, in which the world could move on unseen. */
function shade(timeline: readonly TimelineEntry[], y: (at: number) => number): string {
  const [from, to] = [timeline.findIndex((entry) => entry.event === 'proposed'), timeline.findLastIndex((entry) => entry.event === 'locked')];
  return from < 0 || to < from ? '' : `<rect x="0" y="${String(y(from))}" width="1100" height="${String(y(to) - y(from))}" class="held"/>`;
}

function dot(entry: TimelineEntry, { y, bad }: { y: number; bad: boolean }): string {
  const text = `${entry.event}${entry.who === '' ? '' : ` · ${entry.who}`}: ${entry.text}`;
  return `<g${bad ? ' class="bad"' : ''}><title>${escaped(`${entry.at} ${text}`)}</title><text x="8" y="${String(y + 4)}" class="time">${escaped(entry.at.slice(11, 23))}</text>` +
    `<circle cx="${String(laneX(laneOf(entry)))}" cy="${String(y)}" r="6"/><text x="${String(textX)}" y="${String(y + 4)}">${escaped(text, 100)}</text></g>`;
}
