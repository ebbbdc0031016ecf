/** The clocks of Test books for a test of orders, which plays rails-simulator. */
import { beforeAll } from "vitest";
import type { z } from "zod";
import { newId } from "../../../contracts/ids/ids.ts";
import type { Caller } from "../../../contracts/message.ts";
import { ApplyClockToOrders, ReportOrdersProgress } from "../../../contracts/messages/clocks.ts";
import { RpcClient } from "../../../services/platform/rpc/client.ts";
import type { OrdersOnTest } from "./orders.ts";

type Clock = z.input<typeof ApplyClockToOrders.data>;

export class ClocksOfOrders {
  readonly #orders: OrdersOnTest;
  #rails!: RpcClient;

  constructor(orders: OrdersOnTest) {
    this.#orders = orders;
    beforeAll(async () => {
      this.#rails = new RpcClient(await orders.messaging.connectAs("rails"));
    });
  }

  /** Somebody in a new book without a clock of its own. */
  newCaller(): Caller {
    return this.#orders.caller("maker", newId("ten"));
  }

  /** Somebody in a new book whose clock stands. */
  async manualBook(standsAt: string): Promise<Caller> {
    const caller = this.newCaller();
    await this.standAt(caller, standsAt, 1);
    return caller;
  }

  /** Makes a book's clock stand at a time. `sequence` numbers the changes of the clock. */
  standAt(caller: Caller, standsAt: string, sequence: number): Promise<void> {
    return this.#set(caller, { mode: "Manual", standsAt, leadMs: leadAt(standsAt), sequence });
  }

  /** Makes a book's clock Instant, or Real, `from` a time that is not before its own. */
  async goOn(caller: Caller, mode: "Instant" | "Real", from: string, sequence: number): Promise<void> {
    await this.#set(caller, { mode, standsAt: null, leadMs: leadAt(from), sequence });
  }

  async #set(caller: Caller, clock: Clock): Promise<void> {
    await this.#rails.request(ApplyClockToOrders, { caller }, clock);
  }

  /** When orders has something to do for a book on its clock, as an advance finds out. */
  async nextDueAt(caller: Caller): Promise<string | null> {
    const question = { sentToYou: [], handled: [] };
    return (await this.#rails.request(ReportOrdersProgress, { caller }, question)).value.nextDueAt;
  }
}

const startedAt = Date.now();
/** Grows with the time, as it must: a clock that goes on is ahead of `time` by the age of this process. */
const leadAt = (time: string) => Date.parse(time) - startedAt;
