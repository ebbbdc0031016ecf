import type { Clock, ClockPut } from "../../../contracts/http/sandbox/clock.ts";
import { stepsTo } from "../../../scripts/local/demo/clock-steps.ts";
import { type Sends, sendPatiently } from "./patiently.ts";

/** Sets the clock of the key's book, however far ahead `startAt` is. The clock must be Instant if it is set. */
export async function setClock<T = Clock>(world: Sends, key: string, body: ClockPut) {
  const put = <A>(setting: ClockPut) =>
    sendPatiently<A>(world, key, "PUT", "/v1/simulations/clock", { body: setting });
  for (const startAt of stepsTo(body.startAt)) await put({ mode: "Instant", startAt });
  return put<T>(body);
}
