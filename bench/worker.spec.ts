import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { startWorker } from "./worker.ts";
import type { FromNeighbour, ToNeighbour } from "./workers/neighbour.ts";

const folder = await mkdtemp(join(tmpdir(), "quittance-worker-"));
afterAll(() => rm(folder, { recursive: true }));

/** A worker that answers a message, and ends with code 3 after the message `end`. */
async function startEcho() {
  const file = join(folder, "echo.mjs");
  const text = `process.on("message", ({ end }) => (end ? process.exit(3) : process.send({ kind: "echo" })));
process.on("disconnect", () => process.exit(0));`;
  await writeFile(file, text);
  return startWorker<{ end: boolean }, { kind: string }>("echo", pathToFileURL(file));
}

const answerOf = ({ kind }: { kind: string }) => kind;

describe("a worker that has ended", () => {
  it("is named by the answer that was awaited, and by each one after it", async () => {
    const worker = await startEcho();
    const answer = worker.answer("echoing", answerOf);
    worker.send({ end: true });
    await expect(answer).rejects.toThrow("echo, echoing: it has ended (3)");
    await expect(worker.answer("echoing again", answerOf)).rejects.toThrow(
      "echo, echoing again: it has ended (3)",
    );
  });

  it("takes messages without harm to the bench, and can be stopped", async () => {
    const worker = await startEcho();
    const answer = worker.answer("echoing", answerOf);
    worker.send({ end: true });
    await expect(answer).rejects.toThrow("it has ended");
    const errors: unknown[] = [];
    const note = (error: unknown) => errors.push(error);
    process.once("uncaughtException", note);
    worker.send({ end: false });
    await worker.stop();
    // A failed send is reported on the next tick, which is over when a promise of a timer resolves.
    await new Promise((resolve) => setImmediate(resolve));
    process.off("uncaughtException", note);
    expect(errors).toEqual([]);
  });

  it("says by which signal", async () => {
    const worker = await startEcho();
    const answer = worker.answer("echoing", answerOf);
    await worker.stop();
    await expect(answer).rejects.toThrow("echo, echoing: it has ended (SIGTERM)");
  });
});

it("the busy neighbour goes on after a connection that was reset, and counts it", async () => {
  const requests = { seen: 0 };
  const server = createServer((_, response) => {
    requests.seen += 1;
    if (requests.seen === 1) response.socket?.resetAndDestroy();
    else response.end("{}");
    if (requests.seen === 3) server.emit("three");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const file = new URL("./workers/neighbour.ts", import.meta.url);
  const neighbour = startWorker<ToNeighbour, FromNeighbour>("neighbour", file);
  try {
    const three = once(server, "three");
    const stopped = neighbour.answer("stopping", ({ answers }) => answers);
    neighbour.send({
      kind: "connect",
      baseUrl: `http://127.0.0.1:${String(port)}`,
      key: "k",
      draftId: "po_1",
    });
    neighbour.send({ kind: "send", load: "reads", parallel: 1 });
    await Promise.race([three, stopped]);
    neighbour.send({ kind: "stop" });
    expect(await stopped).toEqual({ ECONNRESET: 1, 200: expect.any(Number) });
  } finally {
    await neighbour.stop();
    server.close();
  }
});
