import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { httpOptionsOf } from "./options.ts";

const { clientErrorHandler } = httpOptionsOf({
  DOCS_BASE_URL: "http://docs/",
  TRUSTED_PROXIES: "",
  REQUEST_TIMEOUT_MS: 30_000,
});

/** What a caller reads that the server can't understand, or waits for in vain. */
async function answerTo(code: string): Promise<{ head: string; detail: unknown }> {
  const socket = new PassThrough();
  const error = Object.assign(new Error(code), { code, bytesParsed: 0, rawPacket: new Uint8Array() });
  Reflect.apply(clientErrorHandler as () => void, undefined, [error, socket]);
  const [head = "", body = "{}"] = (await socket.toArray()).join("").split("\r\n\r\n");
  return { head, detail: (JSON.parse(body) as { detail: unknown }).detail };
}

it("a request that does not arrive in time gets 408, after which clients repeat it", async () => {
  const { head, detail } = await answerTo("ERR_HTTP_REQUEST_TIMEOUT");
  expect(head).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
  expect(detail).toBe("Nothing was carried out. Send the whole request again, faster.");
});

it("a request that is not HTTP learns what to send", async () => {
  const { head, detail } = await answerTo("HPE_INVALID_METHOD");
  expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(detail).toBe("Send a well-formed HTTP/1.1 request with at most 16 KiB of headers.");
});
