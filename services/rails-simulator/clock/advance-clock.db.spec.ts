/** An advance to the next event, with a stand-in for the other services. */
import { beforeEach, describe, expect, it } from "vitest";
import type { ClockAdvance } from "../../../contracts/http/sandbox/clock.ts";
import type { RequestType } from "../../../contracts/message.ts";
import type { Progress } from "../../../contracts/messages/clocks.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { givenBook, refusalOf, type RuleBook } from "../../../test/stack/services/rules.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { saveClock } from "../../platform/clock/book-clocks.ts";
import type { RpcClient } from "../../platform/rpc/client.ts";
import { AdvanceClockHandler } from "./advance-clock.handler.ts";
import type { AdvanceClocks } from "./advance-clocks.worker.ts";

const bank = await forThisFile(openFreshUnits("rails"));
const now = new Date("2038-02-12T17:00:00.000Z");
const soon = "2038-02-12T17:01:00.000Z";
const late = "2038-02-19T17:00:00.000Z";
const nothing: Progress = { handled: [], unconfirmed: [], nextDueAt: null };
const underWay = "the delivery wh_1 to the endpoint we_1";

let qa: RuleBook;
beforeEach(async () => {
  qa = givenBook();
  await saveClock(bank.database.sql, qa.book, { mode: "Manual", leadMs: 0, standsAt: now, sequence: 1 });
});

/** Webhooks answers one of these in each round, and the last one from then on. The others have nothing to do. */
const advanceToNextEvent = (...rounds: Progress[]) => advanceWithin(60_000, ...rounds);

function advanceWithin(deadlineMs: number, ...rounds: Progress[]): Promise<ClockAdvance> {
  const advance = clockDesk(...rounds).advance(
    { nextEvent: true },
    { ...qa, deadline: Date.now() + deadlineMs },
  );
  return advance as Promise<ClockAdvance>;
}

function clockDesk(...rounds: Progress[]): AdvanceClockHandler {
  let round = 0;
  const request = ({ owner }: RequestType) =>
    Promise.resolve({
      value: owner === "webhooks" ? rounds[Math.min(round++, rounds.length - 1)] : nothing,
    });
  const worker = { wake: () => undefined } as AdvanceClocks;
  return new AdvanceClockHandler(bank.database, bank.units, { request } as unknown as RpcClient, worker);
}

describe("an advance to the next event", () => {
  it("goes to the next time of a quiet book", async () => {
    expect(await advanceToNextEvent({ ...nothing, nextDueAt: soon })).toMatchObject({ to: soon });
  });

  it("waits for what is under way: it may lead to the first event", async () => {
    const rounds = [
      { ...nothing, underWay },
      { ...nothing, nextDueAt: soon },
    ];
    expect(await advanceToNextEvent(...rounds)).toMatchObject({ to: soon });
  });

  it("waits for what is under way: it may lead to an earlier event", async () => {
    const rounds = [
      { ...nothing, underWay, nextDueAt: late },
      { ...nothing, nextDueAt: late },
      { ...nothing, nextDueAt: soon },
    ];
    expect(await advanceToNextEvent(...rounds)).toMatchObject({ to: soon });
  });

  it("is refused if the book is not quiet before the request's deadline", async () => {
    const refused = advanceWithin(1_500, { ...nothing, underWay, nextDueAt: late });
    expect(await refusalOf(refused)).toEqual(["service_unavailable", undefined]);
    await expect(refused).rejects.toThrow("Send the request again");
  });

  it("is refused if nothing waits", async () => {
    expect(await refusalOf(advanceToNextEvent(nothing))).toEqual(["simulation_not_applicable", "/nextEvent"]);
  });
});

describe("an advance", () => {
  it("is read in its own book, and is not found in any other", async () => {
    const { id } = (await clockDesk().advance({ to: soon }, qa)) as ClockAdvance;
    expect(await clockDesk().read({ id }, qa)).toMatchObject({ id, to: soon });
    expect(await refusalOf(clockDesk().read({ id }, givenBook()))).toEqual(["not_found", undefined]);
  });
});
