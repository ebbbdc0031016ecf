import { connect } from "node:net";
import { expect, it } from "vitest";
import { Refusal } from "../../../contracts/errors.ts";
import { GetOrder } from "../../../contracts/messages/orders.ts";
import { startGateway } from "../../../test/stack/gateway.ts";
import { until } from "../../../test/stack/until.ts";

it("a gateway that stops answers what still arrives on an open connection as any failure: as a problem", async () => {
  const gateway = await startGateway();
  const { key } = await gateway.issue();
  const received = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  await gateway.owner(GetOrder, async () => {
    received.resolve();
    await release.promise;
    throw new Refusal("not_found", "Check the id.");
  });
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  let answers = "";
  socket.setEncoding("utf8").on("data", (part: string) => (answers += part));
  const ended = new Promise((resolve) => socket.once("close", resolve));
  const head = `HTTP/1.1\r\nhost: ${hostname}\r\nx-api-key: ${key}\r\n`;
  socket.write(`GET /v1/payment-orders/po_01jd3k5s8ye9v8z2r0q3m7n4xa ${head}\r\n`);
  await received.promise;
  const closed = gateway.close();
  await until("no further connection", () =>
    fetch(gateway.url).then(
      () => undefined,
      () => true,
    ),
  );
  socket.write(
    `POST /v1/payment-orders/po_01jd3k5s8ye9v8z2r0q3m7n4xa/cancel ${head}content-length: 0\r\n\r\n`,
  );
  release.resolve();
  await Promise.all([closed, ended]);
  const [, first = "", second = ""] = answers.split("HTTP/1.1 ");
  expect(first).toMatch(/^404 /);
  expect(second).toMatch(/^50\d /);
  expect(second).toMatch(/content-type: application\/problem\+json/);
  expect(second).toMatch(/"retryable":false/);
});
