/** A frozen book refuses every operation that writes to the ledger or opens a payment. */
import { expect, it } from "vitest";
import { bookIdOf, newId, uuidOf } from "../../contracts/ids/ids.ts";
import { FreezeBook } from "../../contracts/messages/books.ts";
import { RpcClient } from "../../services/platform/rpc/client.ts";
import { forThisFile } from "../stack/for-this-file.ts";
import { until } from "../stack/until.ts";
import { natsAs, rowCounts } from "../world/system/operator.ts";
import { operationsOf, readDocument } from "./document.ts";
import { anOrder, Scenario } from "./refusals/scenario.ts";
import type { Write } from "./writes/write.ts";
import { writes } from "./writes/writes.ts";

const ofLedger = /^\/v1\/(ledger|obligations|virtual-accounts|inbound-payments|reconciliations)/;
const ofOrders = ["createPaymentOrder", "submitPaymentOrder"];

const prepared = new Map<string, { readonly method: string; readonly write: Write }>();

const scenario = await forThisFile(Scenario.open());
const document = await readDocument(`${scenario.world.baseUrl()}/v1/openapi.json`);
for (const { template, method, operation } of operationsOf(document)) {
  const name = operation.operationId;
  const make = writes[name];
  if (make === undefined || (!ofLedger.test(template) && !ofOrders.includes(name))) continue;
  prepared.set(name, { method, write: await make(scenario) });
}
await freezes();

async function freezes(): Promise<void> {
  const tenant = scenario.world.tenant.tenant.id;
  const caller = {
    book: bookIdOf(tenant, "Test"),
    tenant,
    mode: "Test",
    principal: "operator:ada",
    requestId: newId("req"),
  } as const;
  const nats = await natsAs(scenario.world, "operator");
  await new RpcClient(nats).request(FreezeBook, { caller }, { by: "ada", reason: "a drill" });
  await nats.drain();
  await until("orders has received the event", async () => {
    const [row] = await scenario.world.rows(
      "select 1 from orders.book_status where book_id = $1 and frozen",
      [uuidOf(caller.book)],
    );
    return row !== undefined;
  });
}

/** Tables that clocks and reads write. */
async function rowsThatCount(): Promise<Record<string, number>> {
  const counts = await rowCounts(scenario.world);
  return Object.fromEntries(
    Object.entries(counts).filter(
      ([table]) => /^(ledger|orders)\./.test(table) && !/inbox|outbox/.test(table),
    ),
  );
}

it("refuses each write to its ledger with a retryable error, and writes nothing", async () => {
  expect(prepared.size).toBeGreaterThan(6);
  for (const [name, { method, write }] of prepared) {
    const keyed = { "idempotency-key": `frozen ${name}` };
    for (const headers of [keyed, undefined]) {
      const before = await rowsThatCount();
      const { path, body, as = "maker" } = write;
      const answer = await until(`an answer to ${name}`, async () => {
        const answered = await scenario.sendOnce(path, {
          method,
          key: scenario.world.tenant.keys[as],
          ...(headers === undefined ? {} : { headers }),
          ...(body === undefined ? {} : { body }),
        });
        // A slow machine's answer comes too late.
        return answered.code === "upstream_timeout" ? undefined : answered;
      });
      expect([name, answer.status, answer.code, answer.retryable]).toEqual([
        name,
        503,
        "service_unavailable",
        true,
      ]);
      expect([name, await rowsThatCount()]).toEqual([name, before]);
    }
  }
});

it("leaves every other book working", async () => {
  const key = scenario.neighbour.keys.maker;
  await scenario.send("/v1/ledger-accounts", { key, body: { name: "Operating" } });
  const made = await scenario.send("/v1/payment-orders", { key, body: anOrder() });
  expect(made.status).toBe("Submitted");
});
