import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { simulate, submit } from "../world/actions.ts";
import { statusesOf } from "../world/story.ts";
import { usd } from "../world/usd.ts";
import { World } from "../world/world.ts";

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

/** Runs the operator's command. Returns what it printed, and its error if it failed. */
async function ordersTool(...args: string[]): Promise<{ out: string; complaint: string }> {
  const script = join(import.meta.dirname, "../../scripts/operator/orders.ts");
  const env = {
    ...process.env,
    DATABASE_URL: world.system.adminUrl,
    NATS_URL: world.system.natsUrl,
    NATS_PASSWORD: world.system.secrets.natsPasswords.operator,
  };
  const run = promisify(execFile)(process.execPath, [script, ...args], { env });
  return run.then(
    ({ stdout }) => ({ out: stdout, complaint: "" }),
    (error: { stdout: string; stderr: string }) => ({ out: error.stdout, complaint: error.stderr }),
  );
}

it("two operators settle a payment whose rail never answers, with npm run orders -- resolve", async () => {
  const payer = await world.payerWith(usd("100.00"));
  const draft = await payer.pays(usd("40.00"), { rail: "Rtp", submit: false });
  await simulate(world, draft.id, "accept");
  await submit(world, draft.id);
  await world.reaches(draft.id, ({ status }) => status === "Processing");

  const vote = ["--as", "settled", "--evidence", "Bank's portal: paid at 12:02"];
  expect((await ordersTool("resolve", draft.id, ...vote, "--by", "alice")).out).toBe(
    "proposed: another operator must confirm with the same --as settled\n",
  );
  expect((await ordersTool("resolve", draft.id, ...vote, "--by", "alice")).complaint).toBe(
    "alice proposed this, so another operator must confirm it.\n",
  );
  expect((await ordersTool("resolve", draft.id, ...vote, "--by", "bob")).out).toBe(
    "resolved as settled; the order is Processing\n",
  );
  const done = await world.comesToRest(draft.id);
  expect(statusesOf(done).at(-1)).toBe("Completed");
  expect(done.statusHistory.at(-1)).toMatchObject({
    actor: "operator",
    reason: "Resolved as settled by alice and bob: Bank's portal: paid at 12:02",
  });
  expect(await payer.balance()).toEqual({ posted: usd("60.00"), held: 0, available: usd("60.00") });

  expect((await ordersTool("resolve", draft.id, ...vote, "--by", "carol")).complaint).toBe(
    "This order is Completed. Only an order that is at its rail can be resolved.\n",
  );
  expect((await ordersTool("resolve", "po_none", ...vote, "--by", "carol")).complaint).toBe(
    "there is no payment order po_none\n",
  );
  expect((await ordersTool("resolve", draft.id, ...vote)).complaint).toMatch(
    /^missing: --by\nusage: npm run orders/,
  );
  expect((await ordersTool("resolve")).complaint).toMatch(
    /^missing: the order id, --as, --evidence, --by\nusage: npm run orders/,
  );
});
