/** The templates of the domain deployments. */
import type { Template } from '../scenario.ts';
import { promoteRelease } from './promote-release.ts';
import { rollBackRelease } from './roll-back-release.ts';
import { rotateCertificate } from './rotate-certificate.ts';
import { scaleService } from './scale-service.ts';

/** Four; the first one stands for the domain in the pilot. */
export const deploymentsTemplates: readonly Template[] = [rollBackRelease, promoteRelease, scaleService, rotateCertificate];
