/** What the workflow code of today sends, as items. */
import { failureOf, limitsOf, msOf, namedTexts, textOf, textsOf, type Item } from './item.ts';
import type { Commands } from './recorder.ts';

type Command = Commands[number];

/** Collects the items of one replay, task by task. */
export type Sent = { readonly items: Item[]; add(task: number, commands: Commands): void; last(): number };

export function collectSent(): Sent {
  const items: Item[] = [];
  const children = new Map<number, string>();
  let upserts = 0;
  let last = 0;
  const add = (task: number, commands: Commands): void => {
    last = Math.max(last, task);
    for (const command of commands) {
      const { seq, workflowId } = command.startChildWorkflowExecution ?? {};
      if (typeof seq === 'number') children.set(seq, workflowId ?? '');
      if (command.upsertWorkflowSearchAttributes) upserts += 1;
      const item = itemOf(command, { upserts, children });
      if (item !== null) items.push({ ...item, task });
    }
  };
  return { items, add, last: () => last };
}

type So = { readonly upserts: number; readonly children: ReadonlyMap<number, string> };
type Untasked = Omit<Item, 'task'>;

function itemOf(command: Command, { upserts, children }: So): Untasked | null {
  const { scheduleActivity, scheduleLocalActivity, startTimer, startChildWorkflowExecution: child, upsertWorkflowSearchAttributes: upsert } = command;
  if (scheduleActivity) {
    const { activityId, activityType } = scheduleActivity;
    return { key: `activity ${activityId ?? ''}`, what: `the activity ${activityType ?? ''}`, fields: { type: activityType ?? '', input: textsOf(scheduleActivity.arguments), ...limitsOf(scheduleActivity) } };
  }
  if (scheduleLocalActivity) {
    const { activityId, activityType } = scheduleLocalActivity;
    return { key: `local activity ${activityId ?? ''}`, what: `the local activity ${activityType ?? ''}`, fields: { type: activityType ?? '' }, asked: textsOf(scheduleLocalActivity.arguments) };
  }
  if (startTimer) return { key: `timer ${String(startTimer.seq)}`, what: `the timer ${String(startTimer.seq)}`, fields: { lengthMs: String(msOf(startTimer.startToFireTimeout)) } };
  if (child) {
    const { workflowId, workflowType } = child;
    return {
      key: `child ${workflowId ?? ''}`, what: `the child ${workflowId ?? ''}`,
      fields: { type: workflowType ?? '', input: textsOf(child.input), parentClosePolicy: String(child.parentClosePolicy ?? 0), reusePolicy: String(child.workflowIdReusePolicy ?? 0), searchAttributes: namedTexts(child.searchAttributes) },
    };
  }
  if (upsert) return { key: `search attributes ${String(upserts)}`, what: 'search attributes', fields: { values: namedTexts(upsert.searchAttributes) } };
  return answerOf(command) ?? endOf(command) ?? takenBackOf(command, children);
}

function answerOf({ updateResponse: answer }: Command): Untasked | null {
  const id = answer?.protocolInstanceId ?? '';
  if (answer?.accepted) return { key: `update ${id}`, what: `the acceptance of the update ${id}`, fields: {} };
  if (answer?.completed) return { key: `answer ${id}`, what: `the answer to the update ${id}`, fields: { value: textOf(answer.completed) } };
  return null;
}

function endOf(command: Command): Untasked | null {
  const { completeWorkflowExecution: completed, failWorkflowExecution: failed, cancelWorkflowExecution: cancelled, continueAsNewWorkflowExecution: again } = command;
  if (completed) return { key: 'end', what: 'the end of the workflow', fields: { as: 'completed', result: textOf(completed.result) } };
  if (failed) return { key: 'end', what: 'the end of the workflow', fields: { as: 'failed', failure: failureOf(failed.failure) } };
  if (cancelled) return { key: 'end', what: 'the end of the workflow', fields: { as: 'cancelled' } };
  if (again) return { key: 'end', what: 'the end of the workflow', fields: { as: 'continued as new', type: again.workflowType ?? '', input: textsOf(again.arguments) } };
  return null;
}

function takenBackOf(command: Command, children: ReadonlyMap<number, string>): Untasked | null {
  const { requestCancelActivity, cancelTimer, cancelChildWorkflowExecution: child, setPatchMarker: patch } = command;
  if (requestCancelActivity) return { key: `cancellation of activity ${String(requestCancelActivity.seq)}`, what: `the cancellation of the activity ${String(requestCancelActivity.seq)}`, fields: {} };
  if (cancelTimer) return { key: `cancellation of timer ${String(cancelTimer.seq)}`, what: `the cancellation of the timer ${String(cancelTimer.seq)}`, fields: {} };
  if (child) return { key: `cancellation of child ${children.get(child.childWorkflowSeq ?? 0) ?? ''}`, what: 'the cancellation of a child', fields: {} };
  if (patch) return { key: `patch ${patch.patchId ?? ''}`, what: `the patch ${patch.patchId ?? ''}`, fields: {} };
  return null;
}
