import { Refusal } from "../../../contracts/errors.ts";
import type { RequestContext } from "../../platform/handlers/decorators.ts";

/**
 * The gateway refuses live keys before this; here no other way to the simulator reaches a Live book either. Refusals:
 * `simulation_requires_test_key`.
 */
export function requireTestBook({ caller }: Pick<RequestContext, "caller">): void {
  if (caller.mode === "Test") return;
  throw new Refusal("simulation_requires_test_key", "Only Test books are simulated. Use a test key.");
}
