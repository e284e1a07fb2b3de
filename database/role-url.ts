/** The roles that Holdpoint connects as, and how they reach the owner's database. */
import { createHmac } from 'node:crypto';

/** A role that Holdpoint connects as: the worker changes domain rows and commits through functions, the reader only reads. */
export type Role = 'holdpoint_worker' | 'holdpoint_reader';

/** The URL with which a role reaches the owner's database. Its password is derived from the owner's (HMAC-SHA-256), so that no second secret is stored. */
export function roleUrl(ownerUrl: string, role: Role): string {
  const url = new URL(ownerUrl);
  if (url.username === 'holdpoint_worker' || url.username === 'holdpoint_reader') return ownerUrl;
  url.username = role;
  url.password = rolePassword(ownerUrl, role);
  return url.toString();
}

/** The password of a role, for whoever makes the roles. */
export function rolePassword(ownerUrl: string, role: Role): string {
  return createHmac('sha256', decodeURIComponent(new URL(ownerUrl).password)).update(role).digest('hex');
}
