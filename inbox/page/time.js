/** Times for people: how long until or since, and the whole date beside it. */
import { el, write } from './dom.js';

const words = new Intl.RelativeTimeFormat('en', { numeric: 'always' });
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** `in 12 minutes`, `3 hours ago`. */
export function relative(at, nowMs = Date.now()) {
  const seconds = Math.round((Date.parse(at) - nowMs) / 1000);
  for (const [unit, length] of [['day', 86_400], ['hour', 3_600], ['minute', 60]]) if (Math.abs(seconds) >= length * 1.5) return words.format(Math.trunc(seconds / length), unit);
  return words.format(seconds, 'second');
}

/** A date and time of this place. */
export const absolute = (at) => whole.format(new Date(at));

/** An element that stays true as time goes on. */
export const moment = (at) => el('time', { datetime: at, 'data-at': at, title: absolute(at) }, relative(at));

/** Writes all moments of the page anew. */
export function tick() {
  for (const element of document.querySelectorAll('time[data-at]')) write(element, relative(element.dataset.at));
}
