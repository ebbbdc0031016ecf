import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../../../test/stack/for-this-file.ts";
import { until } from "../../../../test/stack/until.ts";
import { SystemClock } from "../../process-clock.ts";
import { allowedRanges } from "../../endpoints/domain/safe-target.ts";
import { Connection } from "./connection.ts";
import { guardedConnector } from "./guarded-connector.ts";
import { post } from "./post.ts";

/** Promises in its Keep-Alive header to keep each connection for ten minutes. */
const patient = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
  request.resume().on("end", () => response.writeHead(204).end());
});
let open = 0;
patient.on("connection", (socket) => {
  open += 1;
  socket.once("close", () => (open -= 1));
});
const receiver = await forThisFile(patient);
receiver.listen(0, "127.0.0.1");
await once(receiver, "listening");

const clock = new SystemClock();
const connector = guardedConnector(allowedRanges(["127.0.0.0/8"]), {
  probes: { resolverAnswers: () => Promise.resolve(true), hasRoute: () => Promise.resolve(true) },
});
const port = String((receiver.address() as AddressInfo).port);
const request = { path: "/", headers: { "content-type": "application/json" }, body: Buffer.from("{}") };

describe("a connection", () => {
  it("closes when it has been idle for four seconds, even if the receiver would keep it longer", async () => {
    const connection = new Connection(`http://127.0.0.1:${port}`, connector, clock);
    expect(await post(connection, request, clock, 5_000)).toMatchObject({ responseStatus: 204 });
    expect(await post(connection, request, clock, 5_000)).toMatchObject({ responseStatus: 204 });
    expect(open).toBe(1);
    await until("the connection has closed", () => open === 0);
    await connection.close();
  });
});
