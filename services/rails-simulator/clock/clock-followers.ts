import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import type { BookClock } from "../../../contracts/book-clock.ts";
import type { Caller } from "../../../contracts/message.ts";
import {
  ApplyClockToLedger,
  ApplyClockToOrders,
  ApplyClockToWebhooks,
} from "../../../contracts/messages/clocks.ts";
import { LOG } from "../../platform/platform.module.ts";
import { RpcClient } from "../../platform/rpc/client.ts";

const requests = [ApplyClockToOrders, ApplyClockToLedger, ApplyClockToWebhooks];
const deadlineMs = 3_000;

/** The services that store copies of the books' clocks. */
@Injectable()
export class ClockFollowers {
  readonly #rpc: RpcClient;
  readonly #log: Logger;

  constructor(rpc: RpcClient, @Inject(LOG) log: Logger) {
    this.#rpc = rpc;
    this.#log = log;
  }

  /** Has all of them store a clock. One that does not answer gets the clock's event later. */
  async apply(
    caller: Caller,
    { mode, leadMs, standsAt, sequence }: BookClock & { readonly sequence: number },
  ): Promise<void> {
    const clock = { mode, leadMs, standsAt: standsAt?.toISOString() ?? null, sequence };
    const results = await Promise.allSettled(
      requests.map((request) => this.#rpc.request(request, { caller }, clock, { deadlineMs })),
    );
    for (const [index, result] of results.entries()) {
      if (result.status === "fulfilled") continue;
      const service = requests[index]?.owner;
      this.#log.warn(
        { err: result.reason, service, book: caller.book },
        "the clock will arrive by its event",
      );
    }
  }
}
