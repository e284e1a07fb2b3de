/** Works a case id out into the plan of an episode: the only door through which activities learn what is true. */
import { parseCaseId, twinOf } from '../contract/case.ts';
import { fill } from './fill.ts';
import { templateNamed } from './index.ts';
import type { EpisodePlan, Template } from './scenario.ts';
import { courseOf } from './steps.ts';
import { telemetryOf } from './telemetry.ts';

/** No scenario has this case id. The registry's reason for it is `unknown_case`. */
export class UnknownCaseError extends Error {
  override name = 'UnknownCaseError';
  readonly reason = 'unknown_case';
}

/**
 * The plan of a case; the same one every time. @throws UnknownCaseError for an id that is malformed or names no template or instance
 */
export function planOf(caseId: string): EpisodePlan {
  const { cell, template } = find(caseId);
  const facts = template.instances[cell.instance];
  if (facts === undefined) throw new UnknownCaseError(`The template ${template.name} has no instance ${String(cell.instance)}: it has ${String(template.instances.length)}.`);
  const filled = fill(template, facts);
  const twin = twinOf(cell);
  return {
    caseId,
    condition: cell.condition,
    twin,
    tool: filled.tool,
    instruction: filled.instruction,
    keys: Object.fromEntries(Object.entries(filled.arguments).filter(([name]) => filled.keys.includes(name))),
    arguments: filled.arguments,
    seed: filled.seed,
    ...courseOf(filled, cell.condition, twin),
    telemetry: telemetryOf(cell.condition),
    expected: filled.expected,
  };
}

function find(caseId: string): { cell: ReturnType<typeof parseCaseId>; template: Template } {
  let cell: ReturnType<typeof parseCaseId>;
  try {
    cell = parseCaseId(caseId);
  } catch (error) {
    throw new UnknownCaseError(`"${caseId}" is not of the form template/instance/condition.`, { cause: error });
  }
  const template = templateNamed(cell.template);
  if (template === undefined) throw new UnknownCaseError(`There is no template "${cell.template}".`);
  return { cell, template };
}
