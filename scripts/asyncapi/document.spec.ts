import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Service, services } from "../../contracts/message.ts";
import { durableConsumers } from "../../contracts/streams.ts";
import { permissionsOf } from "../../services/platform/nats/permissions.ts";
import { driftOf } from "../openapi/drift.ts";
import { Docstrings } from "./docstrings.ts";
import { documentOf } from "./document.ts";
import { parserErrors } from "./parser-errors.ts";
import { envelopesFile } from "./messages.ts";
import { type Exported, messagesOfContracts } from "./messages-of-contracts.ts";

interface Document {
  readonly channels: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly operations: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: { readonly messages: Readonly<Record<string, Record<string, unknown>>> };
}

const contracts = join(import.meta.dirname, "../../contracts");
const path = "contracts/asyncapi/v1.json";
const committed = readFileSync(join(contracts, "asyncapi/v1.json"), "utf8");

let messages: Exported[];
let docstrings: Docstrings;
let document: Document;
/** With message bodies of this type, as the document describes them. */
let accepts: (name: string, body: unknown) => boolean;

const textOf = (of: readonly Exported[]) => `${JSON.stringify(documentOf(of, docstrings), null, 2)}\n`;
const withChanged = (name: string, data: (schema: z.ZodObject) => z.ZodType): Exported[] =>
  messages.map((message) =>
    message.name === name
      ? { ...message, type: { ...message.type, data: data(message.type.data as z.ZodObject) } }
      : message,
  );

beforeAll(async () => {
  messages = await messagesOfContracts();
  docstrings = new Docstrings([...messages.map(({ file }) => file), envelopesFile]);
  document = JSON.parse(textOf(messages)) as Document;
  const ajv = new Ajv({ strict: false, allErrors: false });
  addFormats.default(ajv);
  ajv.addSchema(document, "document");
  accepts = (name, body) =>
    ajv.compile({ $ref: `document#/components/messages/${name}/payload` })(body) as boolean;
});

describe("the AsyncAPI document", () => {
  it("has the channel of a command, its sender and its receiver", () => {
    expect(document.channels["ledger.place-hold.v1"]).toEqual({
      address: "cmd.ledger.place-hold.v1.{partition}",
      title: "PlaceHold",
      description: "Commands to ledger, in stream CMD. Kept until acknowledged by ledger.",
      messages: { "ledger.place-hold.v1": { $ref: "#/components/messages/ledger.place-hold.v1" } },
      parameters: { partition: { $ref: "#/components/parameters/partition" } },
      tags: [{ name: "CMD" }],
    });
    expect(operationsOn("ledger.place-hold.v1")).toEqual([
      "ledger.receive.ledger.place-hold.v1",
      "orders.send.ledger.place-hold.v1",
    ]);
  });

  it("has every consumer of an event, also those without a durable consumer", () => {
    expect(operationsOn("gateway.tenant-status-changed.v1")).toEqual([
      "gateway.receive.gateway.tenant-status-changed.v1",
      "gateway.send.gateway.tenant-status-changed.v1",
      "orders.receive.gateway.tenant-status-changed.v1",
    ]);
  });

  it("has announcements, which no stream keeps", () => {
    expect(document.channels["webhooks.deliveries-changed.v1"]).toMatchObject({
      address: "live.webhooks.deliveries-changed.v1",
      tags: [{ name: "core NATS" }],
    });
    expect(operationsOn("webhooks.deliveries-changed.v1")).toEqual([
      "gateway.receive.webhooks.deliveries-changed.v1",
      "webhooks.send.webhooks.deliveries-changed.v1",
    ]);
  });

  it("has the reply of a request, and the queue group that answers it", () => {
    expect(document.operations["orders.receive.orders.create-order.v1.batch"]).toMatchObject({
      action: "receive",
      channel: { $ref: "#/channels/orders.create-order.v1.batch" },
      bindings: { nats: { queue: "orders" } },
      reply: { channel: { $ref: "#/channels/orders.create-order.v1.batch.reply" } },
    });
    expect(document.operations["gateway.send.orders.create-order.v1"]).toMatchObject({
      action: "send",
      reply: { channel: { $ref: "#/channels/orders.create-order.v1.reply" } },
    });
  });

  it("gives the operator the requests that no service may send", () => {
    expect(Object.keys(document.operations).filter((name) => name.startsWith("operator."))).toEqual([
      "operator.send.ledger.drop-command.v1",
      "operator.send.ledger.freeze-book.v1",
      "operator.send.ledger.quarantine-command.v1",
      "operator.send.ledger.retry-command.v1",
      "operator.send.ledger.unfreeze-book.v1",
      "operator.send.orders.resolve-order.v1",
      "operator.send.orders.set-completion-delay.v1",
    ]);
  });

  it.each(services)("lets %s send what NATS lets it publish, and nothing else", (service) => {
    const allowed = permissionsOf(service).publish.filter((subject) =>
      /^(cmd|evt|ntf|live|rpc)\./.test(subject),
    );
    expect(subjectsOf(service, "send")).toEqual(allowed.toSorted());
  });

  it.each(services)(
    "lets %s receive what NATS lets it subscribe to or pull and others request, and nothing else",
    (service) => {
      const subscribed = permissionsOf(service).subscribe.filter((subject) =>
        /^(evt|ntf|live)\./.test(subject),
      );
      const pulled = durableConsumers(service).flatMap(({ filterSubjects }) => filterSubjects);
      const requests = new Set(
        [
          ...services.flatMap((caller) => permissionsOf(caller).publish),
          ...subjectsOf("operator", "send"),
        ].filter((subject) => subject.startsWith(`rpc.${service}.`)),
      );
      expect(subjectsOf(service, "receive")).toEqual([...subscribed, ...pulled, ...requests].toSorted());
    },
  );

  it("describes messages and fields with their docstrings", () => {
    const { "ledger.hold-placed.v1": event, "ledger.settle-hold.v1": command } = document.components.messages;
    expect(command).toMatchObject({ description: "Settles an order's hold: its entries become posted." });
    expect(JSON.stringify(event)).toContain(
      '"sequence":{"description":"The journal\'s gap-free number in its book.","type":"integer"}',
    );
  });

  it("accepts every golden message", () => {
    const files = readdirSync(join(contracts, "messages/golden"));
    const refused = files.filter((file) => {
      const golden: unknown = JSON.parse(readFileSync(join(contracts, "messages/golden", file), "utf8"));
      return !accepts(file.replace(/\.json$/, ""), golden);
    });
    expect(refused).toEqual([]);
  });

  it("refuses another type's message, and one without a required field", () => {
    const golden = readFileSync(join(contracts, "messages/golden/ledger.settle-hold.v1.json"), "utf8");
    expect(accepts("ledger.release-hold.v1", JSON.parse(golden))).toBe(false);
    expect(accepts("ledger.settle-hold.v1", JSON.parse(golden.replaceAll("effectiveAt", "at")))).toBe(false);
  });

  it("accepts an answer and a refusal as the reply, and nothing between", () => {
    const refusal = { code: "not_found", detail: "No such book." };
    expect(accepts("ledger.freeze-book.v1.reply", { ok: true, value: { number: 1 } })).toBe(true);
    expect(accepts("ledger.freeze-book.v1.reply", { ok: false, refusal })).toBe(true);
    expect(accepts("ledger.freeze-book.v1.reply", { ok: true, refusal })).toBe(false);
    expect(accepts("ledger.freeze-book.v1.reply", { ok: true, value: { number: "1" } })).toBe(false);
  });
});

describe("the check of the committed document", () => {
  it("accepts it", async () => {
    expect(driftOf(path, committed, textOf(messages))).toEqual([]);
    expect(await parserErrors(committed)).toEqual([]);
  });

  it.each<[string, string, (schema: z.ZodObject) => z.ZodType]>([
    ["gains a field", "SettleHold", (schema) => schema.extend({ note: z.string().optional() })],
    ["loses a field", "HoldPlaced", (schema) => schema.omit({ sequence: true })],
    ["of a request changes", "CreateOrder", (schema) => schema.extend({ amountCents: z.string() })],
  ])("refuses it when a message %s", (_change, name, data) => {
    expect(driftOf(path, committed, textOf(withChanged(name, data)))).toEqual([
      expect.stringMatching(
        /^contracts\/asyncapi\/v1\.json is out of date from line \d+ on \(.+\): run make openapi$/,
      ),
    ]);
  });

  it("refuses it when a message is removed", () => {
    const others = messages.filter(({ name }) => name !== "NoticeOfChange");
    expect(driftOf(path, committed, textOf(others))).toHaveLength(1);
  });

  it("refuses a document that AsyncAPI's parser refuses", async () => {
    const info = { title: "Messages", version: "v1" };
    const operations = { "orders.send.none": { action: "send", channel: { $ref: "#/channels/none" } } };
    expect(await parserErrors(JSON.stringify({ asyncapi: "3.0.0", info, channels: {}, operations }))).toEqual(
      ["operations.orders.send.none.channel.$ref: '#/channels/none' does not exist"],
    );
  });
});

function operationsOn(channel: string): string[] {
  return Object.entries(document.operations)
    .filter(([, operation]) => (operation["channel"] as { $ref: string }).$ref === `#/channels/${channel}`)
    .map(([name]) => name)
    .sort();
}

/** The subjects that a service or the operator sends or receives by the document, as NATS writes them. */
function subjectsOf(by: Service | "operator", action: "send" | "receive"): string[] {
  return Object.entries(document.operations)
    .filter(([name]) => name.startsWith(`${by}.${action}.`))
    .map(([, { channel }]) => {
      const name = (channel as { $ref: string }).$ref.replace("#/channels/", "");
      return String(document.channels[name]?.["address"]).replace("{partition}", "*");
    })
    .sort();
}
