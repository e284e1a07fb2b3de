/** Runs inside the sandbox of a replay, and only there: shows the commands that the workflow code makes, which the SDK compares by order and kind alone. */
import { proxySinks, workflowInfo, type ConcludeActivationInput, type Sinks, type WorkflowInterceptors } from '@temporalio/workflow';

/** What a workflow sends at the end of an activation. */
export type Commands = ConcludeActivationInput['commands'];

/** The way out of the sandbox. `task`: the number of the event at which the workflow task had started. */
export interface RecorderSinks extends Sinks {
  recorder: { sent(task: number, commands: Commands): void };
}

const { recorder } = proxySinks<RecorderSinks>();

export const interceptors = (): WorkflowInterceptors => ({
  internals: [{
    concludeActivation(input, next) {
      const output = next(input);
      recorder.sent(workflowInfo().historyLength, output.commands);
      return output;
    },
  }],
});
