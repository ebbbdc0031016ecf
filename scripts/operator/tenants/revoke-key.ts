/** `npm run tenants -- revoke-key`: ends a key, and with an option the keys that it made. */
import { type ApiKeyId, isId } from "../../../contracts/ids/ids.ts";
import { operator } from "../../../services/api-gateway/keys/domain/key-format.ts";
import {
  type EndedKeys,
  endDescendants,
  noActiveKey,
  revokeKey,
} from "../../../services/api-gateway/keys/revoke-key.ts";
import { type Given, Misuse } from "../command-line/given.ts";
import type { Tool } from "../command-line/tool.ts";
import { record } from "./audit.ts";
import { asGateway, type Work } from "./gateway-work.ts";

function keyIdOf(given: Given): ApiKeyId {
  const text = given.argument(0);
  if (!isId("key", text)) throw new Misuse("send the key's id, key_…; see npm run tenants -- keys <tenant>");
  return text;
}

/**
 * A key that has leaked ends first, in a transaction of its own. Those that it made end a thousand at a time; so a
 * repeat ends the rest if the command was interrupted.
 */
async function revoke(given: Given): Promise<void> {
  const id = keyIdOf(given);
  const withDescendants = given.has("include-descendants");
  const { revoked, denied, ...book } = await asGateway(async (unit) => {
    const ended = await revokeKey(unit, id);
    if (!withDescendants && ended.revoked.length + ended.denied.length === 0) throw noActiveKey(id);
    await recordEnded(unit, given, id, ended);
    return ended;
  });
  const isNew = revoked.includes(id);
  given.print({ id, status: "Revoked", isNew }, isNew ? "revoked" : "was revoked before");
  printEnded(given, id, [...revoked, ...denied]);
  if (!withDescendants) return;
  let count = 0;
  for (let mayHaveMore = true; mayHaveMore; ) {
    const more = await asGateway(async (unit) => {
      const made = await endDescendants(unit, { ...book, principal: operator }, id);
      await recordEnded(unit, given, id, { ...made, ...book });
      return made;
    });
    const keys = [...more.revoked, ...more.denied];
    printEnded(given, id, keys);
    count += keys.length;
    mayHaveMore = more.mayHaveMore;
  }
  if (count === 0) given.note("no other key ended with it");
}

/** As soon as they have ended: if the command is interrupted later, these are not lost. */
function printEnded(given: Given, id: ApiKeyId, keys: readonly ApiKeyId[]): void {
  for (const key of keys)
    if (key !== id) given.print({ id: key, status: "Ended", with: id }, `  ${key} ended with it`);
}

function recordEnded(
  unit: Work,
  given: Given,
  id: ApiKeyId,
  { revoked, denied, tenant, mode }: EndedKeys & Awaited<ReturnType<typeof revokeKey>>,
): Promise<void> {
  const details = (key: ApiKeyId) => (key === id ? {} : { revokedWith: id });
  return record(unit, given, { tenant, mode }, [
    ...revoked.map((key) => ["ApiKeyRevoked", key, details(key)] as const),
    ...denied.map((key) => ["ApiKeyDenied", key, { revokedWith: id }] as const),
  ]);
}

export const revokeCommand: Tool["commands"] = {
  "revoke-key": {
    about:
      "revoke a key permanently. Requests with it get 401 within a second; its approvals stop counting\nwhen orders has received the event. --include-descendants also ends the keys that it made,\ndirectly or through others: for a key that has leaked",
    takes: ["<key id>"],
    options: { "include-descendants": {} },
    changes: true,
    check: keyIdOf,
    run: revoke,
  },
};
