/** All templates, and the lookup of one. */
import { accessTemplates } from './access/index.ts';
import { billingTemplates } from './billing/index.ts';
import { deploymentsTemplates } from './deployments/index.ts';
import { ordersTemplates } from './orders/index.ts';
import type { Template } from './scenario.ts';

/** The templates of each domain, in the order of designs. */
export const templatesByDomain: readonly (readonly Template[])[] = [ordersTemplates, billingTemplates, accessTemplates, deploymentsTemplates];

/** Every template. */
export const templates: readonly Template[] = templatesByDomain.flat();

const byName = new Map(templates.map((template) => [template.name, template]));

/** The template of a name, or undefined where there is none. */
export function templateNamed(name: string): Template | undefined {
  return byName.get(name);
}
