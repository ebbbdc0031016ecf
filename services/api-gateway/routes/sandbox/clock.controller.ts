import { Body, Controller, Get, Inject, Param, Post, Put } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import {
  type Clock,
  clock,
  type ClockAdvance,
  clockAdvance,
  type ClockAdvanceCreate,
  clockAdvanceCreate,
  type ClockPut,
  clockPut,
} from "../../../../contracts/http/sandbox/clock.ts";
import { AdvanceClock, GetClock, GetClockAdvance, PutClock } from "../../../../contracts/messages/clocks.ts";
import { type HttpContext, Http } from "../../operation/http-context.ts";
import { Operation } from "../../operation/operation.ts";
import { ServiceClient } from "../../upstream/service-client.ts";
import { waitUntil } from "../../upstream/wait-until.ts";

/** The clock of a Test book. Each route sends a request to rails. */
@ApiTags("Simulations")
@Controller("v1/simulations/clock")
export class ClockController {
  readonly #services: ServiceClient;

  constructor(@Inject(ServiceClient) services: ServiceClient) {
    this.#services = services;
  }

  @Get()
  @Operation({
    id: "getClock",
    summary: "Read the clock",
    access: "simulate",
    testKeysOnly: true,
    answers: { status: 200, schema: clock, as: "The clock" },
  })
  read(@Http() http: HttpContext): Promise<Clock> {
    return this.#services.read(GetClock, http, {});
  }

  @Put()
  @Operation({
    id: "putClock",
    summary: "Set the clock",
    access: "simulate",
    takes: ["body"],
    writes: true,
    testKeysOnly: true,
    answers: { status: 200, schema: clock, as: "The clock" },
    refusals: ["clock_goes_back", "clock_advancing"],
  })
  async put(@Body({ schema: clockPut }) body: ClockPut, @Http() http: HttpContext): Promise<Clock> {
    const { value } = await this.#services.write(PutClock, http, body);
    return value;
  }

  @Post("advance")
  @Operation({
    id: "advanceClock",
    summary: "Advance the clock",
    access: "simulate",
    takes: ["body"],
    writes: true,
    waits:
      "`wait=N`: answer when the clock has arrived, or after N seconds (10 at most). A repeat of an Idempotency-Key answers what was stored the first time, and does not wait: read the advance by its id.",
    testKeysOnly: true,
    answers: { status: 202, schema: clockAdvance, as: "The advance, under way" },
    refusals: ["clock_not_manual", "clock_advancing", "clock_goes_back", "simulation_not_applicable"],
  })
  async advance(
    @Body({ schema: clockAdvanceCreate }) body: ClockAdvanceCreate,
    @Http() http: HttpContext,
  ): Promise<ClockAdvance> {
    const { value, replayed } = await this.#services.write(AdvanceClock, http, body);
    http.setLocation(`/v1/simulations/clock/advances/${value.id}`);
    if (replayed) return value;
    return waitUntil(http, value, {
      read: (options) => this.#services.read(GetClockAdvance, http, { id: value.id }, options),
      done: ({ status }) => status !== "Running",
    });
  }

  @Get("advances/:id")
  @Operation({
    id: "getClockAdvance",
    summary: "Read an advance of the clock",
    access: "simulate",
    path: { id: "adv" },
    testKeysOnly: true,
    answers: { status: 200, schema: clockAdvance, as: "The advance" },
  })
  readAdvance(@Param("id") id: string, @Http() http: HttpContext): Promise<ClockAdvance> {
    return this.#services.read(GetClockAdvance, http, { id });
  }
}
