/** The page: who is signed in, what is shown, and a look at the server every two seconds. */
import * as api from './api.js';
import { createDetail } from './detail.js';
import { ask, follow, show } from './dialogs.js';
import { el, write } from './dom.js';
import { listen, shortcutTable } from './keys.js';
import { createList, windowRows } from './list.js';
import { showSignIn } from './signin.js';
import { tick } from './time.js';
import { createTimeline } from './timeline.js';

const pollEveryMs = 2_000;
const at = (id) => document.getElementById(id);
const main = at('main');
const params = { order: 'soonest', text: '', mine: false, limit: windowRows };
let [me, page, timer, detail, looking] = [null, null, undefined, undefined, 0];
const list = createList(at('list'), params, () => look());

/** `#request=…`, `#episode=…`, or the list alone. */
function place() {
  const query = new URLSearchParams(location.hash.slice(1));
  for (const kind of ['request', 'episode']) if (query.has(kind)) return { kind, id: query.get(kind) };
  return { kind: 'none', id: '' };
}

/** Shows what the address says. */
function go() {
  if (me === null) return;
  const { kind, id } = place();
  detail = undefined;
  page = kind === 'request' ? createDetail(main, act) : kind === 'episode' ? createTimeline(main) : null;
  document.body.dataset.shows = kind;
  if (page === null) main.replaceChildren(el('p', { class: 'hint' }, 'Choose a request from the list.'));
  look(() => page?.title.focus({ preventScroll: true }));
  if (page !== null) scrollTo(0, 0);
  else (document.querySelector('#items a') ?? at('list-title')).focus();
}

/** Asks for what is on the page and draws it; then once more in a while. A look that was overtaken draws nothing. */
async function look(then = () => {}) {
  clearTimeout(timer);
  looking += 1;
  const own = looking;
  const { kind, id } = place();
  try {
    const [waiting, shownNow] = await Promise.all([api.waiting(params), kind === 'request' ? api.request(id) : kind === 'episode' ? api.episode(id) : null]);
    if (own !== looking) return;
    write(at('alert'), '');
    list.draw(waiting, kind === 'request' ? id : undefined);
    if (kind === 'request') follow(detail = shownNow);
    page?.draw(shownNow, me);
    then();
  } catch (error) {
    if (own !== looking) return;
    if (error.status === 401) return signedOut(error.message);
    write(at('alert'), error.message);
  }
  timer = setTimeout(() => (document.hidden ? undefined : look()), pollEveryMs);
}

/** Opens what a button or key is for. */
function act(kind) {
  if (detail === undefined || at(kind)?.disabled !== false) return;
  const speaker = me;
  ask(kind, detail, async (said) => {
    const answer = await api.decide(said);
    if (me !== speaker) return; // signed out meanwhile: the answer is for nobody who is here
    if (answer.result !== 'accepted') {
      await look();
      throw new Error(`${answer.result === 'refused' ? `Refused (${answer.reason}): ` : ''}${answer.message}${answer.recorded ? ` Recorded: ${answer.recorded.verdict} by ${answer.recorded.by}.` : ''}`);
    }
    write(at('status'), answer.message);
    await look();
  });
}

function signedIn(who) {
  me = who;
  write(at('who'), `${me.person}, until ${new Date(me.expiresAt).toLocaleString()}`);
  for (const id of ['who', 'help', 'sign-out', 'list']) at(id).hidden = false;
  go();
}

function signedOut(why = '') {
  [me, page, detail] = [null, null, undefined];
  looking += 1; // whatever is on its way draws nothing
  clearTimeout(timer);
  for (const id of ['alert', 'status', 'who']) write(at(id), '');
  list.clear();
  for (const id of ['who', 'help', 'sign-out', 'list']) at(id).hidden = true;
  document.querySelector('dialog')?.close();
  document.body.dataset.shows = 'sign-in';
  showSignIn(main, signedIn, why);
}

const help = () => show(el('h2', { id: 'dialog-title' }, 'Shortcuts'), shortcutTable(), el('div', { class: 'buttons' }, el('button', { type: 'button', class: 'main', onclick: (event) => event.target.closest('dialog').close() }, 'Close')));
const history = () => { if (detail !== undefined) location.hash = `episode=${encodeURIComponent(detail.request.episodeId)}`; };
const keys = { a: 'approve', r: 'reject', e: 'edit', c: 'comment', h: 'escalate' };
listen({
  ...Object.fromEntries(Object.entries(keys).map(([key, kind]) => [key, () => act(kind)])),
  j: () => list.move(1), k: () => list.move(-1), u: () => { location.hash = ''; }, '/': () => list.search.focus(), t: history, '?': () => { if (me !== null) help(); },
});
at('help').addEventListener('click', help);
at('sign-out').addEventListener('click', () => api.signOut().then(() => signedOut(), (error) => write(at('alert'), error.message)));
at('skip').addEventListener('click', (event) => { event.preventDefault(); main.focus(); });
addEventListener('hashchange', go);
document.addEventListener('visibilitychange', () => { if (!document.hidden && me !== null) look(); });
setInterval(tick, 1_000);
api.whoAmI().then(signedIn, (error) => signedOut(error.status === 401 ? '' : error.message));
