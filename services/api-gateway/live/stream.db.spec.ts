import { describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";
import { inviteTo, type Seat, sitDown } from "../../../test/stack/people/people.ts";
import { patienceMs, until } from "../../../test/stack/until.ts";

const gateway = await forThisFile(startGateway({ REQUESTS_UNDER_WAY: "1", RATE_LIMIT_PER_SECOND: "1000" }));
const elsewhere = await gateway.another();
const invite = inviteTo(gateway);
const resync = "event: resync\ndata: {}\n\n";

interface Stream {
  readonly response: Response;
  text: string;
  hasEnded: boolean;
}

async function openStream(
  seat: Seat,
  url = gateway.url,
  headers: Record<string, string> = {},
): Promise<Stream> {
  const response = await fetch(`${url}/v1/stream`, { headers: { ...seat.headers, ...headers } });
  const stream: Stream = { response, text: "", hasEnded: false };
  void (async () => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) stream.text += chunk;
    stream.hasEnded = true;
  })();
  await until("the first event", () => stream.text);
  return stream;
}
const codeOf = ({ text }: Stream) => (JSON.parse(text) as { code: string }).code;

describe("the stream of a session", () => {
  it("begins with a resync, and takes nothing of what the book may have under way", async () => {
    const seat = await sitDown(gateway, await invite());
    const stream = await openStream(seat);
    expect(stream.response.status).toBe(200);
    expect(stream.response.headers.get("content-type")).toBe("text/event-stream");
    expect(stream.response.headers.get("x-request-id")).toMatch(/^req_/);
    expect(stream.text).toBe(resync);
    expect((await gateway.call("GET", "/v1/me", { headers: seat.headers })).status).toBe(200);
  });

  it("learns in every gateway of new API keys, and in both books of new people", async () => {
    const admin = await invite({ roles: { Test: ["Admin"], Live: ["Viewer"] } });
    const seat = await sitDown(gateway, admin);
    const inTest = await openStream(seat, elsewhere);
    const inLive = await openStream(seat, gateway.url, { "quittance-mode": "Live" });
    const { key } = await gateway.issue({ scopes: ["keys:write", "orders:read", "people:write"] });
    const newKey = { name: "Reports", scopes: ["orders:read"] };
    const { status } = await gateway.call("POST", "/v1/api-keys", { key, body: newKey });
    expect(status).toBe(201);
    await until("the new key", () => /"type":"setting","id":"key_/.test(inTest.text));
    expect(inLive.text).toBe(resync);
    const sam = { principal: "sam", email: "sam@example.com", name: "Sam", roles: ["Viewer"] };
    await gateway.call("POST", "/v1/people", { key, body: sam });
    await until("the new person", () => /"type":"setting","id":"per_/.test(inTest.text));
    await until("the new person in Live", () => /"type":"setting","id":"per_/.test(inLive.text));
  });

  it("is refused without a session, with a key, from another page, and without a mode or a role in it", async () => {
    const seat = await sitDown(gateway, await invite());
    const { key } = await gateway.issue();
    const codeWith = async (headers: Record<string, string>) =>
      (await gateway.call("GET", "/v1/stream", { headers })).body.code;
    expect(await codeWith({})).toBe("session_ended");
    expect(await codeWith({ "x-api-key": key })).toBe("session_ended");
    expect(await codeWith({ ...seat.headers, "sec-fetch-site": "cross-site" })).toBe("cross_site_request");
    expect(await codeWith({ ...seat.headers, "quittance-mode": "Live" })).toBe("no_role_in_mode");
    const { "quittance-mode": _mode, ...withoutMode } = seat.headers;
    expect(await codeWith(withoutMode)).toBe("invalid_request");
  });

  it("is not opened for its headers alone", async () => {
    const { headers } = await sitDown(gateway, await invite());
    const answer = await fetch(`${gateway.url}/v1/stream`, {
      method: "HEAD",
      headers,
      signal: AbortSignal.timeout(patienceMs),
    });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET"]);
  });

  it("is refused as a person's sixth", async () => {
    const seat = await sitDown(gateway, await invite());
    for (let number = 0; number < 5; number += 1) await openStream(seat);
    const sixth = await openStream(seat);
    expect([sixth.response.status, codeOf(sixth)]).toEqual([429, "rate_limited"]);
  });

  it("ends with the session in every gateway, and with no other one", async () => {
    const [seat, other] = [await sitDown(gateway, await invite()), await sitDown(gateway, await invite())];
    const own = await openStream(seat);
    const there = await openStream(seat, elsewhere);
    const others = await openStream(other);
    await gateway.call("POST", "/auth/sign-out", { headers: seat.headers, body: {} });
    await until("the end of both", () => own.hasEnded && there.hasEnded);
    expect(others.hasEnded).toBe(false);
  });

  it("holds up no gateway that stops", async () => {
    const own = await startGateway();
    const seat = await sitDown(own, await inviteTo(own)());
    const stream = await openStream(seat, own.url);
    await own.close();
    await until("the end", () => stream.hasEnded);
    expect(stream.text).toBe(resync);
  });
});
