import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import { paymentOrderQueryString as paymentOrderQuery } from "../../../contracts/http/payments/payment-order-query.ts";
import { oneOrMany } from "../../../contracts/http/shapes.ts";
import { ledgerTransactionBody } from "../../../contracts/http/ledger/ledger-transactions.ts";
import { obligationPatch } from "../../../contracts/http/ledger/obligations.ts";
import { paymentOrderPatchBodyV2 } from "../../../contracts/http/payments/payment-orders-v2.ts";
import { paymentOrderBody, paymentOrderPatchBody } from "../../../contracts/http/payments/payment-orders.ts";
import { ValidatePipe } from "./validate.ts";

const pipe = new ValidatePipe();
const order = {
  direction: "Credit",
  rail: "Ach",
  amountCents: 1250,
  ledgerAccountName: "Operating",
  counterpartyName: "Blue Freight",
  counterpartyAccountNumber: "000123456789",
  counterpartyRoutingNumber: "021000021",
};

function refusalOf(value: unknown, type: "body" | "query" = "body"): Pick<Refusal, "code" | "errors"> {
  try {
    pipe.transform(value, { type, schema: type === "body" ? paymentOrderBody : paymentOrderQuery });
  } catch (error) {
    if (error instanceof Refusal) return { code: error.code, errors: error.errors };
    throw error;
  }
  throw new Error("it was accepted");
}

/** The code of the refusal, and the pointers of its errors. */
const faultIn = (value: unknown, type: "body" | "query" = "body") => {
  const { code, errors } = refusalOf(value, type);
  return [code, ...(errors ?? []).map(({ pointer }) => pointer)];
};

describe("the body of a payment order", () => {
  it("is returned as it was sent", () => {
    expect(pipe.transform(order, { type: "body", schema: paymentOrderBody })).toEqual(order);
  });

  it.each([
    ["a float", 12.5],
    ["text", "1250"],
    ["zero", 0],
    ["less than nothing", -1],
    ["more than the largest amount", 1_000_000_000_000],
    ["beyond the safe integers", 2 ** 60],
    ["beyond the doubles", 1e400],
  ])("refuses an amount that is %s", (_what, amountCents) => {
    expect(new Set(faultIn({ ...order, amountCents }))).toEqual(new Set(["invalid_field", "/amountCents"]));
  });

  it.each<[string, object, string, string]>([
    ["an amount of nothing", { amountCents: 0 }, "/amountCents", "must be from 1 to 999,999,999,999"],
    [
      "an amount beyond the largest",
      { amountCents: 1e12 },
      "/amountCents",
      "must be from 1 to 999,999,999,999",
    ],
    ["an empty text", { purpose: "" }, "/purpose", "must have 1 to 100 characters"],
    ["a text beyond its length", { purpose: "x".repeat(101) }, "/purpose", "must have 1 to 100 characters"],
    [
      "a text with a limit only",
      { description: "x".repeat(256) },
      "/description",
      "must have at most 255 characters",
    ],
    [
      "a value of metadata",
      { metadata: { a: "x".repeat(501) } },
      "/metadata/a",
      "must have at most 500 characters",
    ],
  ])("says the whole range to %s", (_what, field, pointer, message) => {
    expect(refusalOf({ ...order, ...field }).errors).toEqual([{ pointer, code: "invalid_field", message }]);
  });

  it("takes null in an optional field for an absent one", () => {
    const withNulls = {
      ...order,
      description: null,
      ledgerAccountId: null,
      metadata: { team: "ops", batch: null },
    };
    const metadata = { team: "ops" };
    expect(pipe.transform(withNulls, { type: "body", schema: paymentOrderBody })).toEqual({
      ...order,
      metadata,
    });
    expect(withNulls.description).toBeNull();
  });

  it("misses a required field that is null", () => {
    expect(faultIn({ ...order, amountCents: null, ledgerAccountName: null })).toEqual([
      "missing_field",
      "/amountCents",
    ]);
    expect(faultIn({ ...order, ledgerAccountName: null })).toEqual(["missing_field", "/ledgerAccountName"]);
  });

  it("refuses a rail in the wrong case and a currency other than USD", () => {
    expect(faultIn({ ...order, rail: "ach" })).toEqual(["invalid_field", "/rail"]);
    expect(faultIn({ ...order, currency: "EUR" })).toEqual(["invalid_field", "/currency"]);
  });

  it("refuses a date of the year 0, which Postgres can't store", () => {
    expect(faultIn({ ...order, effectiveDate: "0000-01-01" })).toEqual(["invalid_field", "/effectiveDate"]);
  });

  it("names every missing field", () => {
    expect(faultIn(undefined)).toEqual(["missing_field", "/direction", "/rail", "/amountCents"]);
  });

  it("refuses an unknown field, with its name escaped as RFC 6901 requires", () => {
    expect(refusalOf({ ...order, "a/b~c": 1 })).toEqual({
      code: "unknown_field",
      errors: [{ pointer: "/a~1b~0c", code: "unknown_field", message: "is not known here" }],
    });
  });

  it("needs the ledger account's name or id, not both", () => {
    const { ledgerAccountName: _left, ...without } = order;
    expect(faultIn(without)).toEqual(["missing_field", "/ledgerAccountName"]);
    expect(faultIn({ ...order, ledgerAccountId: "la_x" })).toEqual(["invalid_field", "/ledgerAccountId"]);
  });

  it("is invalid_request when its errors have several codes, and lists each with its code", () => {
    expect(refusalOf({ ...order, rail: "ach", colour: "red" })).toEqual({
      code: "invalid_request",
      errors: [
        {
          pointer: "/rail",
          code: "invalid_field",
          message: "must be Ach, SameDayAch, Rtp, Wire, Book or Usdc",
        },
        { pointer: "/colour", code: "unknown_field", message: "is not known here" },
      ],
    });
  });

  it("points into metadata", () => {
    expect(faultIn({ ...order, metadata: { batch: 7 } })).toEqual(["invalid_field", "/metadata/batch"]);
  });

  it.each([[[]], ["text"], [7]])("refuses %j, which is not an object", (body) => {
    expect(refusalOf(body)).toEqual({ code: "invalid_request", errors: undefined });
  });
});

describe("the body of a PATCH", () => {
  const patch = (body: unknown) => pipe.transform(body, { type: "body", schema: paymentOrderPatchBody });

  it("keeps null, which clears an optional field", () => {
    const body = { description: null, metadata: { team: null } };
    expect(patch(body)).toEqual(body);
  });

  it.each([
    [paymentOrderPatchBody, { rail: null }],
    [paymentOrderPatchBodyV2, { rail: null }],
    [obligationPatch, { reference: null }],
  ])("refuses null in a field that can't be cleared", (schema, body) => {
    expect(() => pipe.transform(body, { type: "body", schema })).toThrow(Refusal);
  });
});

describe("a list in a body", () => {
  const schema = ledgerTransactionBody;
  const transaction = (entries: unknown) => ({ description: "Move", status: "Posted", entries });
  const errorsOf = (body: unknown) => {
    try {
      return pipe.transform(body, { type: "body", schema });
    } catch (error) {
      return (error as Refusal).errors;
    }
  };

  it("has the range of its length in its refusal", () => {
    expect(errorsOf(transaction([]))).toEqual([
      { pointer: "/entries", code: "invalid_field", message: "must have 2 to 100 items" },
    ]);
  });

  it("has members whose nulls count as absent, but no null in place of an item", () => {
    const entry = { ledgerAccountName: "Operating", direction: "Debit", amountCents: 5 };
    const entries = [{ ...entry, ledgerAccountId: null }, entry];
    expect(errorsOf(transaction(entries))).toMatchObject({ entries: [entry, entry] });
    expect(errorsOf(transaction([entry, entry, null]))).toMatchObject([{ pointer: "/entries/2" }]);
  });
});

describe("a query", () => {
  it("says the range of a limit", () => {
    expect(refusalOf({ limit: "0" }, "query").errors).toEqual([
      { pointer: "?limit", code: "invalid_field", message: "must be from 1 to 100" },
    ]);
  });

  it("parses numbers and repeated parameters", () => {
    const query = { limit: "10", status: ["Pending", "Failed"], rail: "Ach" };
    expect(pipe.transform(query, { type: "query", schema: paymentOrderQuery })).toEqual({
      limit: 10,
      status: ["Pending", "Failed"],
      rail: ["Ach"],
    });
  });

  it("takes each value of a repeated parameter once, and at most 50", () => {
    const schema = z.strictObject({ team: oneOrMany(z.string().max(5)) });
    const teams = (count: number) => Array.from({ length: count }, (_, index) => `t${String(index)}`);
    const parse = (query: object) => pipe.transform(query, { type: "query", schema });
    expect(parse({ team: "ops" })).toEqual({ team: ["ops"] });
    expect(parse({})).toEqual({});
    expect(parse({ team: [...teams(50), "t0"] })).toEqual({ team: teams(50) });
    expect(() => parse({ team: ["ops", "longer"] })).toThrow("Correct the fields");
    const tooMany = { pointer: "?team", code: "invalid_field", message: "takes at most 50 values" };
    expect(() => parse({ team: teams(51) })).toThrow(expect.objectContaining({ errors: [tooMany] }));
  });

  it("parses ranges and pairs", () => {
    const query = {
      "amountCents[gte]": "100",
      "createdAt[lt]": "2026-03-02T15:00:00Z",
      "metadata[team]": "ops",
      "metadata[a[b]]": "=",
    };
    expect(pipe.transform(query, { type: "query", schema: paymentOrderQuery })).toEqual({
      limit: 25,
      "amountCents[gte]": 100,
      "createdAt[lt]": "2026-03-02T15:00:00Z",
      metadata: { team: "ops", "a[b]": "=" },
    });
  });

  it.each([
    ["amountCents[gte]", ""],
    ["amountCents[gte]", "1.5"],
    ["amountCents[gte]", "1e3"],
    ["amountCents[lte]", "-1"],
    ["amountCents[lte]", "1000000000000"],
    ["amountCents[gte]", ["1", "2"]],
    ["createdAt[gte]", "2026-03-02"],
    ["createdAt[lt]", "yesterday"],
    ["metadata[team]", ["ops", "tax"]],
    ["metadata[team]", "x".repeat(501)],
    [`metadata[${"k".repeat(41)}]`, "ops"],
    ["metadata", "ops"],
    ["ledgerAccountId", "po_01jd3k60a2f8x9t4c1v5b7w3me"],
    ["counterpartyId", ""],
    ["returnCode", "r01"],
    ["idempotencyKey", "é"],
    ["status", "Gone"],
    ["limit", "0"],
    ["limit", "101"],
    ["limit", "ten"],
    ["limit", "1.5"],
    ["limit", "1e1"],
    ["limit", "0x10"],
    ["limit", ""],
    // No database reads these.
    ["createdAt[gte]", "0000-01-01T00:00:00Z"],
    ["createdAt[gte]", "2026-01-01T00:00:00+16:00"],
    ["createdAt[gte]", "2026-01-01T00:00:00-23:59"],
    ["createdAt[gte]", `2026-01-01T00:00:00.${"1".repeat(200)}Z`],
    ["externalId", "a\0b"],
    ["metadata[a\0b]", "x"],
  ])("refuses %s of %j", (name, value) => {
    expect(faultIn({ [name]: value }, "query")).toEqual(["invalid_field", `?${name}`]);
  });

  it.each([
    "amountCents",
    "amountCents[gt]",
    "createdAt[lte]",
    "metadata[]",
    "metadata[__proto__]",
    "status[]",
  ])("does not know %s", (name) => {
    expect(faultIn({ [name]: "1" }, "query")).toEqual(["unknown_parameter", `?${name}`]);
  });

  it("refuses an unknown parameter", () => {
    expect(refusalOf({ colour: "red" }, "query")).toEqual({
      code: "unknown_parameter",
      errors: [{ pointer: "?colour", code: "unknown_parameter", message: "is not known here" }],
    });
  });
});
