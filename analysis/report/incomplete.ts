/** The controllers that stand for a contract whose author forgot a clause: a stress test, never a recommendation. */
import { controllerNames, type ControllerName } from '../../contract/controller.ts';

export const incompletePredicates: readonly ControllerName[] = controllerNames.filter((name) => name.startsWith('predicate-without-'));
