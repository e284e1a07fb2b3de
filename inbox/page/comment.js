/** The field for what somebody says, which tells its limit and what is wrong with it before anything is sent. */
import { el, write } from './dom.js';

/** Longest comment, in UTF-16 code units; the server refuses a longer one too. */
const most = 2_000;
const counted = (characters) => characters.toLocaleString('en');

/** The field's parts, and `problem()`: what is wrong now in one sentence, or null. Nothing is cut off by the field: a text that was pasted stays whole to be shortened. */
export function commentField(kind) {
  const length = () => input.value.trim().length;
  const left = el('p', { id: 'said-comment-left', class: 'hint' });
  const count = () => write(left, length() <= most ? `At most ${counted(most)} characters${length() === 0 ? '' : `: ${counted(most - length())} left`}.` : `${counted(length())} characters: at most ${counted(most)} are taken.`);
  const input = el('textarea', { id: 'said-comment', rows: '3', 'aria-required': kind === 'comment' ? 'true' : null, 'aria-describedby': 'said-comment-left', oninput: count });
  count();
  return {
    input,
    parts: [el('label', { for: 'said-comment' }, kind === 'comment' ? 'Comment' : 'Comment, kept with it'), input, left],
    text: () => input.value.trim(),
    problem() {
      if (kind === 'comment' && length() === 0) return `The comment is empty: it takes 1 to ${counted(most)} characters.`;
      return length() > most ? `The comment has ${counted(length())} characters: it takes at most ${counted(most)}.` : null;
    },
  };
}
