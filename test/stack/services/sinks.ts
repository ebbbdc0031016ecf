/** The test sinks of the webhooks service for one test: their requests, and their HTTP port. */
import { NestFactory } from "@nestjs/core";
import { FastifyAdapter, type NestFastifyApplication } from "@nestjs/platform-fastify";
import type { z } from "zod";
import type { Page } from "../../../contracts/http/shapes.ts";
import type { TestSink, TestSinkRequest } from "../../../contracts/http/webhooks/test-sinks.ts";
import {
  CreateTestSink,
  ListTestSinkRequests,
  UpdateTestSink,
} from "../../../contracts/messages/webhooks.ts";
import type { RequestContext } from "../../../services/platform/handlers/decorators.ts";
import { Database } from "../../../services/platform/persistence/database.ts";
import { ProcessClock } from "../../../services/webhooks/process-clock.ts";
import { EndpointResolver } from "../../../services/webhooks/deliveries/endpoint-resolver.ts";
import { acceptRawBodies } from "../../../services/webhooks/sinks/accept-raw-bodies.ts";
import { ManageTestSinks } from "../../../services/webhooks/sinks/manage-test-sinks.handler.ts";
import { QueryTestSinks } from "../../../services/webhooks/sinks/query-test-sinks.handler.ts";
import { ReceiveInSink } from "../../../services/webhooks/sinks/receive-in-sink.controller.ts";
import { ScriptedAnswers } from "../../../services/webhooks/sinks/scripted-answers.ts";
import { SinkWatch } from "../../../services/webhooks/sinks/sink-watch.ts";
import type { TestUnits } from "../database/units.ts";
import { testCipher, testWebhooksConfig } from "./webhooks.ts";

class SinkModule {}

export type SinkScript = z.input<typeof CreateTestSink.data>;
export type SinkQuery = Omit<z.input<typeof ListTestSinkRequests.data>, "id">;

/** An instance that receives in sinks. Several of them may share a database. */
export class SinksInstance {
  readonly app: NestFastifyApplication;
  readonly manage: ManageTestSinks;
  readonly query: QueryTestSinks;
  readonly answers: ScriptedAnswers;
  readonly watch: SinkWatch;

  private constructor(units: TestUnits, clock: ProcessClock, app: NestFastifyApplication, url: string) {
    const config = testWebhooksConfig({ SINK_BASE_URL: url });
    this.app = app;
    this.answers = app.get(ScriptedAnswers);
    this.watch = app.get(SinkWatch);
    this.manage = new ManageTestSinks(units.units, clock, config);
    this.query = new QueryTestSinks(units.database, this.watch, config);
  }

  static async start(units: TestUnits, clock: ProcessClock): Promise<SinksInstance> {
    const providers = [
      { provide: Database, useValue: units.database },
      { provide: ProcessClock, useValue: clock },
      { provide: EndpointResolver, useValue: new EndpointResolver(testCipher) },
      ScriptedAnswers,
      SinkWatch,
    ];
    const app = await NestFactory.create<NestFastifyApplication>(
      { module: SinkModule, controllers: [ReceiveInSink], providers },
      new FastifyAdapter(),
      { rawBody: true, logger: false },
    );
    acceptRawBodies(app);
    await app.listen(0, "127.0.0.1");
    return new SinksInstance(units, clock, app, await app.getUrl());
  }

  close(): Promise<void> {
    return this.app.close();
  }

  async create(context: RequestContext, script: SinkScript = {}): Promise<TestSink> {
    return CreateTestSink.reply.parse(await this.manage.create(CreateTestSink.data.parse(script), context));
  }

  async update(context: RequestContext, id: string, change: object): Promise<TestSink> {
    const data = UpdateTestSink.data.parse({ id, change });
    return UpdateTestSink.reply.parse(await this.manage.update(data, context));
  }

  async requests(context: RequestContext, id: string, query: SinkQuery = {}): Promise<Page<TestSinkRequest>> {
    const parsed = ListTestSinkRequests.data.parse({ id, ...query });
    return ListTestSinkRequests.reply.parse(await this.query.listRequests(parsed, context));
  }
}
