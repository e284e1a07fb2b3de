/** Designs: which cases an experiment runs, as a product of templates, instances and conditions. */
import { Condition, type Case } from '../contract/case.ts';
import { templates, templatesByDomain } from './index.ts';

/** A full factorial design over cases. Models, seeds and guards are the batch's business. */
export type Design = { readonly templates: readonly string[]; readonly instances: readonly number[]; readonly conditions: readonly Condition[] };

/** The paper's pilot: one template a domain, one hazardous and one benign instance, all six conditions: 48 cases (guard-precision, section on the design). */
export const pilot: Design = { templates: templatesByDomain.flatMap(([first]) => (first === undefined ? [] : [first.name])), instances: [0, 1], conditions: Condition.options };

/** The paper's main design: every template, four instances, all conditions: 384 cases, 1,152 decisions a model with the seeds 13, 42 and 2026 (guard-precision, section on the design). */
export const main: Design = { templates: templates.map((template) => template.name), instances: [0, 1, 2, 3], conditions: Condition.options };

/** A small design to see that everything runs: the pilot's templates once, clean and under one race. 8 cases. */
export const smoke: Design = { templates: pilot.templates, instances: [0], conditions: ['clean', 'concurrent-mutation'] };

/** The half of the main design that thresholds and weights may be made from: two templates a domain, 192 cases. Every other template is held out. */
export const development: Design = { ...main, templates: templatesByDomain.flatMap((own) => own.slice(0, 2).map((template) => template.name)) };

/**
 * The templates of the replanning layer, two a domain (guard-precision, section on replanning, which does not name its own): the pilot's, and one of the other kind,
 * so that in each domain a hidden earlier effect once moves the entity's status, which a read shows, and once leaves it as it was.
 */
export const replanTemplates: readonly string[] = [
  'change-delivery-address', 'cancel-order', 'record-invoice', 'issue-credit-note', 'grant-role', 'suspend-account', 'roll-back-release', 'scale-service',
];

/** Designs by name. */
export const designs: Readonly<Record<'pilot' | 'smoke' | 'main' | 'development', Design>> = { pilot, smoke, main, development };

/** The cells of a design, in the order templates, instances, conditions; each once. */
export function designCells(design: Design): Case[] {
  return design.templates.flatMap((template) => design.instances.flatMap((instance) => design.conditions.map((condition) => ({ template, instance, condition }))));
}
