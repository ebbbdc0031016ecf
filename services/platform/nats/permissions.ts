import {
  type AnnouncementType,
  type MessageType,
  type RequestType,
  type Service,
  services,
} from "../../../contracts/message.ts";
import { durableConsumers, streamsOf } from "../../../contracts/streams.ts";
import { announcementsOf, eventsOf, topology } from "../../../contracts/topology.ts";
import { inboxPrefixOf, streamsApi } from "./connection.ts";

export interface NatsUser {
  readonly user: string;
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** The account that holds the streams. The operator is its only user. */
export const streamsAccount = "streams";
/** Each service has an account of its own. */
export type Account = Service | typeof streamsAccount;

/** A subject that one account serves to another. */
export interface ServiceExport {
  readonly owner: Account;
  readonly subject: string;
  readonly to: Account;
  /** What the subject is called in the account that imports it. */
  readonly importedAs: string;
  /** A pull is answered with many messages, every other request with one. */
  readonly responses: "Singleton" | "Stream";
}

/** Events and announcements of another account that an account receives without a durable consumer. */
export interface StreamExport {
  readonly owner: Service;
  readonly subject: string;
  readonly to: Service;
}

/** What to subscribe to for all messages of a type. Announcements have no partition. */
export const everySubjectOf = ({ kind, subject }: MessageType | AnnouncementType): string =>
  kind === "announcement" ? subject : `${subject}.*`;

const subjectsOf = ({ subject, batchSubject }: RequestType): string[] =>
  batchSubject === undefined ? [subject] : [subject, batchSubject];

/** What a service sends to the streams' account: messages, dead letters, questions after its own parts, pulls, acks. */
function toStreams(service: Service): ServiceExport[] {
  const one = (subject: string, responses: ServiceExport["responses"] = "Singleton"): ServiceExport => ({
    owner: streamsAccount,
    subject,
    importedAs: subject.replace("$JS.API", streamsApi),
    to: service,
    responses,
  });
  const messages = [...eventsOf(service), ...topology[service].sends].map(everySubjectOf);
  return [
    ...messages.map((subject) => one(subject)),
    ...streamsOf(service).map((stream) => one(`$JS.API.STREAM.INFO.${stream}`)),
    ...durableConsumers(service).flatMap(({ stream, durable }) => [
      one(`dlq.${service}.${stream.toLowerCase()}`),
      one(`$JS.API.CONSUMER.INFO.${stream}.${durable}`),
      one(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`, "Stream"),
      one(`$JS.ACK.${stream}.${durable}.>`),
    ]),
  ];
}

/**
 * Every way from one account into another. A reply travels back into the account that asked and never further, so a
 * reply subject reaches nothing that its sender could not publish to anyway.
 */
export function serviceExports(): ServiceExport[] {
  const rpc = (owner: Service, subject: string, to: Account): ServiceExport => ({
    owner,
    subject,
    to,
    importedAs: subject,
    responses: "Singleton",
  });
  return [
    ...services.flatMap(toStreams),
    ...services.flatMap((caller) =>
      topology[caller].requests.flatMap((type) =>
        subjectsOf(type).map((subject) => rpc(type.owner, subject, caller)),
      ),
    ),
    // The operator's commands send requests too.
    ...services.map((service) => rpc(service, `rpc.${service}.>`, streamsAccount)),
  ];
}

/**
 * From the owner's account, because nats-server does not pass on from the streams' account what came into it as a
 * request. A service's own events reach it in its own account.
 */
export function streamExports(): StreamExport[] {
  return services.flatMap((service) =>
    topology[service].ephemeral
      .filter(({ owner }) => owner !== service)
      .map((type) => ({ owner: type.owner, subject: everySubjectOf(type), to: service })),
  );
}

/**
 * What a service may publish and subscribe to, derived from the contracts; the server refuses everything else. No
 * service creates, changes or deletes a stream or a consumer: the operator does (`npm run streams`). It may reply only
 * to a request that it received (`allow_responses`).
 */
export function permissionsOf(service: Service): NatsUser {
  const role = topology[service];
  return {
    user: service,
    publish: [
      ...toStreams(service).map(({ importedAs }) => importedAs),
      ...announcementsOf(service).map(everySubjectOf),
      ...role.requests.flatMap(subjectsOf),
    ],
    subscribe: [`${inboxPrefixOf(service)}.>`, `rpc.${service}.>`, ...role.ephemeral.map(everySubjectOf)],
  };
}
