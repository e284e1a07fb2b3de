/** The history of one episode, from top to bottom. */
import { el, put } from './dom.js';
import { absolute } from './time.js';

/** Builds the page once; `draw` shows what is new. */
export function createTimeline(main) {
  const title = el('h2', { id: 'detail-title', tabindex: '-1' });
  const body = el('div');
  put(main, el('article', { 'aria-labelledby': 'detail-title' }, el('p', { class: 'back' }, el('a', { href: '#', id: 'back' }, 'Back to the list')), title, body));
  let drawn = '';
  return {
    title,
    draw(history) {
      const now = JSON.stringify(history);
      if (now === drawn) return;
      drawn = now;
      const { episodeId, entries, outcome, latest, link } = history;
      put(title, `History of ${episodeId}`);
      put(body,
        el('p', {}, outcome === null ? 'It has not ended.' : `It ended: ${outcome.class}${outcome.reason === null ? '' : ` (${outcome.reason})`} after ${outcome.steps} step${outcome.steps === 1 ? '' : 's'}.`),
        el('p', {}, latest === null ? null : el('a', { href: `#request=${encodeURIComponent(latest)}` }, 'its latest proposal'), link === null ? null : [', ', el('a', { href: link, target: '_blank', rel: 'noreferrer noopener' }, 'in the Temporal UI')]),
        el('ol', { class: 'timeline' }, entries.map(({ at, step, event, who, text, unseen, tone }) =>
          el('li', { class: tone }, el('time', { datetime: at }, absolute(at)),
            el('p', {}, el('strong', {}, event), [step === null ? '' : `, step ${step}`, who === '' ? '' : `, ${who}`, unseen ? ', which the read did not have' : ''].join('')),
            text === '' ? null : el('p', { class: 'hint' }, text)))));
    },
  };
}
