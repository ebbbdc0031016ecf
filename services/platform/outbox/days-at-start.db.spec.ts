/** The outbox of a service that has not run for a week: its partitions were made for seven days. */
import { Controller, Module } from "@nestjs/common";
import { expect, it } from "vitest";
import { bookIdOf, newId } from "../../../contracts/ids/ids.ts";
import {
  InquireInstruction,
  InstructionUnknown,
  SubmitInstruction,
} from "../../../contracts/messages/rails.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { asAdmin, createDatabase } from "../../../test/stack/servers/database.ts";
import { startMessaging } from "../../../test/stack/servers/messaging.ts";
import { until } from "../../../test/stack/until.ts";
import { Consumes, type MessageOf } from "../handlers/decorators.ts";
import type { UnitOfWork } from "../handlers/unit-of-work.ts";
import { createMessage } from "../messages/message.ts";
import { Database } from "../persistence/database.ts";
import { PlatformModule } from "../platform.module.ts";
import { platformConfig, readConfig } from "../process/config.ts";
import { startService } from "../run-service.ts";

type Command = MessageOf<typeof SubmitInstruction | typeof InquireInstruction>;
let attempts = 0;

/** Answers each command, so that it writes to the outbox. */
@Controller()
class AnswerAll {
  @Consumes(SubmitInstruction, InquireInstruction)
  take(commands: readonly Command[], { outbox }: UnitOfWork): Promise<void> {
    attempts += 1;
    for (const { book, subject, data } of commands)
      outbox.add(InstructionUnknown, { book, subject, data: { orderId: data.orderId } });
    return Promise.resolve();
  }
}

@Module({})
class AnswerAllModule {}

const [messaging, database] = await Promise.all([
  forThisFile(startMessaging()),
  forThisFile(createDatabase("rails")),
]);

it("has the partition of today before the first message is taken, and none fails", async () => {
  await asAdmin(
    database.adminUrl,
    `do $$ begin
       execute format('drop table rails.%I', 'outbox_' || to_char(current_date, 'YYYYMMDD'));
     end $$`,
    // As slow as on a busy server: whoever does not wait for it comes first.
    "alter function rails.maintain_outbox() rename to maintain_outbox_fast",
    `create function rails.maintain_outbox() returns void language sql security definer as $$
       select from pg_sleep(0.5);
       select rails.maintain_outbox_fast();
     $$`,
    "grant execute on function rails.maintain_outbox() to rails",
  );
  const orderId = newId("po");
  const inquiry = { book: bookIdOf(newId("ten"), "Test"), subject: orderId, data: { orderId } };
  await messaging.publish("cmd.rails.inquire-instruction.v1.p00", {
    messages: [createMessage(InquireInstruction, inquiry)],
  });
  const config = readConfig(platformConfig, messaging.environment("rails", database.urlOf("rails")));
  const imports = [PlatformModule.forService({ service: "rails", config })];
  const module = { module: AnswerAllModule, imports, controllers: [AnswerAll] };
  const service = await startService(module, config, "rails");
  try {
    const { sql } = service.app.get(Database);
    await until("the answer", async () => (await sql("select from outbox")).length === 1);
    expect(await sql("select from failed_message")).toEqual([]);
    expect(attempts).toBe(1);
  } finally {
    await service.stop();
  }
});
