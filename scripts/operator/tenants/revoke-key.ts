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
  const ended = [...revoked, ...denied];
  for (let mayHaveMore = withDescendants; mayHaveMore; ) {
    const more = await asGateway(async (unit) => {
      const made = await endDescendants(unit, { ...book, principal: operator }, id);
      await recordEnded(unit, given, id, { ...made, ...book });
      return made;
    });
    ended.push(...more.revoked, ...more.denied);
    mayHaveMore = more.mayHaveMore;
  }
  const others = ended.filter((key) => key !== id);
  given.print(
    { id, status: "Revoked", ended },
    "revoked",
    ...(withDescendants ? [`${String(others.length)} other keys ended with it`] : []),
    ...others.map((key) => `  ${key}`),
  );
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
      "revoke a key permanently; effective within a second. --include-descendants also ends\nthe keys that it made, directly or through others: for a key that has leaked",
    takes: ["<key id>"],
    options: { "include-descendants": {} },
    changes: true,
    check: keyIdOf,
    run: revoke,
  },
};
