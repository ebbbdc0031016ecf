import type { IncomingHttpHeaders } from "node:http";
import { type FieldFault, Refusal } from "../../../contracts/errors.ts";
import { maxErrors, pointerTo, refusalOfFaults } from "./validation-errors.ts";

/** RFC 8259 §8.1: JSON is UTF-8. A lenient decoder would book a payee's garbled name. */
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Our bodies nest at most five deep. The limit keeps a megabyte of brackets from costing more than its parsing. */
const maxDepth = 32;

/** The API's bodies have fewer than a thousand members. A megabyte of members must not block the event loop. */
const maxMembers = 10_000;
const minBytesPerMember = 2;

/** Our names have fewer than a hundred characters. Each error in a member repeats the names that lead to it. */
const maxNameChars = 1_000;

/**
 * Matches every body that `rejectUnstorable` could refuse. Only escapes hold what can't be stored: raw NULs and
 * surrogates fail in the decoder or parser. A body of fewer brackets can't be nested too deep.
 */
const suspicious = new RegExp(String.raw`\\u|__proto__|^(?:[^[{]*[[{]){${maxDepth + 1}}`);

/**
 * Parses the body of a request, in the form that its headers declare. Refusals: as `parseJsonBody`;
 * `unsupported_media_type` for a content coding, and for a charset other than UTF-8.
 */
export function readJsonBody(bytes: Buffer, headers: IncomingHttpHeaders): unknown {
  if (bytes.length > 0) refuseEncoded(headers);
  return parseJsonBody(bytes);
}

const uncoded = /^\s*(?:identity\s*)?$/i;
const charsetOf = /;\s*charset\s*=\s*"?([^";\s]*)/i;

/** Without this, the bytes would be read as what they are not: ISO-2022-JP, for one, can pass as UTF-8. */
function refuseEncoded(headers: IncomingHttpHeaders): void {
  if (!uncoded.test(headers["content-encoding"] ?? "")) {
    throw new Refusal("unsupported_media_type", "Send the body without a Content-Encoding: not compressed.");
  }
  const charset = charsetOf.exec(headers["content-type"] ?? "")?.[1] ?? "utf-8";
  if (!/^utf-?8$/i.test(charset)) {
    throw new Refusal("unsupported_media_type", "Send the body in UTF-8, and name no other charset.");
  }
}

/**
 * Parses a JSON body; undefined for an empty one, because an action needs no body. The last of duplicate keys counts,
 * as always in JavaScript. Refusals: `malformed_json`; `invalid_field` for text that can't be stored; `unknown_field`
 * for `__proto__`; `invalid_request` for a body that is nested too deep, or has too many members or too long a name.
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
  if (bytes.length > maxMembers * minBytesPerMember) rejectTooLarge(value);
  if (suspicious.test(text)) rejectUnstorable(value);
  return value;
}

function rejectTooLarge(body: unknown): void {
  let members = 0;
  const open = [body];
  // JSON has no undefined, so undefined means that the stack is empty.
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null) continue;
    const inside: unknown[] = Object.values(value);
    members += inside.length;
    if (members > maxMembers) {
      throw new Refusal("invalid_request", `Send a body with at most ${maxMembers} members.`);
    }
    if (!Array.isArray(value)) refuseLongNames(Object.keys(value));
    for (const member of inside) open.push(member);
  }
}

function refuseLongNames(names: readonly string[]): void {
  if (names.every((name) => name.length <= maxNameChars)) return;
  throw new Refusal("invalid_request", `Send members with names of at most ${maxNameChars} characters.`);
}

function rejectUnstorable(body: unknown): void {
  const faults: FieldFault[] = [];
  for (const fault of unstorableIn(body)) {
    faults.push(fault);
    if (faults.length === maxErrors) break;
  }
  if (faults.length > 0) throw refusalOfFaults(faults);
}

/**
 * Finds strings that JSON allows and Postgres can't store (NUL, half a surrogate pair), and the key that would change
 * an object's prototype when copied. Refuses a body that is nested too deep. Uses its own stack, because the input
 * decides the depth.
 */
function* unstorableIn(body: unknown): Generator<FieldFault> {
  const stack: { value: unknown; path: readonly PropertyKey[] }[] = [{ value: body, path: [] }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { value, path } = next;
    if (typeof value === "string" && !isStorable(value)) {
      const message = "contains a NUL character or half a surrogate pair";
      yield { pointer: pointerTo("body", path), code: "invalid_field", message };
    }
    if (typeof value !== "object" || value === null) continue;
    if (path.length >= maxDepth)
      throw new Refusal("invalid_request", `Nest the body at most ${maxDepth} levels deep.`);
    for (const [key, member] of Object.entries(value)) {
      if (key === "__proto__" || !isStorable(key)) {
        const pointer = pointerTo("body", [...path, key]);
        yield { pointer, code: "unknown_field", message: "is not known here" };
      }
      stack.push({ value: member, path: [...path, key] });
    }
  }
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}
