import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { httpOptionsOf } from "./options.ts";

const { clientErrorHandler } = httpOptionsOf({ DOCS_BASE_URL: "http://docs/", TRUSTED_PROXIES: "" });

/** What a caller reads that the server can't understand, or waits for in vain. */
async function answerTo(code: string): Promise<{ head: string; detail: unknown }> {
  const socket = new PassThrough();
  const error = Object.assign(new Error(code), { code, bytesParsed: 0, rawPacket: new Uint8Array() });
  Reflect.apply(clientErrorHandler as () => void, undefined, [error, socket]);
  const [head = "", body = "{}"] = (await socket.toArray()).join("").split("\r\n\r\n");
  return { head, detail: (JSON.parse(body) as { detail: unknown }).detail };
}

it("a request that does not arrive in time learns so, and that nothing was carried out", async () => {
  const { head, detail } = await answerTo("ERR_HTTP_REQUEST_TIMEOUT");
  expect(head).toMatch(/^HTTP\/1\.1 400 /);
  expect(detail).toBe("Send the whole request within 30 seconds. Nothing was carried out.");
});

it("a request that is not HTTP learns what to send", async () => {
  expect((await answerTo("HPE_INVALID_METHOD")).detail).toBe(
    "Send a well-formed HTTP/1.1 request with at most 16 KiB of headers.",
  );
});
