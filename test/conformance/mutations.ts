/** What can be wrong with a request: each mutation spoils one thing. */
import type { Dice } from "../faults/dice.ts";
import { newId } from "../../contracts/ids/ids.ts";
import { nastyParameters, nastyValues } from "../journeys/nasty-values.ts";

/** A request in parts that can still be changed. */
export interface Draft {
  method: string;
  /** Percent-encoded segments, without the first slash. */
  segments: string[];
  /** Percent-encoded `name=value` pairs. */
  query: string[];
  headers: Record<string, string | string[]>;
  /** As a value, until a mutation makes it text or bytes. */
  body: unknown;
  raw: string | Uint8Array | undefined;
}

/** What a mutation can know of the system: ids that exist, here and elsewhere. */
export interface Surroundings {
  readonly strangers: readonly string[];
  readonly parameters: readonly string[];
  readonly cursors: readonly string[];
}

type Mutation = (draft: Draft, dice: Dice, around: Surroundings) => void;
type Members = Record<string, unknown>;

const numbers = [
  "-1",
  "0",
  "1",
  "0.5",
  "-0",
  "1e3",
  "1e400",
  "999999999999",
  "1000000000000",
  "9007199254740991",
  "9007199254740993",
  "1E-7",
];
const names = [
  "__proto__",
  "constructor",
  "toString",
  "id",
  "status",
  "bookId",
  "tenantId",
  "mode",
  "createdBy",
  "",
  "a.b",
  "a/b~c",
  "amountcents",
  "\u0000",
  "🤑",
];
const types = [
  "text/plain",
  "application/xml",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "",
  "json",
  "application/json; charset=utf-16",
  "application/problem+json",
  "APPLICATION/JSON",
  "application/json;;",
  "*/*",
];
const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND"];
const headers: readonly (readonly [string, readonly (string | string[])[]])[] = [
  [
    "idempotency-key",
    ["", " ", "k".repeat(255), "k".repeat(256), "é", "a\tb", ["a", "b"], "again", "again", "'; drop table"],
  ],
  [
    "prefer",
    [
      "wait=1",
      "wait=",
      "wait=-1",
      "wait=1e1",
      "wait=99999999999",
      "respond-async",
      "wait=1, wait=0",
      ";;;",
      "é",
    ],
  ],
  ["if-match", ["*", '"1"', '"0"', 'W/"1"', "1", '"', "", '"1", "2"', "é", "9".repeat(400)]],
  [
    "x-api-key",
    ["", "secret", "qt_test_", `qt_test_${"0".repeat(49)}`, `qt_live_${"z".repeat(49)}`, "é", ["a", "b"]],
  ],
  ["accept", ["text/html", "*/*;q=0", "", "application/problem+json"]],
  ["traceparent", ["00-0-0-0", "é", "ff".repeat(500)]],
  ["x-forwarded-for", ["127.0.0.1", "::1", "not an address"]],
  ["x-http-method-override", ["DELETE"]],
  ["content-encoding", ["gzip", "br", "identity"]],
  ["x-request-id", ["mine", "req_00000000000000000000000000"]],
  ["cookie", ["a=b"]],
];

const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A member somewhere in the body, and the object or list that holds it. */
function somewhere(draft: Draft, dice: Dice): { holder: Members; name: string } | undefined {
  let holder = draft.body as Members;
  if (typeof holder !== "object" || holder === null || Object.keys(holder).length === 0) return undefined;
  for (;;) {
    const name = dice.pick(Object.keys(holder));
    const inner = holder[name];
    const hasInside = typeof inner === "object" && inner !== null && Object.keys(inner).length > 0;
    if (!hasInside || dice.next() < 0.4) return { holder, name };
    holder = inner as Members;
  }
}

/** A copy: the next mutation may spoil what is inside. */
const nasty = (dice: Dice): unknown => structuredClone(dice.pick(nastyValues));

const change =
  (of: (dice: Dice, around: Surroundings) => unknown): Mutation =>
  (draft, dice, around) => {
    const at = somewhere(draft, dice);
    if (at === undefined) draft.body = of(dice, around);
    else at.holder[at.name] = of(dice, around);
  };

const inText =
  (spoil: (text: string, dice: Dice) => string | Uint8Array): Mutation =>
  (draft, dice) => {
    draft.raw = spoil(JSON.stringify(draft.body ?? {}), dice);
  };

function nested(depth: number, dice: Dice): string {
  const [open, close] = dice.pick([
    ["[", "]"],
    ['{"a":', "}"],
  ] as const);
  return `${open.repeat(depth)}1${close.repeat(depth)}`;
}

const inBody: readonly Mutation[] = [
  change((dice) => nasty(dice)),
  change((dice) => nasty(dice)),
  change((dice, { strangers }) => dice.pick(strangers)),
  change((dice) => "x".repeat(dice.pick([40, 41, 100, 101, 255, 256, 500, 501, 65_536]))),
  change((dice) => dice.pick([String(1), [1], { 0: 1 }, true, null])),
  (draft, dice) => {
    const at = somewhere(draft, dice);
    if (at !== undefined) Reflect.deleteProperty(at.holder, at.name);
  },
  (draft, dice) => {
    if (isMembers(draft.body)) draft.body = { ...draft.body, [dice.pick(names)]: nasty(dice) };
  },
  (draft, dice) => {
    draft.body = nasty(dice);
  },
  // A number as only text can write it, in place of one that is there.
  inText((text, dice) => text.replace(/(?<=:)-?\d+(?=[,}\]])/, dice.pick(numbers))),
  inText(
    (text, dice) =>
      `${text.slice(0, -1)}${text.length > 2 ? "," : ""}${text.slice(1, dice.between(1, text.length - 1))}}`,
  ),
  inText((text) => (text.length > 2 ? `{${text.slice(1, -1)},${text.slice(1, -1)}}` : text)),
  inText((text, dice) => text.slice(0, dice.between(0, text.length - 1))),
  inText((text, dice) => `${text}${dice.pick([",", "}", "\u0000", text, "//", "\uFEFF"])}`),
  inText((text, dice) => `${dice.pick(["\uFEFF", "\n\n", "\u0000", ")]}',", "﻿"])}${text}`),
  inText((text) => text.replaceAll('"', "'")),
  inText((text, dice) =>
    text.replace(/:(?:"[^"]*"|\d+)/, `:${nested(dice.pick([5, 31, 32, 33, 1_000, 20_000]), dice)}`),
  ),
  inText((text, dice) =>
    Uint8Array.from(Buffer.from(text), (byte) => (dice.next() < 0.05 ? dice.between(0, 255) : byte)),
  ),
  inText((text) => Buffer.from(text, "utf16le")),
  inText((text) =>
    text.replaceAll(
      /[a-z](?=[a-zA-Z]*":)/g,
      (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
  ),
  (draft, dice) => {
    // Most of the cost of a fuzz would be its largest bodies.
    if (dice.next() < 0.1)
      draft.raw = JSON.stringify({ a: "x".repeat(dice.pick([1_048_566, 1_048_569, 1_100_000])) });
  },
  (draft, dice) => {
    draft.headers["content-type"] = dice.pick(types);
  },
];

const inPath: readonly Mutation[] = [
  (draft, dice, { strangers }) => replaceSegment(draft, dice, dice.pick(strangers)),
  (draft, dice) =>
    replaceSegment(
      draft,
      dice,
      newId(dice.pick(["po", "la", "wh", "we", "cp", "key", "prop", "sink"] as const)),
    ),
  (draft, dice) => replaceSegment(draft, dice, dice.pick(nastyParameters)),
  (draft, dice) =>
    replaceSegment(
      draft,
      dice,
      dice.pick([
        "..%2f..%2fetc",
        "%2e%2e",
        ".",
        "%00",
        "%252e",
        "%f0%9f%a4%91",
        "a;b=c",
        "a%20b",
        "%c0%ae",
        "*",
      ]),
    ),
  (draft, dice) => {
    draft.segments.splice(dice.between(1, draft.segments.length), 0, dice.pick(["", "", "x", "..", "v1"]));
  },
  (draft, dice) => {
    const at = dice.between(0, draft.segments.length - 1);
    draft.segments[at] = dice.pick([
      draft.segments[at]?.toUpperCase() ?? "",
      `${draft.segments[at] ?? ""}.json`,
    ]);
  },
];

function replaceSegment(draft: Draft, dice: Dice, by: string): void {
  // The last parts are ids and actions; the first two name the version and the collection.
  if (draft.segments.length > 2) draft.segments[dice.between(2, draft.segments.length - 1)] = by;
  else draft.segments.push(by);
}

const inQuery: readonly Mutation[] = [
  (draft, dice, { parameters }) => draft.query.push(`${dice.pick(parameters)}=${dice.pick(nastyParameters)}`),
  (draft, dice, { parameters }) => draft.query.push(`${dice.pick(parameters)}=${dice.pick(nastyParameters)}`),
  (draft, dice) =>
    draft.query.push(`limit=${dice.pick([...numbers, "101", "100", "1%20", "0x10", "%D9%A1", "[]"])}`),
  (draft, dice, { cursors }) => draft.query.push(`cursor=${dice.pick(cursors)}`),
  (draft, dice, { strangers, parameters }) =>
    draft.query.push(`${dice.pick(parameters)}=${dice.pick(strangers)}`),
  (draft, dice) =>
    draft.query.push(
      dice.pick([
        "colour=red",
        "__proto__[a]=1",
        "constructor=1",
        "limit[]=1",
        "limit[gte]=1",
        "=",
        "&&",
        "%00=1",
        "%zz",
        "limit",
        "a".repeat(5_000),
      ]),
    ),
  (draft) => draft.query.push(...draft.query),
];

const inHeaders: readonly Mutation[] = [
  (draft, dice) => {
    const [name, values] = dice.pick(headers);
    draft.headers[name] = dice.pick(values);
  },
  (draft) => Reflect.deleteProperty(draft.headers, "content-type"),
  (draft, dice) => {
    draft.headers[dice.pick(["x-filler", "accept-language"])] = "x".repeat(dice.pick([8_000, 20_000]));
  },
];

const inMethod: readonly Mutation[] = [
  (draft, dice) => {
    draft.method = dice.pick(methods);
  },
];

/** Spoils one to three things of a request, and leaves one in twenty as it is. */
export function spoil(draft: Draft, dice: Dice, around: Surroundings): void {
  if (dice.next() < 0.05) return;
  const kinds =
    draft.body === undefined
      ? [inPath, inQuery, inQuery, inHeaders, inMethod, inBody]
      : [inBody, inBody, inBody, inBody, inPath, inQuery, inHeaders, inMethod];
  const times = dice.pick([1, 1, 1, 2, 3]);
  for (let time = 0; time < times; time += 1) dice.pick(dice.pick(kinds))(draft, dice, around);
}
