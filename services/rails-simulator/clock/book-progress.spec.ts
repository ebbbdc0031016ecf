import { expect, it } from "vitest";
import { bookIdOf, newId } from "../../../contracts/ids/ids.ts";
import type { RequestType } from "../../../contracts/message.ts";
import type { Progress } from "../../../contracts/messages/clocks.ts";
import type { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import type { RpcClient } from "../../platform/rpc/client.ts";
import { BookProgress } from "./book-progress.ts";

const now = new Date("2027-02-12T17:00:00.000Z");
const nothing: Progress = { handled: [], unconfirmed: [], nextDueAt: null };

/** One round, in which webhooks answers this and the others have nothing to do. */
function roundIn(webhooks: Progress) {
  const units = { run: () => Promise.resolve(nothing) } as unknown as UnitOfWorkRunner;
  const request = ({ owner }: RequestType) =>
    Promise.resolve({ value: owner === "webhooks" ? webhooks : nothing });
  const rpc = { request } as unknown as RpcClient;
  const tenant = newId("ten");
  const caller = {
    tenant,
    book: bookIdOf(tenant, "Test"),
    mode: "Test",
    principal: "qa",
    requestId: "r",
  } as const;
  return new BookProgress({ rpc, units }, caller).poll(now);
}

it("a book is quiet once nothing is due or under way, and knows its next time", async () => {
  const later = "2027-02-12T17:01:00.000Z";
  expect(await roundIn({ ...nothing, nextDueAt: later })).toEqual({
    waitingFor: [],
    nextDueAt: new Date(later),
  });
});

it("a book waits for what a service is doing, by name", async () => {
  const underWay = "the delivery wh_1 to the endpoint we_1";
  expect(await roundIn({ ...nothing, underWay })).toEqual({
    waitingFor: ["webhooks: the delivery wh_1 to the endpoint we_1"],
    nextDueAt: null,
  });
});
