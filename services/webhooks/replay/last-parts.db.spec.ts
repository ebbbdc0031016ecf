import { expect, it } from "vitest";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import { lockWaits } from "../../../test/stack/database/lock-waits.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { makeReplay } from "../../../test/stack/services/replays.ts";
import {
  requestContext,
  statusChange,
  TestClock,
  WebhooksInstance,
} from "../../../test/stack/services/webhooks.ts";
import { until } from "../../../test/stack/until.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { belowAllUuids } from "../../platform/persistence/page.ts";
import { endIfDone, lockPart, movePart, type OpenPart, openParts } from "./store/parts.ts";

const clock = new TestClock();
const units = await forThisFile(openFreshUnits("webhooks"));
const webhooks = await forThisFile(new WebhooksInstance(units, clock));

async function end({ sql }: UnitOfWork, part: OpenPart): Promise<void> {
  await lockPart(sql, part);
  await movePart(sql, part, {
    afterDelivery: belowAllUuids,
    afterEvent: null,
    deliveriesDone: true,
    isDone: true,
    queued: 1,
  });
  await endIfDone(sql, part, clock.now());
}

it("a replay is Done when two instances end its last two parts at once, and neither sees the other's end", async () => {
  const payer = requestContext();
  // Nothing has to arrive: what counts is which transaction sees what.
  const url = "http://127.0.0.1:9/hooks";
  for (let count = 0; count < 2; count += 1) await webhooks.createEndpoint(payer, { url, maxAttempts: 1 });
  await webhooks.deliver(statusChange(payer));
  const { id } = await makeReplay(webhooks, payer);
  const book = uuidOf(payer.caller.book);
  const parts = await openParts(
    units.database.sql,
    { book_id: book, replay_id: belowAllUuids, endpoint_id: belowAllUuids },
    10,
  );
  expect(parts).toHaveLength(2);
  let second: Promise<void> = Promise.resolve();
  await units.units.run(async (first) => {
    await end(first, parts[0]!);
    let hasEnded = false;
    second = units.units.run((unit) => end(unit, parts[1]!)).finally(() => (hasEnded = true));
    await until(
      "the second end waits for the first",
      async () => hasEnded || (await lockWaits(units.database.sql)) > 0,
    );
  });
  await second;
  expect(await webhooks.replays.get({ id: id ?? "" }, payer)).toMatchObject({ status: "Done", queued: 2 });
});
