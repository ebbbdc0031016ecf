import type { ApiKey, ApiKeyStatus } from "../../../typescript/types.gen.ts";
import { Chip, type Tone } from "../../parts/values/chip.tsx";
import { age, Moment } from "../../parts/values/moment.tsx";
import { useNow } from "../../parts/values/now.ts";
import { visible } from "../../parts/values/visible-text.ts";
import { apiKeyTexts as words } from "../../texts/api-keys.ts";

const tones: Record<ApiKeyStatus, Tone> = {
  Active: "ok",
  Pending: "warn",
  Expired: "plain",
  Revoked: "plain",
  Denied: "plain",
};

/** A key that nobody has used for so long is likely forgotten. */
const longUnusedMs = 30 * 86_400_000;

export function KeyTable({ keys, open }: { keys: readonly ApiKey[]; open: (key: ApiKey) => void }) {
  const { columns } = words;
  return (
    <div className="card">
      <table className="list">
        <caption className="hidden-visually">{words.table}</caption>
        <thead>
          <tr>
            <th scope="col">{columns.name}</th>
            <th scope="col" className="wide">
              {columns.principal}
            </th>
            <th scope="col" className="wide">
              {columns.scopes}
            </th>
            <th scope="col">{columns.lastUsed}</th>
            <th scope="col" className="wide">
              {columns.ends}
            </th>
            <th scope="col">{columns.status}</th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key.id} className="link">
              <td>
                <button type="button" className="row-open" onClick={() => open(key)}>
                  {visible(key.name)}
                </button>
                <small className="mono">{shortOf(key)}</small>
              </td>
              <td className="wide name">{visible(key.principal)}</td>
              <td className="wide">
                <small>{key.scopes.join(" · ")}</small>
              </td>
              <td>
                <LastUsed apiKey={key} />
              </td>
              <td className="wide">
                {key.expiresAt === null ? words.never : <Moment at={key.expiresAt} as="day" />}
              </td>
              <td>
                <KeyStatus apiKey={key} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Enough of a key to tell it from others. */
export function shortOf({ prefix, last4 }: ApiKey): string {
  return `${prefix}…${last4}`;
}

export function KeyStatus({ apiKey: { status, replacedBy } }: { apiKey: ApiKey }) {
  const isReplaced = status === "Active" && replacedBy !== null;
  return (
    <Chip tone={isReplaced ? "plain" : tones[status]}>
      {isReplaced ? words.replaced : words.statuses[status]}
    </Chip>
  );
}

/** How long ago, and a warning where a key that works is unused for long. */
export function LastUsed({ apiKey: { status, lastUsedAt, createdAt } }: { apiKey: ApiKey }) {
  const now = useNow();
  const since = lastUsedAt ?? createdAt;
  const isLong = status === "Active" && now - Date.parse(since) > longUnusedMs;
  if (isLong) {
    const text = lastUsedAt === null ? words.neverUsed : words.unusedFor;
    return <Chip tone="warn">{text(age(since, now))}</Chip>;
  }
  if (lastUsedAt === null) return <span className="dim">{words.never}</span>;
  const ago = age(lastUsedAt, now);
  return (
    <time
      className="num"
      dateTime={lastUsedAt}
      title={`${lastUsedAt.replace("T", " ").replace("Z", "")} UTC`}
    >
      {ago === "now" ? words.justNow : words.ago(ago)}
    </time>
  );
}
