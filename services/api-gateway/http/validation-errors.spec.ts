import { describe, expect, it } from "vitest";
import { virtualAccountCreate } from "../../../contracts/http/ledger/virtual-accounts.ts";
import { refusalOfIssues } from "./validation-errors.ts";

/** The errors of a body with this metadata. */
function errorsOf(metadata: object) {
  const value = { name: "Deposits", metadata };
  const { error } = virtualAccountCreate.safeParse(value);
  const sent = { value, source: "body", schema: virtualAccountCreate } as const;
  return refusalOfIssues(error?.issues ?? [], sent).errors;
}

describe("an error of metadata", () => {
  it.each([
    ["a key with a control character", { "a\u0007b": "x" }, "/a\u0007b", "the key can't contain U+0007"],
    ["an empty key", { "": "x" }, "/", "the key must have 1 to 40 characters"],
    [
      "a key beyond its length",
      { ["k".repeat(41)]: "x" },
      `/${"k".repeat(41)}`,
      "the key must have 1 to 40 characters",
    ],
    ["a value with a control character", { team: "\u0007" }, "/team", "can't contain U+0007"],
  ])("points at %s and says what is wrong with it", (_what, metadata, pointer, message) => {
    expect(errorsOf(metadata)).toEqual([{ pointer: `/metadata${pointer}`, code: "invalid_field", message }]);
  });
});
