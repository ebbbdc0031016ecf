/** `npm run orders -- resolve`: one operator's vote on an order that is stuck at its rail. */
import type { z } from "zod";
import { newId } from "../../../contracts/ids/ids.ts";
import { ResolveOrder } from "../../../contracts/messages/orders.ts";
import { issueMessage } from "../../../contracts/text/issue-message.ts";
import type { Sql } from "../../../services/platform/persistence/sql.ts";
import { RpcClient } from "../../../services/platform/rpc/client.ts";
import { inDatabase, operatorNats } from "../command-line/connections.ts";
import { type Given, Misuse } from "../command-line/given.ts";
import type { Tool } from "../command-line/tool.ts";
import { findOrder, orderIdOf } from "./find-order.ts";

function voteOf(given: Given): z.output<typeof ResolveOrder.data> {
  const vote = ResolveOrder.data.safeParse(
    {
      id: orderIdOf(given.argument(0)),
      as: given.required("as"),
      evidence: given.required("evidence"),
      by: given.by,
    },
    { error: issueMessage },
  );
  if (vote.success) return vote.data;
  const [fault] = vote.error.issues;
  throw new Misuse(`--${fault?.path.join(".") ?? ""}: ${fault?.message ?? "invalid"}`);
}

/** The request acts for the order's tenant, in the operator's name. */
async function resolve(sql: Sql, given: Given): Promise<void> {
  const vote = voteOf(given);
  const owner = await findOrder(sql, orderIdOf(vote.id));
  const nats = await operatorNats();
  try {
    const caller = { ...owner, principal: `operator:${vote.by}`, requestId: newId("req") };
    const { value } = await new RpcClient(nats).request(ResolveOrder, { caller }, vote);
    given.print(
      { id: vote.id, as: vote.as, ...value },
      value.resolution === "Resolved"
        ? `resolved as ${vote.as}; the order is ${value.status}`
        : `proposed: another operator must confirm with the same --as ${vote.as}, within 24 hours`,
    );
  } finally {
    await nats.drain();
  }
}

export const resolveCommand: Tool["commands"] = {
  resolve: {
    about:
      "end an order that is stuck at its rail, with what was seen and where; one operator\nproposes, another confirms with the same --as, within 24 hours",
    takes: ["<order id>"],
    options: {
      as: { value: "settled|failed", required: true },
      evidence: { value: "<what was seen, where>", required: true },
    },
    changes: true,
    check: voteOf,
    run: (given) => inDatabase((sql) => resolve(sql, given)),
  },
};
