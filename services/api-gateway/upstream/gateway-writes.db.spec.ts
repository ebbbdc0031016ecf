import { expect, it } from "vitest";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";
import { connectTo } from "../../../test/stack/servers/database.ts";

const gateway = await forThisFile(startGateway());
const session = await forThisFile(connectTo(gateway.adminUrl));

it("a key that waits for a lock until its caller's deadline is refused, and never made", async () => {
  const { key } = await gateway.issue({ principal: "ana" });
  const namesOfKeys = async () => {
    const { body } = await gateway.call("GET", "/v1/api-keys", { key });
    return (body["data"] as { name: string }[]).map(({ name }) => name);
  };
  const before = await namesOfKeys();
  await session.query("begin");
  await session.query("select 1 from gateway.tenant where id = $1 for update", [uuidOf(gateway.tenant)]);
  const late = { name: "Late", principal: "ana", scopes: ["orders:read"] };
  const send = (headers: Record<string, string>) =>
    gateway.call("POST", "/v1/api-keys", { key, body: late, headers });
  const answers = await Promise.all([send({}), send({ "idempotency-key": "late" })]);
  expect(answers.map(({ status, body }) => [status, body["code"], body["detail"]])).toEqual([
    [
      504,
      "upstream_timeout",
      "The service did not answer in time. This request had no Idempotency-Key: read whether it was carried out before you send it again.",
    ],
    [
      504,
      "upstream_timeout",
      "The service did not answer in time. The request may have been carried out: send it again with the same Idempotency-Key.",
    ],
  ]);
  await session.query("rollback");
  expect(await namesOfKeys()).toEqual(before);
});
