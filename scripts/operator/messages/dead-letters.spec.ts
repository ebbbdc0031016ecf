import { describe, expect, it } from "vitest";
import { bookIdOf, newId } from "../../../contracts/ids/ids.ts";
import { PlaceHold } from "../../../contracts/messages/ledger.ts";
import { InquireInstruction } from "../../../contracts/messages/rails.ts";
import { createMessage } from "../../../services/platform/messages/message.ts";
import { readLetter, redriveOf } from "./dead-letters.ts";

const book = bookIdOf(newId("ten"), "Test");
const inquiry = createMessage(InquireInstruction, { book, subject: "order", data: { orderId: newId("po") } });
const subject = "cmd.rails.inquire-instruction.v1.p00";
const letter = (members: object = {}) =>
  JSON.stringify({
    subject,
    at: "2026-11-22T10:00:00.000Z",
    reason: "23514: a check",
    message: inquiry,
    ...members,
  });

describe("a dead letter", () => {
  it("may be sent again to the consumer that wrote it", () => {
    expect(redriveOf("dlq.rails.cmd", letter())).toEqual({ consumer: "rails", subject, message: inquiry });
  });

  it.each<[string, string, string, RegExp]>([
    ["of another service", "dlq.webhooks.ntf", letter(), /^webhooks does not consume cmd\.rails\./],
    [
      "of webhooks that names the ledger's command",
      "dlq.webhooks.ntf",
      letter({ subject: `${PlaceHold.subject}.p00` }),
      /^webhooks does not consume cmd\.ledger\.place-hold/,
    ],
    ["from another stream", "dlq.rails.evt", letter(), /^rails does not consume .* from evt/],
    ["of nobody", "dlq.mallory.cmd", letter(), /^dlq\.mallory\.cmd is the dead letter of no consumer/],
    [
      "for many subjects",
      "dlq.rails.cmd",
      letter({ subject: "cmd.rails.inquire-instruction.v1.*" }),
      /does not consume/,
    ],
    [
      "with more after its partition",
      "dlq.rails.cmd",
      letter({ subject: `${subject}.x` }),
      /does not consume/,
    ],
    [
      "without a partition",
      "dlq.rails.cmd",
      letter({ subject: InquireInstruction.subject }),
      /does not consume/,
    ],
    [
      "whose message breaks the contract",
      "dlq.rails.cmd",
      letter({ message: { ...inquiry, data: { orderId: "po_nonsense" } } }),
      /^its message is no rails\.inquire-instruction\.v1: orderId: /,
    ],
    [
      "whose message is of another type",
      "dlq.rails.cmd",
      letter({ message: { ...inquiry, type: "ledger.place-hold.v1" } }),
      /ledger\.place-hold\.v1 on the subject of rails\.inquire-instruction\.v1/,
    ],
    [
      "that was cut",
      "dlq.rails.cmd",
      letter({ message: "{ … and so on" }),
      /^this dead letter holds no message/,
    ],
    ["that is no JSON", "dlq.rails.cmd", "{", /^this dead letter holds no message/],
    ["that is no letter", "dlq.rails.cmd", '["a"]', /^this dead letter holds no message/],
  ])("is not sent again %s", (_what, writtenTo, text, reason) => {
    expect(() => redriveOf(writtenTo, text)).toThrow(reason);
  });

  it("is read if it is one", () => {
    expect(readLetter(letter())).toMatchObject({ subject, message: inquiry });
    expect(["", "{", "null", "[]", '{"subject":7}'].map(readLetter)).toEqual(Array(5).fill(undefined));
  });
});
