import { describe, expect, it, vi } from "vitest";
import { Refusal } from "../../../contracts/errors.ts";
import { parseJsonBody, readJsonBody } from "./json-body.ts";

function refusalOf(text: string | Buffer): { code: string; pointers: readonly string[] | undefined } {
  try {
    parseJsonBody(Buffer.from(text));
  } catch (error) {
    if (error instanceof Refusal)
      return { code: error.code, pointers: error.errors?.map((fault) => fault.pointer) };
    throw error;
  }
  throw new Error("it was accepted");
}

describe("a JSON body", () => {
  it("is parsed", () => {
    expect(parseJsonBody(Buffer.from('{"name":"Zo\\u00eb \\ud83d\\ude00","n":[1,null]}'))).toEqual({
      name: "Zoë 😀",
      n: [1, null],
    });
  });

  it("may be empty, because an action needs none", () => {
    expect(parseJsonBody(Buffer.alloc(0))).toBeUndefined();
  });

  it.each(["{", "{'a':1}", '{"a":1,}', "nope", '{"a":"\u0000"}', " "])(
    "is refused when it is malformed: %j",
    (text) => {
      expect(refusalOf(text)).toEqual({ code: "malformed_json", pointers: undefined });
    },
  );

  it("is refused when it is not UTF-8", () => {
    expect(refusalOf(Buffer.from([0x22, 0xe9, 0x22])).code).toBe("malformed_json");
  });

  it("takes the last of two equal keys", () => {
    expect(parseJsonBody(Buffer.from('{"amountCents":1,"amountCents":2}'))).toEqual({ amountCents: 2 });
  });

  it("is refused for text that Postgres can't store", () => {
    expect(refusalOf('{"a":{"b":["x\\u0000"]}}')).toEqual({ code: "invalid_field", pointers: ["/a/b/0"] });
    expect(refusalOf('{"a":"\\ud800"}')).toEqual({ code: "invalid_field", pointers: ["/a"] });
  });

  it("is refused for a key that would change a prototype, however it is written", () => {
    expect(refusalOf('{"metadata":{"__proto__":"x"}}')).toEqual({
      code: "unknown_field",
      pointers: ["/metadata/__proto__"],
    });
    expect(refusalOf('{"\\u005f_proto__":{"admin":true}}').code).toBe("unknown_field");
  });

  it("may nest 32 levels deep, and no deeper", () => {
    const nested = (levels: number) => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
    expect(parseJsonBody(Buffer.from(nested(32)))).toBeDefined();
    expect(refusalOf(nested(33)).code).toBe("invalid_request");
    expect(refusalOf(nested(4_000)).code).toBe("invalid_request");
    expect(parseJsonBody(Buffer.from(JSON.stringify({ text: "[".repeat(50) })))).toBeDefined();
  });

  it("is refused before validation when it has too many members", () => {
    const pairs = (count: number) =>
      JSON.stringify({ metadata: Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 1])) });
    expect(refusalOf(pairs(10_000)).code).toBe("invalid_request");
    expect(refusalOf(`[${"{},".repeat(10_000)}{}]`).code).toBe("invalid_request");
    expect(parseJsonBody(Buffer.from(pairs(9_999)))).toHaveProperty("metadata.k9998", 1);
  });

  it("is refused when a name has more than 1,000 characters, because every error below it would repeat the name", () => {
    const named = (name: string) => `{"${name}":[${'"\\u0000",'.repeat(9_000)}""]}`;
    expect(refusalOf(named("k".repeat(950_000)))).toEqual({ code: "invalid_request", pointers: undefined });
    expect(refusalOf(named("k".repeat(1_001)))).toEqual({ code: "invalid_request", pointers: undefined });
    expect(refusalOf(named("k".repeat(1_000))).pointers).toHaveLength(50);
  });

  it("is searched for text that can't be stored up to the 50 errors that are answered", () => {
    const replaceAll = vi.spyOn(String.prototype, "replaceAll");
    try {
      expect(refusalOf(`{"a":[${'"\\u0000",'.repeat(9_000)}""]}`).pointers).toHaveLength(50);
      // Two for each name in the path of an error.
      expect(replaceAll).toHaveBeenCalledTimes(50 * 2 * 2);
    } finally {
      replaceAll.mockRestore();
    }
  });

  it("is refused quickly when it consists of brackets only", () => {
    const depth = 200_000;
    expect(refusalOf(`${"[".repeat(depth)}"\\u0041"${"]".repeat(depth)}`).code).toBe("invalid_request");
  });
});

describe("the headers of a JSON body", () => {
  const json = "application/json";
  it.each([
    { "content-type": json },
    { "content-type": `${json}; charset=utf-8` },
    { "content-type": `${json};charset="UTF-8"` },
    { "content-type": `${json}; v=1; charset=utf8`, "content-encoding": "identity" },
  ])("may be %j", (headers) => {
    expect(readJsonBody(Buffer.from('{"name":"Zoë"}'), headers)).toEqual({ name: "Zoë" });
  });

  it.each([
    { "content-type": json, "content-encoding": "gzip" },
    { "content-type": json, "content-encoding": "identity, br" },
    { "content-type": `${json}; charset=iso-2022-jp` },
    { "content-type": `${json}; v=1; CHARSET = "UTF-16"` },
    { "content-type": `${json}; charset=utf-80` },
  ])("are refused if they are %j", (headers) => {
    expect(() => readJsonBody(Buffer.from("{}"), headers)).toThrow(
      expect.objectContaining({ code: "unsupported_media_type" }),
    );
    expect(readJsonBody(Buffer.alloc(0), headers)).toBeUndefined();
  });
});
