import type { AnnouncementType, MessageType, RequestType } from "../../contracts/message.ts";
import { consumersOf, streamOf } from "../../contracts/streams.ts";
import { type Exported, isRequest } from "./messages-of-contracts.ts";
import { batchOf, replyOf } from "./messages.ts";
import type { JsonSchema } from "./schemas.ts";

export const channelReference = (name: string) => ({ $ref: `#/channels/${name}` });

export const parameters = {
  partition: {
    description: "`p00` to `p63`. All messages about one book use the same partition.",
    examples: ["p00"],
  },
};

/** The names of a request's channels: its type, and its batches if it may travel in one. */
export const channelsOfRequest = ({ type, batchSubject }: RequestType): string[] =>
  batchSubject === undefined ? [type] : [type, batchOf(type)];

/** The NATS subjects, each named after the one message that travels on it. */
export function channelsOf(messages: readonly Exported[]): Record<string, JsonSchema> {
  return Object.assign(
    {},
    ...messages.map((message) => {
      if (isRequest(message)) return ofRequest(message);
      return isAnnouncement(message) ? ofAnnouncement(message) : inStream(message as Exported<MessageType>);
    }),
  );
}

const isAnnouncement = (message: Exported): message is Exported<AnnouncementType> =>
  message.type.kind === "announcement";

function ofAnnouncement({ name, type: { type, subject, owner } }: Exported<AnnouncementType>) {
  const description = `Announcements of ${owner}, over core NATS. No stream keeps them.`;
  return {
    [type]: {
      address: subject,
      title: name,
      description,
      messages: messageNamed(type),
      tags: [{ name: "core NATS" }],
    },
  };
}

function inStream({ name, type: { type, subject, owner, kind } }: Exported<MessageType>) {
  const stream = streamOf(subject);
  const consumers = consumersOf(type).join(", ");
  const from = kind === "command" ? `Commands to ${owner}` : `Events of ${owner}`;
  const kept = consumers === "" ? "No durable consumer reads it" : `Kept until acknowledged by ${consumers}`;
  return {
    [type]: {
      address: `${subject}.{partition}`,
      title: name,
      description: `${from}, in stream ${stream}. ${kept}.`,
      messages: messageNamed(type),
      parameters: { partition: { $ref: "#/components/parameters/partition" } },
      tags: [{ name: stream }],
    },
  };
}

function ofRequest({ name, type: { type, subject, owner, batchSubject } }: Exported<RequestType>) {
  const description = `Requests to ${owner}, over core NATS.`;
  return {
    ...withReply(type, { address: subject, title: name, description }),
    ...(batchSubject === undefined
      ? {}
      : withReply(batchOf(type), { address: batchSubject, title: `Batches of ${name}`, description })),
  };
}

/** A reply has a channel of its own: in one channel of all, a parser would resolve all of them for each request. */
function withReply(name: string, channel: JsonSchema): Record<string, JsonSchema> {
  const tags = [{ name: "core NATS" }];
  return {
    [name]: { ...channel, messages: messageNamed(name), tags },
    [replyOf(name)]: {
      address: null,
      description: "The reply subject of the request, in the inbox of its sender: `_INBOX_<user>.>`.",
      messages: messageNamed(replyOf(name)),
      tags,
    },
  };
}

const messageNamed = (name: string) => ({ [name]: { $ref: `#/components/messages/${name}` } });
