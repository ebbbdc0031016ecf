import { visible } from "../../../parts/values/visible-text.ts";
import { partTexts } from "../../../texts/parts.ts";

/** A JSON value whose objects and lists can be folded. Those within others begin folded. */
export function FoldedJson({ value }: { value: object }) {
  return <Members value={value} depth={0} />;
}

function Members({ value, depth }: { value: object; depth: number }) {
  return (
    <ul className="json mono">
      {Object.entries(value).map(([name, member]) => (
        <li key={name}>
          <Member name={name} value={member} depth={depth} />
        </li>
      ))}
    </ul>
  );
}

function Member({ name, value, depth }: { name: string; value: unknown; depth: number }) {
  const shown = <span className="dim">{visible(name)}:</span>;
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0) {
    return (
      <>
        {shown} {visible(JSON.stringify(value))}
      </>
    );
  }
  return (
    <details open={depth === 0}>
      <summary>
        {shown} <small className="dim">{partTexts.members(Object.keys(value).length)}</small>
      </summary>
      <Members value={value} depth={depth + 1} />
    </details>
  );
}
