import { request } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { closedAccount, ledgerAccountExamples } from "../../../contracts/http/examples/ledger-accounts.ts";
import { CreateLedgerAccount, GetLedgerAccount, GetStatement } from "../../../contracts/messages/ledger.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";

const gateway = await forThisFile(startGateway());
const { key } = await gateway.issue();
const account = (description: string) => ({ ...closedAccount, description });
const long = account("x".repeat(2_048));

/** The bytes as they come over the wire: `fetch` would decompress them. */
function send(method: string, path: string, headers: Record<string, string> = {}, body = "") {
  return new Promise<{ headers: NodeJS.Dict<string | string[]>; bytes: Buffer }>((resolve, reject) => {
    const sent = request(
      gateway.url + path,
      { method, headers: { "x-api-key": key, ...headers } },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("end", () => {
          resolve({ headers: answer.headers, bytes: Buffer.concat(chunks) });
        });
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}
const gzip = { "accept-encoding": "gzip" };
const path = `/v1/ledger-accounts/${long.id}`;

describe("the answer to a read", () => {
  it("is compressed from 2 KiB for a caller that takes gzip", async () => {
    await gateway.owner(GetLedgerAccount, () => long);
    const { headers, bytes } = await send("GET", path, gzip);
    expect(headers).toMatchObject({ "content-encoding": "gzip", vary: "accept-encoding" });
    expect(headers["content-length"]).toBe(String(bytes.length));
    expect(bytes.length).toBeLessThan(1_000);
    expect(JSON.parse(gunzipSync(bytes).toString())).toEqual(long);
  });

  it("is sent as it is to a caller that does not, and says that others get another one", async () => {
    await gateway.owner(GetLedgerAccount, () => long);
    const { headers, bytes } = await send("GET", path);
    expect([headers["content-encoding"], headers["vary"]]).toEqual([undefined, "accept-encoding"]);
    expect(JSON.parse(bytes.toString())).toEqual(long);
  });

  it("is sent as it is when it is short", async () => {
    await gateway.owner(GetLedgerAccount, () => account("short"));
    const { headers, bytes } = await send("GET", path, gzip);
    expect(headers["content-encoding"]).toBeUndefined();
    expect(JSON.parse(bytes.toString())).toEqual(account("short"));
  });

  it("of a long statement says that it depends on what the caller accepts, too", async () => {
    const [line] = ledgerAccountExamples.LedgerAccountStatement.data;
    const lines = Array.from({ length: 20 }, () => line!);
    await gateway.owner(GetStatement, () => ({
      ...ledgerAccountExamples.LedgerAccountStatement,
      data: lines,
    }));
    const { headers } = await send("GET", `${path}/statement?from=2026-03-02&to=2026-03-02`);
    expect(headers["vary"]).toBe("accept, accept-encoding");
  });

  it("is compressed for a document too", async () => {
    const { headers, bytes } = await send("GET", "/v1/openapi.json", gzip);
    expect(headers["content-encoding"]).toBe("gzip");
    expect(JSON.parse(gunzipSync(bytes).toString())).toMatchObject({ openapi: "3.1.0" });
  });
});

it("sends the script of the reference page in a quarter of its size to a browser, which takes brotli", async () => {
  const { headers, bytes } = await send("GET", "/docs/scalar.js", { "accept-encoding": "gzip, deflate, br" });
  expect(headers).toMatchObject({ "content-encoding": "br", vary: "accept-encoding" });
  expect(bytes.length).toBeLessThan(1_150_000);
  expect(brotliDecompressSync(bytes).length).toBeGreaterThan(4_000_000);
});

it("never compresses the answer to a write, because it may show a secret beside what the caller sent", async () => {
  await gateway.owner(CreateLedgerAccount, () => long);
  const body = JSON.stringify({ name: "Operating" });
  const { headers, bytes } = await send(
    "POST",
    "/v1/ledger-accounts",
    { ...gzip, "content-type": "application/json" },
    body,
  );
  expect(headers["content-encoding"]).toBeUndefined();
  expect(JSON.parse(bytes.toString())).toEqual(long);
});
