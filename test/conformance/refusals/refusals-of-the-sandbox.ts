/** One request that provokes each error code of the sandbox's clock, and of what rails report later. */
import type { ErrorCode } from "../../../contracts/errors.ts";
import { type BookId, newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import { until } from "../../stack/until.ts";
import { setClock } from "../../world/patience/set-clock.ts";
import { anOrder, type RefusalCase } from "./scenario.ts";

const clock = "/v1/simulations/clock";
const inMarch = { mode: "Manual", startAt: "2038-03-01T15:00:00Z" } as const;

export const refusalsOfTheSandbox: Partial<Record<ErrorCode, RefusalCase>> = {
  clock_not_manual: ({ send }) => send(`${clock}/advance`, { body: { nextBankingDay: true } }),
  clock_advancing: async ({ send, world, neighbour }) => {
    const { maker: key } = neighbour.keys;
    await setClock(world, key, inMarch);
    // A message that nobody ever handles: the advance waits for it.
    const message = [uuidOf(neighbour.tenant.testBook as BookId), newUuid()];
    await world.rows(
      `insert into orders.unconfirmed_message (book_id, message_id, consumer, type)
       values ($1, $2, 'ledger', 'any')`,
      message,
    );
    await send(`${clock}/advance`, { key, body: { nextBankingDay: true } });
    const refused = await send(`${clock}/advance`, { key, body: { nextWindow: "Wire" } });
    await world.rows(
      "delete from orders.unconfirmed_message where book_id = $1 and message_id = $2",
      message,
    );
    return refused;
  },
  clock_goes_back: async ({ send, world, neighbour }) => {
    const { maker: key } = neighbour.keys;
    // Refused where the case above has set it before.
    await setClock(world, key, inMarch);
    const advance = (to: string) =>
      send(`${clock}/advance`, { key, headers: { prefer: "wait=9" }, body: { to } });
    await until("the clock has arrived", async () => {
      const { status, code } = await advance("2038-03-03T15:00:00.000Z");
      return String(status) === "Done" || code === "clock_goes_back" ? true : undefined;
    });
    return advance("2038-03-02T15:00:00Z");
  },
  counterparty_change_pending: async (scenario) => {
    const { counterparty: counterpartyId } = await scenario.proposedChange();
    const { admin: key } = scenario.world.tenant.keys;
    await scenario.send(`/v1/counterparties/${counterpartyId}/verify`, { method: "POST", key });
    const { direction, rail, amountCents, ledgerAccountName } = anOrder();
    return scenario.send("/v1/payment-orders", {
      body: { direction, rail, amountCents, ledgerAccountName, counterpartyId },
    });
  },
};
