import { connect } from "node:net";
import { expect, it } from "vitest";
import { Refusal } from "../../../contracts/errors.ts";
import { GetOrder } from "../../../contracts/messages/orders.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";
import { until } from "../../../test/stack/until.ts";

it("a gateway that stops answers what still arrives on an open connection as any failure: as a problem", async () => {
  const stopping = await stopWhileAnswering();
  stopping.send(`POST ${path}/cancel`, "content-length: 0\r\n");
  stopping.release();
  const answers = await stopping.ended;
  const [, first = "", second = ""] = answers.split("HTTP/1.1 ");
  expect(first).toMatch(/^404 /);
  expect(second).toMatch(/^50\d /);
  expect(second).toMatch(/content-type: application\/problem\+json/);
  expect(second).toMatch(/"retryable":false/);
});

it("a gateway that stops closes the connection of a client that keeps it, once the last request is answered", async () => {
  const stopping = await stopWhileAnswering();
  stopping.release();
  expect(await stopping.ended).toMatch(/^HTTP\/1.1 404 /);
});

const path = "/v1/payment-orders/po_01jd3k5s8ye9v8z2r0q3m7n4xa";

/** Stops a gateway while it answers a request, and returns once it accepts no further connection. */
async function stopWhileAnswering() {
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
  const disconnected = new Promise((resolve) => socket.once("close", resolve));
  const send = (request: string, headers = "") =>
    socket.write(`${request} HTTP/1.1\r\nhost: ${hostname}\r\nx-api-key: ${key}\r\n${headers}\r\n`);
  send(`GET ${path}`);
  await received.promise;
  const closed = gateway.close();
  await until("no further connection", () => isRefused(Number(port), hostname));
  return {
    send,
    release: () => release.resolve(),
    /** All answers, once the gateway has stopped. */
    ended: Promise.all([closed, disconnected]).then(() => answers),
  };
}

function isRefused(port: number, hostname: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(port, hostname, () => {
      probe.destroy();
      resolve(false);
    }).once("error", () => resolve(true));
  });
}
