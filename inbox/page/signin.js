/** Signing in by a token. */
import { signIn } from './api.js';
import { el, put } from './dom.js';

/** Shows the form in `main`. `done` hears who it is. */
export function showSignIn(main, done, why = '') {
  const field = el('input', { id: 'token', name: 'token', type: 'password', autocomplete: 'off', spellcheck: 'false', required: true, 'aria-describedby': 'token-hint sign-in-problem' });
  const problem = el('p', { id: 'sign-in-problem', class: 'problem', role: 'alert' }, why);
  const form = el('form', {
    class: 'sign-in',
    onsubmit: async (event) => {
      event.preventDefault();
      try {
        const me = await signIn(field.value);
        field.value = '';
        done(me);
      } catch (error) {
        put(problem, error.message);
        field.focus();
      }
    },
  },
  el('h2', {}, 'Sign in'), el('label', { for: 'token' }, 'Token'), field,
  el('p', { id: 'token-hint', class: 'hint' }, 'One that was made for you by whoever owns the database: ', el('code', {}, 'npx holdpoint token'), '. It is kept in the server\'s memory only, as a digest.'),
  problem, el('button', { type: 'submit', class: 'main' }, 'Sign in'));
  put(main, form);
  field.focus();
}
