import {
  type AnnouncementType,
  type MessageType,
  type RequestType,
  type Service,
  services,
} from "../../contracts/message.ts";
import { streamOf } from "../../contracts/streams.ts";
import { announcementsOf, eventsOf, topology } from "../../contracts/topology.ts";
import { channelReference, channelsOfRequest } from "./channels.ts";
import { type Exported, isRequest } from "./messages-of-contracts.ts";
import { replyOf } from "./messages.ts";
import { type JsonSchema, sorted } from "./schemas.ts";

/** Sends what no service may: the `npm run` commands. */
const operator = "operator";

interface Operation {
  readonly by: Service | typeof operator;
  readonly action: "send" | "receive";
  readonly channel: string;
  readonly description?: string;
  readonly members?: JsonSchema;
}

/** What each service sends and receives, by `<service>.<send|receive>.<type>`. */
export function operationsOf(messages: readonly Exported[]): Record<string, JsonSchema> {
  const requests = messages.filter(isRequest).map(({ type }) => type);
  const requested = new Set(
    services.flatMap((service) => topology[service].requests.map(({ type }) => type)),
  );
  const operations = [
    ...services.flatMap((service) => [
      ...[...topology[service].sends, ...eventsOf(service), ...announcementsOf(service)].map((type) =>
        published(service, type),
      ),
      ...topology[service].consumes.map((type) => consumed(service, type)),
      ...topology[service].ephemeral.map((type) => receivedByAll(service, type)),
      ...topology[service].requests.flatMap((type) => requestedBy(service, type)),
      ...requests.filter(({ owner }) => owner === service).flatMap(answered),
    ]),
    ...requests.filter(({ type }) => !requested.has(type)).flatMap((type) => requestedBy(operator, type)),
  ];
  return sorted(Object.fromEntries(operations.map((operation) => [nameOf(operation), written(operation)])));
}

const published = (by: Service, { type }: MessageType | AnnouncementType): Operation => ({
  by,
  action: "send",
  channel: type,
});

const consumed = (by: Service, { type, subject }: MessageType): Operation => ({
  by,
  action: "receive",
  channel: type,
  description: `With the durable consumer \`${by}\` of stream ${streamOf(subject)}.`,
});

const receivedByAll = (by: Service, { type }: MessageType | AnnouncementType): Operation => ({
  by,
  action: "receive",
  channel: type,
  description: "Every instance receives it, without a durable consumer.",
});

const replyTo = (channel: string) => ({ reply: { channel: channelReference(replyOf(channel)) } });

const requestedBy = (by: Operation["by"], type: RequestType): Operation[] =>
  channelsOfRequest(type).map((channel) => ({
    by,
    action: "send",
    channel,
    members: replyTo(channel),
  }));

const answered = (type: RequestType): Operation[] =>
  channelsOfRequest(type).map((channel) => ({
    by: type.owner,
    action: "receive",
    channel,
    description: "One instance receives it, and replies.",
    members: { bindings: { nats: { queue: type.owner } }, ...replyTo(channel) },
  }));

const nameOf = ({ by, action, channel }: Operation) => `${by}.${action}.${channel}`;

function written({ by, action, channel, description, members = {} }: Operation): JsonSchema {
  return {
    action,
    channel: channelReference(channel),
    title: `${by} ${action}s ${channel}`,
    ...(description === undefined ? {} : { description }),
    tags: [{ name: by }],
    ...members,
  };
}
