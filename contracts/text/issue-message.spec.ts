import { describe, expect, it } from "vitest";
import { z } from "zod";
import { issueMessage } from "./issue-message.ts";

const messageOf = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value, { error: issueMessage }).error?.issues[0]?.message;

describe("what a schema says of a wrong value", () => {
  it.each([
    ["must be Credit or Debit", z.enum(["Credit", "Debit"]), "credit"],
    ["must be Ach, Rtp or Wire", z.enum(["Ach", "Rtp", "Wire"]), 7],
    ["must be USD", z.literal("USD"), "EUR"],
    ["must be a string", z.string(), 7],
    ["must be a number", z.number(), "7"],
    ["must be a whole number", z.int(), 12.5],
    ["must be true or false", z.boolean(), "yes"],
    ["must be a list", z.array(z.string()), {}],
    ["must be an object", z.object({}), []],
    ["must be an object", z.record(z.string(), z.string()), "text"],
    ["must be null", z.null(), 7],
    ["must have at least 10 characters", z.string().min(10), "short"],
    ["must have at most 1 character", z.string().max(1), "long"],
    ["must have at least 2 items", z.array(z.int()).min(2), [1]],
    ["must be at most 1,000", z.int().max(1_000), 1_001],
    ["must be a multiple of 5", z.int().multipleOf(5), 7],
    ["must be a day, such as 2026-03-02", z.iso.date(), "today"],
    ["must be a time, such as 2026-03-02T15:00:00Z", z.iso.datetime(), "now"],
    ["must be an email address", z.email(), "ada"],
    ["must be a URL", z.url(), "ada"],
    ["must match /^[A-Z]$/", z.string().regex(/^[A-Z]$/), "a"],
    ["has unknown fields: colour, size", z.strictObject({}), { colour: "red", size: 3 }],
    ["must be a string or null", z.union([z.string(), z.null()]), 7],
    ["must be a string", z.union([z.string().min(1), z.string().max(9)]), 7],
    ["is not valid here", z.union([z.string().regex(/^a/), z.string().regex(/^b/)]), "text"],
    ["is not valid here", z.string().refine(() => false), "text"],
  ])("%s", (message, schema, value) => {
    expect(messageOf(schema, value)).toBe(message);
  });

  it("is what the schema says itself, if it does", () => {
    expect(messageOf(z.string().regex(/^[A-Z]{3}$/, "must be an ISO 4217 code"), "usd")).toBe(
      "must be an ISO 4217 code",
    );
  });
});
