const maxRemembered = 1_000;
/** A caller can send names of any length: a thousand long ones would fill the memory. */
const maxRememberedChars = 64;
const remembered = new Map<string, string>();

/** JSON with sorted object members: equal values give equal text, which can be hashed. */
export function canonicalJson(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const members = value as Readonly<Record<string, unknown>>;
  let text = "{";
  for (const name of Object.keys(members).sort()) {
    if (text !== "{") text += ",";
    text += `${jsonOfName(name)}:${canonicalJson(members[name])}`;
  }
  return `${text}}`;
}

/** Remembered, because most objects have the same few names. */
function jsonOfName(name: string): string {
  if (name.length > maxRememberedChars) return JSON.stringify(name);
  const known = remembered.get(name);
  if (known !== undefined) return known;
  const text = JSON.stringify(name);
  if (remembered.size >= maxRemembered) remembered.clear();
  remembered.set(name, text);
  return text;
}
