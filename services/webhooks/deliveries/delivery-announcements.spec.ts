import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { idOf, newUuid } from "../../../contracts/ids/ids.ts";
import { envelopeSchema, messageSchema } from "../../../contracts/message.ts";
import { DeliveryAnnouncements } from "./delivery-announcements.ts";

const [first, second] = [newUuid(), newUuid()];

describe("changed deliveries", () => {
  let announced: string[][];
  let warnings: string[];
  let announcements: DeliveryAnnouncements;
  const publish = (subject: string, envelope: unknown) => {
    expect(subject).toBe("live.webhooks.deliveries-changed.v1");
    const { messages } = envelopeSchema.parse(JSON.parse(String(envelope)));
    announced.push(messages.map((message) => messageSchema.parse(message).book));
  };
  const warn = (_context: unknown, text?: string) => void warnings.push(text ?? "");
  beforeEach(() => {
    vi.useFakeTimers();
    [announced, warnings] = [[], []];
    announcements = new DeliveryAnnouncements({ publish }, { warn });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const bookOf = (uuid: string) => idOf("book", uuid);

  it("are announced at once, and those of the next quarter of a second together, each book once", () => {
    announcements.add([first, first]);
    expect(announced).toEqual([[bookOf(first)]]);
    for (let batch = 0; batch < 50; batch += 1) announcements.add([first, second]);
    vi.advanceTimersByTime(249);
    expect(announced).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(announced.slice(1)).toEqual([[bookOf(first), bookOf(second)]]);
    vi.advanceTimersByTime(1_000);
    expect(announced).toHaveLength(2);
    announcements.add([second]);
    expect(announced).toHaveLength(3);
  });

  it("of more than a hundred books are announced in envelopes of a hundred", () => {
    announcements.add(Array.from({ length: 101 }, () => newUuid()));
    expect(announced.map((books) => books.length)).toEqual([100, 1]);
  });

  it("are announced before the service stops", () => {
    announcements.add([first]);
    announcements.add([second]);
    announcements.onModuleDestroy();
    expect(announced).toEqual([[bookOf(first)], [bookOf(second)]]);
  });

  it("harm no delivery if NATS is away", () => {
    announcements = new DeliveryAnnouncements(
      {
        publish: () => {
          throw new Error("closed connection");
        },
      },
      { warn },
    );
    announcements.add([first]);
    expect(warnings).toEqual(["changed deliveries were not announced to open screens"]);
  });
});
