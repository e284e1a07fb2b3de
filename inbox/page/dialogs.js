/** What is said about a request, said in a dialog: the browser keeps the focus inside, and Esc closes it without doing anything. */
import { commentField } from './comment.js';
import { el, put, shown, spaced, write } from './dom.js';

const titles = { approve: 'Approve', reject: 'Reject', edit: 'Edit the arguments', comment: 'Comment', escalate: 'Hand on' };
const hints = {
  approve: 'Only this very proposal is approved. The commit looks at the world again, and refuses where it is not right any more.',
  reject: 'Nothing is written but the rejection.',
  edit: 'That is a new proposal of yours: the world is read again, and somebody else must approve it.',
  comment: 'Everybody who looks at this request sees it. It decides nothing.',
  escalate: 'From then on only they can decide it.',
};

let open;

/** The open dialog's forecast follows what the page learns meanwhile. */
export function follow({ request, forecast }) {
  if (open !== undefined) write(open, request.live ? (forecast?.sentence ?? '') : 'There is nothing to decide any more.');
}

/** Asks for what is needed. `send(said)` may throw: what went wrong is shown, and the dialog stays. What is decided about is what the page shows as it opens. */
export function ask(kind, detail, send) {
  const { opKey, digest } = detail.request;
  const fields = { edit: editFields, escalate: escalateFields }[kind]?.(detail) ?? [];
  const comment = commentField(kind);
  const problem = el('p', { class: 'problem', role: 'alert' });
  const now = el('p', { class: 'forecast', role: 'status' });
  const submit = el('button', { type: 'submit', class: 'main' }, titles[kind]);
  const form = el('form', {
    onsubmit: async (event) => {
      event.preventDefault();
      const wrong = comment.problem();
      put(problem, wrong);
      if (wrong !== null) return comment.input.focus();
      submit.disabled = true;
      try {
        await send({ kind, opKey, digest, comment: comment.text(), ...valuesOf(kind, fields) });
        dialog.close();
      } catch (error) {
        put(problem, error.message);
        submit.disabled = false;
      }
    },
  },
  el('h2', { id: 'dialog-title' }, titles[kind]), el('p', { class: 'hint' }, hints[kind]), kind === 'comment' ? null : now, fields.map(({ label, input, extra }) => [label, input, extra]),
  comment.parts, problem,
  el('div', { class: 'buttons' }, submit, el('button', { type: 'button', onclick: () => dialog.close() }, 'Cancel')));
  const dialog = show(form);
  open = now;
  follow(detail);
  (fields.find(({ input }) => !input.readOnly)?.input ?? comment.input).focus();
}

/** Shows something in a dialog that goes away when it is closed; the focus returns to where it was. */
export function show(...content) {
  const before = document.activeElement;
  const dialog = el('dialog', { 'aria-labelledby': 'dialog-title', onclose: () => { open = undefined; dialog.remove(); before?.focus(); } }, ...content);
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

function editFields({ proposal, tool }) {
  return Object.entries(tool?.arguments ?? {}).map(([name, spec]) => {
    const id = `argument-${name}`;
    const value = String(proposal.arguments[name] ?? '');
    const input = spec.type === 'integer' ? el('input', { id, type: 'number', step: '1', min: spec.minimum, required: true, value })
      : spec.maxLength > 60 ? el('textarea', { id, rows: '2', maxlength: spec.maxLength, required: true, value }) : el('input', { id, type: 'text', maxlength: spec.maxLength, required: true, value });
    return { name, spec, input, label: el('label', { for: id }, spaced(name), el('span', { class: 'hint' }, ` ${spec.description}`)) };
  });
}

function escalateFields({ request }) {
  const list = el('datalist', { id: 'people' }, request.approvers.map((name) => el('option', { value: name })));
  const input = el('input', { id: 'to', type: 'text', list: 'people', maxlength: '210', required: true, autocomplete: 'off' });
  return [{ input, extra: list, label: el('label', { for: 'to' }, 'To', el('span', { class: 'hint' }, ` a person or a group on the list: ${request.approvers.map(shown).join(', ')}`)) }];
}

function valuesOf(kind, fields) {
  if (kind === 'escalate') return { to: fields[0].input.value.trim() };
  if (kind === 'edit') return { arguments: Object.fromEntries(fields.map(({ name, spec, input }) => [name, spec.type === 'integer' ? Number(input.value) : input.value])) };
  return {};
}
