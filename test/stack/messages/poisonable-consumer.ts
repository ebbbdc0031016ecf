/** The platform's consumer under the name of rails, with a test handler that fills a table and can be made to fail. */
import { Controller, Module } from "@nestjs/common";
import pg from "pg";
import { type BookId, bookIdOf, newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { InquireInstruction, SubmitInstruction } from "../../../contracts/messages/rails.ts";
import { releaseSetAside } from "../../../scripts/operator/messages/set-aside.ts";
import { sqlOf } from "../../../scripts/operator/command-line/connections.ts";
import { Consumes, type MessageOf } from "../../../services/platform/handlers/decorators.ts";
import type { UnitOfWork } from "../../../services/platform/handlers/unit-of-work.ts";
import { createMessage } from "../../../services/platform/messages/message.ts";
import { PlatformModule } from "../../../services/platform/platform.module.ts";
import { platformConfig, readConfig } from "../../../services/platform/process/config.ts";
import { type RunningService, startService } from "../../../services/platform/run-service.ts";
import { forThisFile } from "../for-this-file.ts";
import { asAdmin, createDatabase } from "../servers/database.ts";
import { startMessaging, type TestMessaging } from "../servers/messaging.ts";
import { until } from "../until.ts";

type Command = MessageOf<typeof SubmitInstruction | typeof InquireInstruction>;
type Misbehave = (messages: readonly Command[], unit: UnitOfWork) => Promise<void> | void;

/** What the handler does before it records a batch, in all instances of this process. Files share the process. */
const handler: { misbehave: Misbehave } = { misbehave: () => undefined };

@Controller()
class TakeDown {
  @Consumes(SubmitInstruction, InquireInstruction)
  async take(messages: readonly Command[], unit: UnitOfWork): Promise<void> {
    await handler.misbehave(messages, unit);
    await unit.sql("insert into taken (book_id, subject) select * from unnest($1::uuid[], $2::text[])", [
      messages.map((message) => uuidOf(message.book)),
      messages.map(({ subject }) => subject),
    ]);
  }
}

@Module({})
class TakeDownModule {}

export const inquire = "cmd.rails.inquire-instruction.v1.p00";
export const newBook = (): BookId => bookIdOf(newId("ten"), "Test");
export const inquiryFor = (of: BookId, subject: string) =>
  createMessage(InquireInstruction, { book: of, subject, data: { orderId: newId("po") } });
/** `first-001` to `first-010`, for example. */
export const named = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}-${String(1 + index).padStart(3, "0")}`);

export class PoisonableConsumer {
  readonly messaging: TestMessaging;
  readonly service: RunningService;
  /** Superuser on the service's schema. */
  readonly admin: pg.Client;
  /** Superuser, for further connections. */
  readonly adminUrl: string;
  /** The service's own database, under its role. */
  readonly serviceUrl: string;
  /** Another instance, with other environment variables. */
  readonly startInstance: (others?: NodeJS.ProcessEnv) => Promise<RunningService>;

  constructor(
    parts: Pick<
      PoisonableConsumer,
      "messaging" | "service" | "admin" | "adminUrl" | "serviceUrl" | "startInstance"
    >,
  ) {
    this.messaging = parts.messaging;
    this.service = parts.service;
    this.admin = parts.admin;
    this.adminUrl = parts.adminUrl;
    this.serviceUrl = parts.serviceUrl;
    this.startInstance = parts.startInstance;
  }

  /** From now on the handler does this before it records a batch. */
  misbehaves(misbehave: Misbehave): void {
    handler.misbehave = misbehave;
  }

  behaves(): void {
    handler.misbehave = () => undefined;
  }

  /** From now on every message of the book fails. */
  poison(of: BookId): void {
    this.misbehaves((messages) => {
      if (messages.some((message) => message.book === of)) throw new RangeError("this book is poisoned");
    });
  }

  async send(of: BookId, subjects: readonly string[]): Promise<void> {
    await this.messaging.publish(inquire, { messages: subjects.map((subject) => inquiryFor(of, subject)) });
  }

  /** Sets the book aside with ten messages, `first-001` to `first-010`. */
  async setAside(of: BookId): Promise<string[]> {
    this.poison(of);
    const subjects = named("first", 10);
    await this.send(of, subjects);
    await until(async () => (await this.stored(of)).length === 10);
    return subjects;
  }

  release(of: BookId): Promise<void> {
    return releaseSetAside(sqlOf(this.admin), "rails", of, { by: "ada", reason: "mended" });
  }

  /** Waits until the book is in use again. */
  inUse(of: BookId): Promise<boolean> {
    return until(async () => (await this.stateOf(of)) === "in use");
  }

  async stateOf(of: BookId): Promise<string> {
    const text = "select state from set_aside_book where book_id = $1";
    const { rows } = await this.admin.query<{ state: string }>(text, [uuidOf(of)]);
    return rows[0]?.state ?? "in use";
  }

  /** What was applied for a book, in its order. */
  taken(of: BookId): Promise<string[]> {
    return this.#subjects("select subject from taken where book_id = $1 order by position", of);
  }

  /** What is stored for a book, in the order in which it will be applied. */
  stored(of: BookId): Promise<string[]> {
    return this.#subjects(
      `select message::jsonb ->> 'subject' as subject
       from set_aside_message where book_id = $1 order by stream_sequence, part`,
      of,
    );
  }

  nothingPending(): Promise<boolean> {
    const consumer = () => this.messaging.manager.consumers.info("CMD", "rails");
    return until(async () => (await consumer()).num_ack_pending === 0);
  }

  async #subjects(text: string, of: BookId): Promise<string[]> {
    const { rows } = await this.admin.query<{ subject: string }>(text, [uuidOf(of)]);
    return rows.map(({ subject }) => subject);
  }
}

/** One instance with its own servers, until the last test of the file. `settings` are environment variables. */
export async function poisonableConsumerOfFile(
  settings: NodeJS.ProcessEnv = {},
): Promise<PoisonableConsumer> {
  handler.misbehave = () => undefined; // a file before may have left its own
  const [messaging, database] = await Promise.all([
    forThisFile(startMessaging()),
    forThisFile(createDatabase("rails")),
  ]);
  await asAdmin(
    database.adminUrl,
    "create table rails.taken (position bigint generated always as identity, book_id uuid, subject text)",
    "grant insert, select on rails.taken to rails",
  );
  const client = new pg.Client(database.adminUrl);
  await client.connect();
  const admin = await forThisFile(client);
  await admin.query("set search_path = rails");
  const startInstance = (others: NodeJS.ProcessEnv = {}) => {
    const own = messaging.environment("rails", database.urlOf("rails"));
    const environment = { ...own, ...settings, ...others };
    const config = readConfig(platformConfig, environment);
    const imports = [PlatformModule.forService({ service: "rails", config })];
    return startService({ module: TakeDownModule, imports, controllers: [TakeDown] }, config, "rails");
  };
  const service = await forThisFile(startInstance());
  const urls = { adminUrl: database.adminUrl, serviceUrl: database.urlOf("rails") };
  return new PoisonableConsumer({ messaging, service, admin, ...urls, startInstance });
}
