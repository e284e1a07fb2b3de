/** The tool contracts of the domain deployments. */
import type { ToolContract } from '../../tool-contract.ts';
import { promoteRelease } from './promote-release.ts';
import { rollBackRelease } from './roll-back-release.ts';
import { rotateCertificate } from './rotate-certificate.ts';
import { scaleService } from './scale-service.ts';

/** In the order of the templates. */
export const deploymentsTools: readonly ToolContract[] = [rollBackRelease, promoteRelease, scaleService, rotateCertificate];
