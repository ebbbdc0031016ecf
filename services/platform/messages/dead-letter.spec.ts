import { createSecretKey } from "node:crypto";
import { describe, expect, it } from "vitest";
import { maxDeadLetterBytes } from "../../../contracts/streams.ts";
import { deadLetter, deadLetterId } from "./dead-letter.ts";

const at = { subject: "cmd.rails.inquire-instruction.v1.p00", seq: 7 };

describe("a dead letter", () => {
  it("holds a message of 256 KiB whole, so that it can be sent again", () => {
    const message = { type: "rails.statement-issued.v1", data: "x".repeat(256 * 1024 - 100) };
    expect(JSON.parse(deadLetter(at, "a bug", message))).toMatchObject({ message, streamSequence: 7 });
  });

  it.each([
    ["quotes", '"'],
    ["backslashes", "\\"],
    ["control characters", "\u0001"],
    ["characters of three bytes", "€"],
    ["characters of four bytes", "😀"],
    ["halves of characters", "\ud83d"],
  ])("is cut to what the stream takes, if it is made of %s", (_what, character) => {
    for (const message of [character.repeat(1_000_000), { data: `x${character.repeat(500_000)}` }]) {
      const letter = deadLetter(at, character.repeat(5_000), message);
      expect(Buffer.byteLength(letter)).toBeLessThan(maxDeadLetterBytes - 200);
      expect(JSON.parse(letter)).toMatchObject({ message: expect.stringMatching(/ … \(truncated\)$/) });
    }
  });
});

describe("its id", () => {
  const key = createSecretKey(Buffer.from("the password of rails"));
  const config = { durable: "rails", stream: "CMD" } as const;
  const id = deadLetterId(key, config, 7, "0");

  it("is the same for the same part of an envelope, whichever instance of the service writes it", () => {
    const again = createSecretKey(Buffer.from("the password of rails"));
    expect(deadLetterId(again, config, 7, "0")).toBe(id);
  });

  it("is another with the key of another service, so that none can use it first", () => {
    expect(deadLetterId(createSecretKey(Buffer.from("another")), config, 7, "0")).not.toBe(id);
  });

  it("is another for each consumer, stream, envelope and part", () => {
    const others = [
      deadLetterId(key, { ...config, durable: "ledger" }, 7, "0"),
      deadLetterId(key, { ...config, stream: "EVT" }, 7, "0"),
      deadLetterId(key, config, 70, ""),
      deadLetterId(key, config, 8, "0"),
      deadLetterId(key, config, 7, "1"),
    ];
    expect(new Set([id, ...others]).size).toBe(6);
  });
});
