/** What happens to a world outside the agent in each fault family and twin (guard-precision, section on faults). */
import type { Condition, Twin } from '../contract/case.ts';
import type { EpisodePlan, Step, Template } from './scenario.ts';

/** The part of a plan that a condition and a twin decide. */
export type Course = Pick<EpisodePlan, 'before' | 'observe' | 'fastSees' | 'race' | 'fault'>;

/** The course of a template (filled or not) under a condition and twin. Twins of one family differ in `before` or `race` only. */
export function courseOf(template: Template, condition: Condition, twin: Twin): Course {
  const steps = stepsOf(template);
  const hazardous = twin === 'hazardous';
  switch (condition) {
    case 'clean':
      return { before: [], observe: 'now', fastSees: 'now', race: [], fault: null };
    case 'stale-read':
      return hidden([hazardous ? (template.staleHazard === 'status-moved' ? steps.statusMoved : steps.alreadyDone) : steps.touched]);
    case 'delayed-visibility':
      return { ...hidden([hazardous ? steps.earlierEffect : steps.touched]), fastSees: 'seed' };
    case 'timeout-after-commit':
      // The mark is made before the attempt: it stays where the answer never came.
      return { ...hidden([steps.unresolved, hazardous ? steps.earlierEffect : steps.resolved]), fault: 'cut-at-commit' };
    case 'partial-success':
      return hidden([hazardous ? steps.partial : steps.touched]);
    case 'concurrent-mutation':
      return { before: [], observe: 'now', fastSees: 'now', race: [hazardous ? steps.withdrawn : steps.unrelated], fault: null };
  }
}

function hidden(before: readonly Step[]): Course {
  return { before, observe: 'seed', fastSees: 'now', race: [], fault: null };
}

/** Each step with who does it and why. Effects of others are under no op key of ours: idempotency alone cannot see them. */
function stepsOf(template: Template): Record<'statusMoved' | 'alreadyDone' | 'earlierEffect' | 'partial' | 'touched' | 'unresolved' | 'resolved' | 'withdrawn' | 'unrelated', Step> {
  return {
    statusMoved: { actor: 'back-office', reason: 'the work moved on', changes: template.statusMoved, towardsGoal: false },
    alreadyDone: { actor: 'colleague', reason: 'did the same thing', changes: template.effect, towardsGoal: true },
    earlierEffect: { actor: 'other-process', reason: 'an earlier attempt at the same thing', changes: template.effect, towardsGoal: true },
    partial: { actor: 'other-process', reason: 'an earlier attempt that stopped half way', changes: template.partial, towardsGoal: true },
    touched: { actor: 'back-office', reason: 'a note', changes: template.touched, towardsGoal: false },
    unresolved: { actor: 'other-process', reason: 'an attempt begins', changes: template.unresolved, towardsGoal: false },
    resolved: { actor: 'other-process', reason: 'the attempt was found to have done nothing', changes: template.resolved, towardsGoal: false },
    withdrawn: { actor: 'policy-owner', reason: 'the policy is withdrawn', changes: template.withdrawn, towardsGoal: false },
    unrelated: { actor: 'back-office', reason: 'other work', changes: template.unrelated, towardsGoal: false },
  };
}
