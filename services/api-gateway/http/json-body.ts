import { type FieldFault, Refusal } from "../../../contracts/errors.ts";
import { pointerTo, refusalOfFaults } from "./validation-errors.ts";

/** RFC 8259 §8.1: JSON is UTF-8. A lenient decoder would book a payee's garbled name. */
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Our bodies nest at most five deep. The limit keeps a megabyte of brackets from costing more than its parsing. */
const maxDepth = 32;

/**
 * No body of ours has a thousand. The bound keeps a megabyte of them from holding up everybody while a schema looks.
 */
const maxMembers = 10_000;
const minBytesPerMember = 2;

/** Only an escape can smuggle in what `refuseUnstorable` looks for: raw NULs and surrogates fail before it. */
const suspicious = /\\u|__proto__/;

/**
 * Parses a JSON body. No bytes are no body (undefined): an action may come without one. Of duplicate
 * keys the last one counts, as everywhere in JavaScript.
 * Refusals: `malformed_json`; `invalid_field` for text that can't be stored; `unknown_field` for `__proto__`;
 * `invalid_request` for either of them nested absurdly deep, and for a body of more members than any of ours has.
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  let text: string;
  let value: unknown;
  try {
    text = utf8.decode(bytes);
    value = JSON.parse(text);
  } catch {
    // The parser's own message may quote the body, which can hold account numbers.
    throw new Refusal("malformed_json", "Send a body that is valid JSON in UTF-8.");
  }
  if (bytes.length > maxMembers * minBytesPerMember) rejectTooManyMembers(value);
  if (suspicious.test(text)) rejectUnstorable(value);
  return value;
}

function rejectTooManyMembers(body: unknown): void {
  let members = 0;
  const open = [body];
  // JSON has no undefined: that is the end.
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null) continue;
    const inside: unknown[] = Object.values(value);
    members += inside.length;
    if (members > maxMembers) {
      throw new Refusal("invalid_request", `Send a body with at most ${maxMembers} members.`);
    }
    for (const member of inside) open.push(member);
  }
}

/**
 * Refuses strings that JSON can write and Postgres can't store (NUL, half a surrogate pair) and the key that would
 * change an object's prototype when copied. Walks with a stack of its own: input decides the depth.
 */
function rejectUnstorable(body: unknown): void {
  const faults: FieldFault[] = [];
  const stack: { value: unknown; path: readonly PropertyKey[] }[] = [{ value: body, path: [] }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { value, path } = next;
    if (typeof value === "string" && !isStorable(value)) {
      faults.push({
        pointer: pointerTo("body", path),
        code: "invalid_field",
        message: "has a NUL or half a character",
      });
    }
    if (typeof value !== "object" || value === null) continue;
    if (path.length >= maxDepth)
      throw new Refusal("invalid_request", `Nest the body at most ${maxDepth} levels deep.`);
    for (const [key, member] of Object.entries(value)) {
      if (key === "__proto__" || !isStorable(key)) {
        faults.push({
          pointer: pointerTo("body", [...path, key]),
          code: "unknown_field",
          message: "is not known here",
        });
      }
      stack.push({ value: member, path: [...path, key] });
    }
  }
  if (faults.length > 0) throw refusalOfFaults(faults);
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}
