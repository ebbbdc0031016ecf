import { describe, expect, it } from "vitest";
import { webhookReplayCreate } from "../../../contracts/http/webhooks/replays.ts";
import { testSinkCreate } from "../../../contracts/http/webhooks/test-sinks.ts";
import { issueMessage } from "../../../contracts/text/issue-message.ts";
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

describe("an error of a value that may be of two kinds", () => {
  it.each<[what: string, answer: unknown, pointer: string, code: string, message: string]>([
    [
      "the member that is not known",
      { status: 200, delay: 5 },
      "/delay",
      "unknown_field",
      "is not known here",
    ],
    ["the member that is out of range", { delayMs: -1 }, "/delayMs", "invalid_field", "must be at least 0"],
    ["the value that is out of range", 600, "", "invalid_field", "must be from 200 to 599"],
    ["the value of a third kind", "200", "", "invalid_field", "must be a number or an object"],
  ])("points at %s", (_what, answer, at, code, message) => {
    const value = { respond: [500, answer] };
    const { error } = testSinkCreate.safeParse(value, { error: issueMessage });
    const sent = { value, source: "body", schema: testSinkCreate } as const;
    expect(refusalOfIssues(error?.issues ?? [], sent).errors).toEqual([
      { pointer: `/respond/1${at}`, code, message },
    ]);
  });
});

describe("an error of a value of another kind", () => {
  it("says nothing of the length of a text that was sent for a list", () => {
    const value = {
      since: "2026-03-02T15:00:00Z",
      until: "2026-03-02T16:00:00Z",
      status: "DeadLettered",
    };
    const { error } = webhookReplayCreate.safeParse(value, { error: issueMessage });
    const sent = { value, source: "body", schema: webhookReplayCreate } as const;
    expect(refusalOfIssues(error?.issues ?? [], sent).errors).toEqual([
      { pointer: "/status", code: "invalid_field", message: "must be a list" },
    ]);
  });
});
