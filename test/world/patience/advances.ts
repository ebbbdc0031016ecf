import { expect } from "vitest";
import type { ClockAdvance } from "../../../contracts/http/sandbox/clock.ts";
import { until } from "../../stack/until.ts";
import { sendPatiently } from "./patiently.ts";
import type { World } from "../world.ts";

const path = "/v1/simulations/clock/advance";

/** Advances the clock of the tenant's Test book. Returns the advance once it is done. */
export async function advanceClock(world: World, body: object): Promise<ClockAdvance> {
  const more = { body, headers: { prefer: "wait=10" } };
  const begun = await sendPatiently<ClockAdvance>(world, world.tenant.keys.maker, "POST", path, more);
  expect(begun).toMatchObject({ status: 202 });
  return doneAdvance(world, begun.body.id);
}

/** Waits until the advance is done: on a slow machine, that takes longer than a request may wait. */
export async function doneAdvance(world: World, id: string): Promise<ClockAdvance> {
  let advance: ClockAdvance | undefined;
  const isDone = async () => {
    const { maker } = world.tenant.keys;
    advance = (await sendPatiently<ClockAdvance>(world, maker, "GET", `${path}s/${id}`)).body;
    return advance.status === "Done" ? advance : undefined;
  };
  try {
    return await until("the advance is done", isDone);
  } catch (error) {
    throw new Error(`the advance got stuck: ${JSON.stringify(advance)}`, { cause: error });
  }
}
