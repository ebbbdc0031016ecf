import { expect, it } from "vitest";
import { newId } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { simulate, submit } from "../../world/actions.ts";
import { operatorRuns } from "../../world/system/operator.ts";
import { statusesOf } from "../../world/story.ts";
import { usd } from "../../world/usd.ts";
import { OwnWorld } from "../../world/system/own-world.ts";

const world = await forThisFile(OwnWorld.start({ isPatient: true }));

/** Runs the operator's command. Returns what it printed, and its error if it failed. */
async function ordersTool(...args: string[]): Promise<{ out: string; complaint: string }> {
  const { code, stdout, stderr } = await operatorRuns(world, "orders", args);
  return { out: stdout, complaint: code === 0 ? "" : stderr };
}

it("two operators settle a payment whose rail never answers, with npm run orders -- resolve", async () => {
  const payer = await world.payerWith(usd("100.00"));
  const draft = await payer.pays(usd("40.00"), { rail: "Rtp", submit: false });
  await simulate(world, draft.id, "accept");
  await submit(world, draft.id);
  await world.reaches(draft.id, ({ status }) => status === "Processing");

  const vote = ["--as", "settled", "--evidence", "Bank's portal: paid at 12:02"];
  expect((await ordersTool("resolve", draft.id, ...vote, "--by", "alice")).out).toBe(
    "proposed: another operator must confirm with the same --as settled, within 24 hours\n",
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
  const none = newId("po");
  expect((await ordersTool("resolve", none, ...vote, "--by", "carol")).complaint).toBe(
    `there is no payment order ${none}\n`,
  );
  expect((await ordersTool("resolve", "po_none", ...vote, "--by", "carol")).complaint).toMatch(
    /^po_none is not a payment order's id, po_…\nusage: npm run orders/,
  );
  expect((await ordersTool("resolve", draft.id, ...vote)).complaint).toMatch(
    /^missing: --by\nusage: npm run orders/,
  );
  expect((await ordersTool("resolve")).complaint).toMatch(
    /^missing: <order id>, --as, --evidence, --by\nusage: npm run orders/,
  );
});

it.each([
  ["orders", "parked", "no event is undecided\n"],
  ["dlq", "list", "no dead letters\n"],
  ["books", "list", "no book is frozen\n"],
] as const)(
  "npm run %s -- %s says that nothing waits for a person, and prints no record",
  async (tool, command, said) => {
    expect(await operatorRuns(world, tool, [command])).toEqual({ code: 0, stdout: said, stderr: "" });
    expect(await operatorRuns(world, tool, [command, "--json"])).toEqual({ code: 0, stdout: "", stderr: "" });
  },
);
