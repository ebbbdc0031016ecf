/** Ways to make a request invalid. Each mutation changes one thing. */
import type { RandomFaults } from "../../faults/inject/random-faults.ts";
import { newId } from "../../../contracts/ids/ids.ts";
import { nastyParameters, nastyValues } from "../../journeys/input/nasty-values.ts";

/** A request in parts, ready to be mutated. */
export interface Draft {
  method: string;
  /** Percent-encoded segments, without the first slash. */
  segments: string[];
  /** Percent-encoded `name=value` pairs. */
  query: string[];
  headers: Record<string, string | string[]>;
  /** A value. A mutation may replace it by text or bytes. */
  body: unknown;
  raw: string | Uint8Array | undefined;
}

/** Ids that exist, of this tenant and of others. */
export interface Surroundings {
  readonly strangers: readonly string[];
  readonly parameters: readonly string[];
  readonly cursors: readonly string[];
}

type Mutation = (draft: Draft, random: RandomFaults, around: Surroundings) => void;
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

/** A member of the body with the object or list that contains it. */
function somewhere(draft: Draft, random: RandomFaults): { holder: Members; name: string } | undefined {
  let holder = draft.body as Members;
  if (typeof holder !== "object" || holder === null || Object.keys(holder).length === 0) return undefined;
  for (;;) {
    const name = random.pick(Object.keys(holder));
    const inner = holder[name];
    const hasInside = typeof inner === "object" && inner !== null && Object.keys(inner).length > 0;
    if (!hasInside || random.next() < 0.4) return { holder, name };
    holder = inner as Members;
  }
}

/** A deep copy: the next mutation may change its content. */
const nasty = (random: RandomFaults): unknown => structuredClone(random.pick(nastyValues));

const change =
  (of: (random: RandomFaults, around: Surroundings) => unknown): Mutation =>
  (draft, random, around) => {
    const at = somewhere(draft, random);
    if (at === undefined) draft.body = of(random, around);
    else at.holder[at.name] = of(random, around);
  };

const inText =
  (spoil: (text: string, random: RandomFaults) => string | Uint8Array): Mutation =>
  (draft, random) => {
    draft.raw = spoil(JSON.stringify(draft.body ?? {}), random);
  };

function nested(depth: number, random: RandomFaults): string {
  const [open, close] = random.pick([
    ["[", "]"],
    ['{"a":', "}"],
  ] as const);
  return `${open.repeat(depth)}1${close.repeat(depth)}`;
}

const inBody: readonly Mutation[] = [
  change((random) => nasty(random)),
  change((random) => nasty(random)),
  change((random, { strangers }) => random.pick(strangers)),
  change((random) => "x".repeat(random.pick([40, 41, 100, 101, 255, 256, 500, 501, 65_536]))),
  change((random) => random.pick([String(1), [1], { 0: 1 }, true, null])),
  (draft, random) => {
    const at = somewhere(draft, random);
    if (at !== undefined) Reflect.deleteProperty(at.holder, at.name);
  },
  (draft, random) => {
    if (isMembers(draft.body)) draft.body = { ...draft.body, [random.pick(names)]: nasty(random) };
  },
  (draft, random) => {
    draft.body = nasty(random);
  },
  // Replaces a number by one that only text can express.
  inText((text, random) => text.replace(/(?<=:)-?\d+(?=[,}\]])/, random.pick(numbers))),
  inText(
    (text, random) =>
      `${text.slice(0, -1)}${text.length > 2 ? "," : ""}${text.slice(1, random.between(1, text.length - 1))}}`,
  ),
  inText((text) => (text.length > 2 ? `{${text.slice(1, -1)},${text.slice(1, -1)}}` : text)),
  inText((text, random) => text.slice(0, random.between(0, text.length - 1))),
  inText((text, random) => `${text}${random.pick([",", "}", "\u0000", text, "//", "\uFEFF"])}`),
  inText((text, random) => `${random.pick(["\uFEFF", "\n\n", "\u0000", ")]}',", "﻿"])}${text}`),
  inText((text) => text.replaceAll('"', "'")),
  inText((text, random) =>
    text.replace(/:(?:"[^"]*"|\d+)/, `:${nested(random.pick([5, 31, 32, 33, 1_000, 20_000]), random)}`),
  ),
  inText((text, random) =>
    Uint8Array.from(Buffer.from(text), (byte) => (random.next() < 0.05 ? random.between(0, 255) : byte)),
  ),
  inText((text) => Buffer.from(text, "utf16le")),
  inText((text) =>
    text.replaceAll(
      /[a-z](?=[a-zA-Z]*":)/g,
      (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
  ),
  (draft, random) => {
    // Rare, because large bodies would take most of the fuzz's time.
    if (random.next() < 0.1)
      draft.raw = JSON.stringify({ a: "x".repeat(random.pick([1_048_566, 1_048_569, 1_100_000])) });
  },
  (draft, random) => {
    draft.headers["content-type"] = random.pick(types);
  },
];

const inPath: readonly Mutation[] = [
  (draft, random, { strangers }) => replaceSegment(draft, random, random.pick(strangers)),
  (draft, random) =>
    replaceSegment(
      draft,
      random,
      newId(random.pick(["po", "la", "wh", "we", "cp", "key", "prop", "sink"] as const)),
    ),
  (draft, random) => replaceSegment(draft, random, random.pick(nastyParameters)),
  (draft, random) =>
    replaceSegment(
      draft,
      random,
      random.pick([
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
  (draft, random) => {
    draft.segments.splice(
      random.between(1, draft.segments.length),
      0,
      random.pick(["", "", "x", "..", "v1"]),
    );
  },
  (draft, random) => {
    const at = random.between(0, draft.segments.length - 1);
    draft.segments[at] = random.pick([
      draft.segments[at]?.toUpperCase() ?? "",
      `${draft.segments[at] ?? ""}.json`,
    ]);
  },
];

function replaceSegment(draft: Draft, random: RandomFaults, by: string): void {
  // The first two segments are the version and the collection; the rest are ids and actions.
  if (draft.segments.length > 2) draft.segments[random.between(2, draft.segments.length - 1)] = by;
  else draft.segments.push(by);
}

const inQuery: readonly Mutation[] = [
  (draft, random, { parameters }) =>
    draft.query.push(`${random.pick(parameters)}=${random.pick(nastyParameters)}`),
  (draft, random, { parameters }) =>
    draft.query.push(`${random.pick(parameters)}=${random.pick(nastyParameters)}`),
  (draft, random) =>
    draft.query.push(`limit=${random.pick([...numbers, "101", "100", "1%20", "0x10", "%D9%A1", "[]"])}`),
  (draft, random, { cursors }) => draft.query.push(`cursor=${random.pick(cursors)}`),
  (draft, random, { strangers, parameters }) =>
    draft.query.push(`${random.pick(parameters)}=${random.pick(strangers)}`),
  (draft, random) =>
    draft.query.push(
      random.pick([
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
  (draft, random) => {
    const [name, values] = random.pick(headers);
    draft.headers[name] = random.pick(values);
  },
  (draft) => Reflect.deleteProperty(draft.headers, "content-type"),
  (draft, random) => {
    draft.headers[random.pick(["x-filler", "accept-language"])] = "x".repeat(random.pick([8_000, 20_000]));
  },
];

const inMethod: readonly Mutation[] = [
  (draft, random) => {
    draft.method = random.pick(methods);
  },
];

/** Mutates one to three parts of a request, and leaves one request in twenty unchanged. */
export function spoil(draft: Draft, random: RandomFaults, around: Surroundings): void {
  if (random.next() < 0.05) return;
  const withoutBody = [inPath, inQuery, inQuery, inHeaders, inMethod, inBody];
  const withBody = [inBody, inBody, inBody, inBody, inPath, inQuery, inHeaders, inMethod];
  const kinds = draft.body === undefined ? withoutBody : withBody;
  const times = random.pick([1, 1, 1, 2, 3]);
  for (let time = 0; time < times; time += 1) random.pick(random.pick(kinds))(draft, random, around);
}
