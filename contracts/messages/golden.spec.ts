import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type AnnouncementType,
  envelopeSchema,
  type MessageType,
  messageSchema,
  services,
} from "../message.ts";
import { announcementsOf, eventsOf, topology } from "../topology.ts";

// Each golden file is an envelope as an earlier version published it. Outboxes and streams still hold such envelopes
// after a deployment, so today's contracts must accept every one. Never edit a file: add a message, or a new version.
const folder = join(import.meta.dirname, "golden");
const types = new Map<string, MessageType | AnnouncementType>(
  services
    .flatMap((service) => [...topology[service].sends, ...eventsOf(service), ...announcementsOf(service)])
    .map((type) => [type.type, type]),
);
const files = readdirSync(folder).map((file) => file.replace(/\.json$/, ""));

function messagesIn(type: string): unknown[] {
  return envelopeSchema.parse(JSON.parse(readFileSync(join(folder, `${type}.json`), "utf8"))).messages;
}

describe("golden messages", () => {
  it("exist for every command, event and announcement, and for nothing else", () => {
    expect(files.sort()).toEqual([...types.keys()].sort());
  });

  it.each(files)("of %s are accepted by its contract, and no field is lost", (name) => {
    for (const raw of messagesIn(name)) {
      const message = messageSchema.parse(raw);
      const data: unknown = types.get(name)?.data.parse(message.data);
      expect({ ...message, data }).toMatchObject(raw as object);
    }
  });
});
