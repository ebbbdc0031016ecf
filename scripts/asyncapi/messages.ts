import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type AnnouncementType,
  batchedReplySchema,
  batchedRequestSchema,
  envelopeSchema,
  type MessageType,
  messageSchema,
  replyBatchSchema,
  replyEnvelopeSchema,
  requestBatchSchema,
  requestEnvelopeSchema,
  type RequestType,
} from "../../contracts/message.ts";
import { deadlineHeader } from "../../services/platform/handlers/deadline.ts";
import type { Docstrings } from "./docstrings.ts";
import { type Exported, isRequest } from "./messages-of-contracts.ts";
import { type JsonSchema, schemaReference, type Schemas } from "./schemas.ts";

const contracts = join(import.meta.dirname, "../../contracts");
export const envelopesFile = join(contracts, "message.ts");

export const replyOf = (type: string): string => `${type}.reply`;
export const batchOf = (type: string): string => `${type}.batch`;

/** Writes the components of the document that messages have: their bodies, headers and descriptions. */
export class Messages {
  readonly #schemas: Schemas;
  readonly #docstrings: Docstrings;

  constructor(schemas: Schemas, docstrings: Docstrings) {
    this.#schemas = schemas;
    this.#docstrings = docstrings;
    const [answered, refused] = replyEnvelopeSchema.options;
    const [, alone] = batchedReplySchema.options;
    const envelope = (schema: Parameters<Schemas["of"]>[0], name: string) =>
      docstrings.describe(schemas.of(schema), envelopesFile, name);
    schemas.share("Message", envelope(messageSchema, "messageSchema"));
    schemas.share("Request", envelope(requestEnvelopeSchema, "requestEnvelopeSchema"));
    schemas.share("BatchedRequest", envelope(batchedRequestSchema, "batchedRequestSchema"));
    schemas.share("Answered", {
      description: "The answer. `replayed` says that it was stored under the same Idempotency-Key.",
      ...schemas.of(answered),
    });
    schemas.share("Refused", {
      description: "A refusal, as the tenant gets it: a code of docs/errors.md, and how to clear it.",
      ...schemas.of(refused),
    });
    schemas.share("Alone", {
      description:
        "Nothing was done, because the request must wait for another service: send it again alone.",
      ...schemas.of(alone),
    });
    schemas.share("RequestHeaders", requestHeaders);
  }

  /** The messages of a type by name. A request brings its reply, and both in batches if it may travel in one. */
  of(message: Exported): Record<string, JsonSchema> {
    if (!isRequest(message)) {
      return { [message.type.type]: this.#inEnvelope(message as Exported<MessageType | AnnouncementType>) };
    }
    const { type, batchSubject } = message.type;
    return {
      [type]: this.#request(message),
      [replyOf(type)]: this.#reply(message),
      ...(batchSubject === undefined
        ? {}
        : {
            [batchOf(type)]: this.#requestBatch(message),
            [replyOf(batchOf(type))]: this.#replyBatch(message),
          }),
    };
  }

  #inEnvelope(message: Exported<MessageType | AnnouncementType>): JsonSchema {
    const { type, kind } = message.type;
    const one = extended("Message", { type: { const: type }, data: this.#part(message, "data") });
    return {
      ...this.#named(message, type, message.name),
      tags: [{ name: kind }],
      payload: listOf(this.#schemas.of(envelopeSchema), "messages", one),
      ...examplesOf(type),
    };
  }

  #request(message: Exported<RequestType>): JsonSchema {
    return {
      ...this.#named(message, message.type.type, message.name),
      tags: [{ name: "request" }],
      headers: schemaReference("RequestHeaders"),
      payload: extended("Request", { data: this.#part(message, "data") }),
    };
  }

  #reply(message: Exported<RequestType>): JsonSchema {
    return {
      name: replyOf(message.type.type),
      title: `Reply to ${message.name}`,
      tags: [{ name: "reply" }],
      payload: { oneOf: this.#replies(message) },
    };
  }

  #requestBatch(message: Exported<RequestType>): JsonSchema {
    const one = extended("BatchedRequest", { data: this.#part(message, "data") });
    return {
      name: batchOf(message.type.type),
      title: `Batch of ${message.name}`,
      ...describedBy(this.#docstrings.of(envelopesFile, "requestBatchSchema")),
      tags: [{ name: "request" }],
      payload: listOf(this.#schemas.of(requestBatchSchema), "requests", one),
    };
  }

  #replyBatch(message: Exported<RequestType>): JsonSchema {
    const one = { oneOf: [...this.#replies(message), schemaReference("Alone")] };
    return {
      name: replyOf(batchOf(message.type.type)),
      title: `Replies to a batch of ${message.name}`,
      ...describedBy(this.#docstrings.of(envelopesFile, "batchedReplySchema")),
      tags: [{ name: "reply" }],
      payload: listOf(this.#schemas.of(replyBatchSchema), "replies", one),
    };
  }

  #replies(message: Exported<RequestType>): JsonSchema[] {
    return [extended("Answered", { value: this.#part(message, "reply") }), schemaReference("Refused")];
  }

  #part({ file, name, type }: Exported, member: "data" | "reply"): JsonSchema {
    const schema = member === "data" ? type.data : (type as RequestType).reply;
    return this.#docstrings.describe(this.#schemas.of(schema), file, name, member);
  }

  #named({ file, name: constant }: Exported, name: string, title: string): JsonSchema {
    return { name, title, ...describedBy(this.#docstrings.of(file, constant)) };
  }
}

const describedBy = (description: string | undefined) => (description === undefined ? {} : { description });

/** A shared envelope whose open members are those of one type. */
function extended(envelope: string, members: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return {
    allOf: [
      schemaReference(envelope),
      { type: "object", properties: members, required: Object.keys(members) },
    ],
  };
}

/** The schema of a list of messages, with the schema of what is in the list. */
function listOf(schema: JsonSchema, member: string, items: JsonSchema): JsonSchema {
  const { [member]: list } = schema["properties"] as Readonly<Record<string, JsonSchema>>;
  return { ...schema, properties: { [member]: { ...list, items } } };
}

/** The newest golden message. */
function examplesOf(type: string): JsonSchema {
  const golden = join(contracts, "messages/golden", `${type}.json`);
  if (!existsSync(golden)) return {};
  const { messages } = JSON.parse(readFileSync(golden, "utf8")) as { messages: readonly unknown[] };
  return { examples: [{ payload: { messages: messages.slice(-1) } }] };
}

const requestHeaders: JsonSchema = {
  type: "object",
  properties: {
    traceparent: { type: "string", description: "W3C trace context." },
    [deadlineHeader]: {
      type: "string",
      pattern: "^\\d+$",
      description:
        "When the caller stops waiting: Unix time in milliseconds. A late request is not carried out.",
    },
  },
};
