import { describe, expect, it } from "vitest";
import { InboundReceived } from "../../../../contracts/messages/inbound.ts";
import {
  PlaceHold,
  PostLateReturn,
  PostToSuspense,
  ReleaseHold,
  SettleHold,
} from "../../../../contracts/messages/ledger.ts";
import { PaymentSentBack, UnmatchedReturnReceived } from "../../../../contracts/messages/rails.ts";
import { dropWarning } from "./drop-warning.ts";

describe("dropping a command whose money the bank has moved", () => {
  it.each([InboundReceived, UnmatchedReturnReceived, PaymentSentBack])(
    "warns that nobody sends it again: $type",
    ({ type }) => expect(dropWarning(type)).toMatch(/^The bank has moved .* nobody sends the message again/),
  );

  it.each([SettleHold, PostLateReturn, PostToSuspense])(
    "warns that orders may not send it again: $type",
    ({ type }) => expect(dropWarning(type)).toMatch(/^The bank has moved .* Only while its order waits/),
  );

  it.each([PlaceHold, ReleaseHold])("is no matter of a hold that moves no money: $type", ({ type }) =>
    expect(dropWarning(type)).toBeNull(),
  );
});
