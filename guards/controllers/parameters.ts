/** Every number that a controller depends on, with its unit and where it comes from. All are frozen before a held-out template or degraded telemetry is looked at. */

/** A number with its unit and its provenance, for code and reports alike. */
export type Parameter = { readonly value: number; readonly unit: string; readonly provenance: string };

const printed = 'printed in guard-precision (evaluation protocol: the learned router)';

/** Frozen on development templates and canonical telemetry; where guard-precision prints no value, the provenance says how ours was chosen. */
export const parameters = {
  ttlMs: {
    value: 1_000,
    unit: 'milliseconds of age that the read states; older is expired',
    provenance:
      'the round number in the range that minimises expected loss on development templates under canonical telemetry, where clean reads are 400 ms old and the next family 2,000 ms: executing any family of faults costs more than strong evidence does. Not printed in guard-precision',
  },
  freshMs: {
    value: 1_000,
    unit: 'milliseconds of age that the read states; up to here it is fresh, beyond it is old',
    provenance:
      'separates canonical clean reads (400 ms) from every canonical family of faults (2,000 ms and more); two buckets only, so that ages never seen in development fall into one that was. Not printed in guard-precision',
  },
  confidenceFloor: {
    value: 0.95,
    unit: 'stated confidence, 0 to 1; at the floor is enough',
    provenance: '1 - epsilon: if confidences were calibrated, the risk at the floor would be epsilon. Set before any model was asked. Not printed in guard-precision',
  },
  agreementFloor: {
    value: 1,
    unit: 'share of repeated decodings that propose the same action, 0 to 1; at the floor is enough',
    provenance: 'all of them: one that differs is a disagreement. Set before any model was asked. Not printed in guard-precision',
  },
  randomGateShare: {
    value: 0.2525,
    unit: 'probability of buying strong evidence, 0 to 1',
    provenance: 'the agreement gate\'s mean verification cost that guard-precision prints, 1.01 units, over 4 units for strong evidence. A run gives its own agreement gate\'s share to the factory',
  },
  epsilon: { value: 0.05, unit: 'probability of an unsafe commit, 0 to 1; at the bound is admissible', provenance: printed },
  lambdaU: { value: 100, unit: 'verification units an unsafe commit', provenance: printed },
  lambdaF: { value: 10, unit: 'verification units a decision that ends without safe success', provenance: printed },
} as const satisfies Readonly<Record<string, Parameter>>;

/** The templates that thresholds and weights may be made from, two of each domain in the order of the domains; every other template is held out. guard-precision does not print which its were. */
export const developmentTemplates = [
  'change-delivery-address', 'cancel-order',
  'record-invoice', 'pay-invoice',
  'grant-role', 'suspend-account',
  'roll-back-release', 'promote-release',
] as const;
