/** Worlds and spoilers of the further tools of the domain access. */
import { policyRow, withdrawal, type ToolCase } from './tool-cases.ts';

const person = (rest: string): string => `update access.people set ${rest} where world_id = $1 and person_id = 'ann'`;
const inserted = (table: string, column: string, value: string): string => `insert into access.${table} (world_id, person_id, ${column}) values ($1, 'ann', '${value}')`;

/** By tool. */
export const accessCases: Readonly<Record<string, ToolCase>> = {
  suspend_account: {
    args: { personId: 'ann', caseNumber: 'SEC-2' },
    otherArgs: { personId: 'ann', caseNumber: 'SEC-3' },
    rows: [
      policyRow('suspend_account'),
      { table: 'access.people', row: { person_id: 'ann', name: 'Ann', status: 'ACTIVE', last_suspension_case: 'SEC-1' } },
      { table: 'access.people', row: { person_id: 'ben', name: 'Ben', status: 'ACTIVE' } },
      ...['SEC-1', 'SEC-2', 'SEC-3'].map((number) => ({ table: 'access.cases', row: { case_number: number, person_id: 'ann', subject: 'a finding', open: number !== 'SEC-1' } })),
      { table: 'access.suspension_notices', row: { person_id: 'ann', case_number: 'SEC-1' } },
    ],
    spoilers: [
      { clause: 'status', how: 'the person leaves', statements: [person(`status = 'LEFT'`)] },
      { clause: 'status', how: 'the case is closed', statements: [`update access.cases set open = false where world_id = $1 and case_number = 'SEC-2'`] },
      { clause: 'status', how: 'the case turns out to be about somebody else', statements: [`update access.cases set person_id = 'ben' where world_id = $1 and case_number = 'SEC-2'`] },
      withdrawal('suspend_account'),
      { clause: 'integrity', how: 'a notice is written that the account does not show', statements: [inserted('suspension_notices', 'case_number', 'SEC-3')] },
      {
        clause: 'notApplied', how: 'somebody else suspends on the same case, and lets the person back in',
        statements: [inserted('suspension_notices', 'case_number', 'SEC-2'), person(`status = 'SUSPENDED', last_suspension_case = 'SEC-2'`), person(`status = 'ACTIVE'`)],
      },
    ],
  },
  unlock_account: {
    args: { personId: 'ann', ticketNumber: 'INC-2' },
    otherArgs: { personId: 'ann', ticketNumber: 'INC-3' },
    rows: [
      policyRow('unlock_account'),
      { table: 'access.people', row: { person_id: 'ann', name: 'Ann', status: 'LOCKED', failed_logins: 5, unlock_count: 1 } },
      { table: 'access.people', row: { person_id: 'ben', name: 'Ben', status: 'ACTIVE' } },
      { table: 'access.cases', row: { case_number: 'SEC-1', person_id: 'ann', subject: 'an old finding', open: false } },
      { table: 'access.cases', row: { case_number: 'SEC-2', person_id: 'ben', subject: "another's finding" } },
      { table: 'access.unlocks', row: { person_id: 'ann', ticket_number: 'INC-1' } },
      { table: 'access.unlocks', row: { person_id: 'ben', ticket_number: 'INC-2' } },
    ],
    spoilers: [
      { clause: 'status', how: 'security suspends the person', statements: [person(`status = 'SUSPENDED'`)] },
      { clause: 'status', how: 'a case is opened', statements: [`insert into access.cases (world_id, case_number, person_id, subject) values ($1, 'SEC-3', 'ann', 'log-ins from abroad')`] },
      withdrawal('unlock_account'),
      { clause: 'integrity', how: 'an unlock is written without its count', statements: [inserted('unlocks', 'ticket_number', 'INC-3')] },
      {
        clause: 'notApplied', how: 'somebody else unlocks on the same ticket, and the person is locked out again',
        statements: [inserted('unlocks', 'ticket_number', 'INC-2'), person(`status = 'ACTIVE', failed_logins = 0, unlock_count = 2`), person(`status = 'LOCKED', failed_logins = 5`)],
      },
    ],
  },
  issue_badge: {
    args: { personId: 'ann', siteId: 'depot' },
    otherArgs: { personId: 'ann', siteId: 'tower' },
    rows: [
      policyRow('issue_badge'),
      { table: 'access.people', row: { person_id: 'ann', name: 'Ann', status: 'ACTIVE', badge_count: 1 } },
      ...['home', 'depot', 'tower'].map((site) => ({ table: 'access.sites', row: { site_id: site, title: site } })),
      { table: 'access.badges', row: { person_id: 'ann', site_id: 'home' } },
      { table: 'access.badges', row: { person_id: 'ann', site_id: 'depot', returned: true } },
    ],
    spoilers: [
      { clause: 'status', how: 'the person leaves', statements: [person(`status = 'LEFT'`)] },
      { clause: 'status', how: 'the site stops issuing badges', statements: [`update access.sites set issues_badges = false where world_id = $1 and site_id = 'depot'`] },
      withdrawal('issue_badge'),
      { clause: 'integrity', how: 'a badge is printed without its count', statements: [inserted('badges', 'site_id', 'tower')] },
      { clause: 'integrity', how: 'a badge comes back without its count', statements: [`update access.badges set returned = true where world_id = $1 and site_id = 'home'`] },
      { clause: 'notApplied', how: 'somebody else issues the same badge', statements: [inserted('badges', 'site_id', 'depot'), person('badge_count = 2')] },
    ],
  },
};
