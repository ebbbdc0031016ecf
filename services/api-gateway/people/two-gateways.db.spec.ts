import { describe, expect, it, vi } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../test/stack/gateway.ts";
import { addPasskey, confirm } from "../../../test/stack/passkey-of.ts";
import { inviteTo, sitDown } from "../../../test/stack/people.ts";

const gateway = await forThisFile(startGateway());
const elsewhere = await gateway.another();
const invite = inviteTo(gateway);

describe("a session that ends at one gateway", () => {
  it.each([
    ["a sign-out", "POST", () => "/auth/sign-out", {}],
    ["a change of roles", "PATCH", (id: string) => `/v1/people/${id}`, { roles: ["Viewer", "Maker"] }],
    ["a suspension", "PATCH", (id: string) => `/v1/people/${id}`, { status: "Suspended" }],
  ])(
    "by %s ends at the other one, which has just cached it, within a second",
    async (_how, method, path, body) => {
      const person = await invite();
      const seat = await sitDown(gateway, person);
      const admin = await sitDown(gateway, await invite({ roles: { Test: ["Admin"], Live: [] } }));
      const there = () =>
        fetch(`${elsewhere}/v1/me`, { headers: { ...seat.headers, origin: new URL(elsewhere).origin } });
      expect((await there()).status).toBe(200);
      const by = method === "POST" ? seat : admin;
      const stepUp =
        method === "POST"
          ? {}
          : await confirm(gateway, admin, await addPasskey(gateway, admin), {
              operation: "updatePerson",
              ids: [person.id],
              body,
            });
      const headers = { ...by.headers, ...stepUp };
      const ended = await gateway.call(method, path(person.id), { headers, body });
      expect(ended.status).toBeLessThan(300);
      // Sooner than the second for which it would be cached.
      await vi.waitFor(async () => expect((await there()).status).toBe(401), { timeout: 900, interval: 10 });
    },
  );
});
