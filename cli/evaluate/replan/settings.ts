/** Everything that decides replans and is not in the evaluation's own settings, in a file of their own: folders of older evaluations stay what they are. */
import type { Notice } from '../../../activities/model/prompt.ts';
import { questionsOf } from '../../../activities/model/propose.ts';
import { caseId } from '../../../contract/case.ts';
import { digestOf, type Json } from '../../../contract/digest.ts';
import type { Reason } from '../../../contract/failures.ts';
import { replanTemplates } from '../../../scenarios/design.ts';
import { planOf } from '../../../scenarios/plan.ts';
import { toolContract } from '../../../guards/tools/index.ts';
import type { ToolContract } from '../../../guards/tool-contract.ts';
import { cannedModels } from '../../records/plan.ts';
import type { Choice } from '../plan.ts';

/** As `replan-settings.json` holds it. The digests are null where no model is asked. */
export type ReplanSettings = {
  /** The form of the lines; a new field means a new number. */
  readonly format: 1;
  readonly templates: readonly string[];
  /** Of the prompt around every kind of notice, the reminder after a wrong reply included. */
  readonly prompt: string | null;
  /** Of the form that replies must have. */
  readonly schema: string | null;
  /** Of the decoding's options. */
  readonly options: string | null;
};

/** Works the settings out without a database: instructions and telemetry are in the evaluation's own, and what is read follows from both. */
export function replanSettings({ proposers }: Pick<Choice, 'proposers'>): ReplanSettings {
  const isAsked = proposers.some((name) => !cannedModels.includes(name));
  const questions = isAsked ? replanTemplates.flatMap((template) => notices(template).flatMap((notice) => questionsOf(sample(template, notice)))) : [];
  const digest = (parts: readonly unknown[]): string | null => (isAsked ? digestOf(parts as Json) : null);
  return {
    format: 1, templates: [...replanTemplates],
    prompt: digest(questions.map(({ messages }) => messages)), schema: digest(questions.map(({ format }) => format)), options: digest(questions.map(({ options }) => options)),
  };
}

const plannedCase = (template: string): ReturnType<typeof planOf> => planOf(caseId({ template, instance: 0, condition: 'clean' }));
const contractOf = (template: string): ToolContract => toolContract(plannedCase(template).tool) as ToolContract;

/** All that a look can find, so that each sentence is in some prompt. */
const findings: readonly Reason[] = ['status_violated', 'policy_violated', 'integrity_violated', 'already_applied', 'entity_missing', 'invalid_arguments', 'unknown_tool'];

/** Rows of every lock, with the columns that no model sees. */
function rowsOf(template: string): Record<string, Record<string, string | number | null>> {
  return Object.fromEntries(contractOf(template).locks.map(({ name }) => [name, { world_id: 1, version: 2, approvers: 'ana', status: 'S', note: '', gone: null, amount: 3 }]));
}

function notices(template: string): Notice[] {
  const found = JSON.stringify(rowsOf(template));
  const evidence = (['fast', 'strong'] as const).flatMap((kind) => [[], findings].map((told): Notice => ({ kind: 'evidence', evidence: kind, findings: told, found })));
  return [{ kind: 'blocked', reason: 'read_set_stale', found: 'versions' }, ...evidence];
}

function sample(template: string, notice: Notice): Parameters<typeof questionsOf>[0] {
  const { tool, instruction, keys, telemetry } = plannedCase(template);
  const readSet = contractOf(template).locks.map(({ table, key }) => ({ table, key: 'argument' in key ? String(keys[key.argument] ?? '') : '', version: '1' }));
  return { model: '', seed: 0, tool, instruction, observation: { worldId: '1', epoch: '1', readSet, rows: rowsOf(template), telemetry }, notice };
}
