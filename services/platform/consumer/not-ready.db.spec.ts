import { Controller, Module } from "@nestjs/common";
import { beforeEach, describe, expect, it } from "vitest";
import { bookIdOf, newId } from "../../../contracts/ids/ids.ts";
import { InquireInstruction, SubmitInstruction } from "../../../contracts/messages/rails.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { createDatabase } from "../../../test/stack/servers/database.ts";
import { startMessaging } from "../../../test/stack/servers/messaging.ts";
import { until } from "../../../test/stack/until.ts";
import { Consumes } from "../handlers/decorators.ts";
import { createMessage } from "../messages/message.ts";
import { provisionStreams } from "../nats/provision.ts";
import { PlatformModule } from "../platform.module.ts";
import { platformConfig, readConfig } from "../process/config.ts";
import { startService } from "../run-service.ts";

let taken: string[] = [];

@Controller()
class TakeDown {
  @Consumes(SubmitInstruction, InquireInstruction)
  take(messages: readonly { subject: string }[]): Promise<void> {
    taken.push(...messages.map(({ subject }) => subject));
    return Promise.resolve();
  }
}

@Module({})
class TakeDownModule {}

const [messaging, database] = await Promise.all([
  forThisFile(startMessaging()),
  forThisFile(createDatabase("rails")),
]);
const config = readConfig(platformConfig, messaging.environment("rails", database.urlOf("rails")));
const imports = [PlatformModule.forService({ service: "rails", config })];
const service = await forThisFile(
  startService({ module: TakeDownModule, imports, controllers: [TakeDown] }, config, "rails"),
);
beforeEach(async () => {
  taken = [];
  await messaging.manager.streams.purge("CMD");
});

const book = bookIdOf(newId("ten"), "Test");
const inquiry = (subject: string) =>
  createMessage(InquireInstruction, { book, subject, data: { orderId: newId("po") } });
const publish = (...messages: object[]) =>
  messaging.publish("cmd.rails.inquire-instruction.v1.p00", { messages });
const readiness = async () => (await fetch(`${service.url}/readyz`)).json() as Promise<unknown>;
const provision = async () => provisionStreams(await messaging.connectAs("operator"));

describe("a service is not ready", () => {
  it("while its consumer is missing at the server, until an operator has made it again", async () => {
    await messaging.manager.consumers.delete("CMD", "rails");
    expect(await readiness()).toEqual({ status: "not ready", missing: ["consumer rails of CMD"] });
    expect(await provision()).toEqual(["consumer rails of CMD"]);
    expect(await readiness()).toEqual({ status: "ready" });
    await publish(inquiry("anew"));
    await until(() => taken.includes("anew"));
  });

  it("while a stream is missing, until an operator has made it again", async () => {
    await messaging.manager.streams.delete("CMD");
    const missing = ["stream CMD", "consumer rails of CMD"];
    expect(await readiness()).toEqual({ status: "not ready", missing });
    expect(await provision()).toEqual(["stream CMD", "consumer ledger of CMD", "consumer rails of CMD"]);
    expect(await readiness()).toEqual({ status: "ready" });
    await publish(inquiry("afresh"));
    await until(() => taken.includes("afresh"));
  });
});
