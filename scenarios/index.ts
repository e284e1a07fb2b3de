/** All templates, and the lookup of one. */
import { changeDeliveryAddress } from './orders/change-delivery-address.ts';
import { recordInvoice } from './billing/record-invoice.ts';
import { grantRole } from './access/grant-role.ts';
import { rollBackRelease } from './deployments/roll-back-release.ts';
import type { Template } from './scenario.ts';

/** Every template, in the order of designs: one a domain. */
export const templates: readonly Template[] = [changeDeliveryAddress, recordInvoice, grantRole, rollBackRelease];

/** The template of a name, or undefined where there is none. */
export function templateNamed(name: string): Template | undefined {
  return templates.find((template) => template.name === name);
}
